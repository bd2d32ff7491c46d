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
            throw CommandFailure(.invalidData, code: .tooLarge, message: "the item is over \(byteLimit) bytes (limit)")
        }
        let value: Any
        do {
            value = try JSONSerialization.jsonObject(with: data)
        } catch {
            throw refusal("the item is no JSON, or has a number that is out of range")
        }
        guard value is [String: Any] else { throw refusal("the item is not a JSON object") }
        return Array(data)
    }

    private static func refusal(_ message: String) -> CommandFailure {
        CommandFailure(
            .invalidData, code: .invalidData, message: message, nextStep: "write for example --item '{\"title\":\"milk\"}'")
    }
}
