//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// One JSON value on one line, keys sorted, times RFC 3339 UTC with milliseconds.
enum JSONLine {
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // Only numbers that are not finite cannot be encoded, and no output has such numbers.
            preconditionFailure("a command's output cannot be written as JSON: \(error)")
        }
    }
}
