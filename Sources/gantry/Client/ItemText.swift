//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Model

/// An item as it is given on the command line.
enum ItemText {
    /// Largest item in bytes.
    static let byteLimit = MessageBounds.payloadByteCount

    /// The bytes of JSON text, or of standard input for `-`.
    /// - Throws: `CommandFailure` with 10 for text that is not a JSON object or over the limit.
    static func bytes(_ text: String) throws -> [UInt8] {
        let data = text == "-" ? try FileHandle.standardInput.read(upToCount: byteLimit + 1) ?? Data() : Data(text.utf8)
        guard data.count <= byteLimit else {
            throw CommandFailure(.invalidData, code: "tooLarge", message: "the item is over \(byteLimit) bytes (limit)")
        }
        guard (try? JSONSerialization.jsonObject(with: data)) is [String: Any] else {
            throw CommandFailure(
                .invalidData, code: "invalidData", message: "the item is not a JSON object",
                nextStep: "write for example --item '{\"title\":\"milk\"}'")
        }
        return Array(data)
    }
}
