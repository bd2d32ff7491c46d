//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryModel

// How every line says a number, a checksum, a time and bytes.

/// A number with its noun, for example `1 item` and `2 items`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

extension TopicChecksum {
    /// The first 12 of its digits: enough for people to compare.
    package var short: String { String(description.prefix(12)) }
}

extension WallTime {
    /// Day and minute in UTC, for example `2026-11-20 19:43`.
    var minute: String { String(rfc3339.prefix(16)).replacing("T", with: " ") }

    /// The time of day in UTC, for example `19:43:50`; of another day its date, for example `2026-11-20`.
    package func clock(at now: WallTime) -> String {
        let text = rfc3339
        return text.prefix(10) == now.rfc3339.prefix(10) ? String(text.dropFirst(11).prefix(8)) : String(text.prefix(10))
    }
}

/// How people are shown bytes that a program has made: an argument, a result, a word of a command line.
///
/// One line for each, so that who reads line by line finds it whole. Text that a terminal shows as it is stands there as it is. Anything else is
/// escaped between quotation marks, as a shell's `$'…'` or Python would write it, and the label says so: nothing is left out without a word, and no
/// text can be taken for another.
package enum ShownBytes {
    /// Bytes of one line. More would bury the lines around it; JSON has all of them.
    package static let byteLimit = 200

    /// A line with a label; nil: there are no bytes.
    /// - Parameter byteCount: How many bytes there are, of which none may be at hand.
    static func line(_ name: String, _ bytes: [UInt8], byteCount: UInt64) -> String? {
        guard byteCount > 0 else { return nil }
        guard !bytes.isEmpty else { return "  \(name): \(counted(byteCount, "byte")), too many to be sent with the rest" }
        let shown = start(of: bytes)
        let part = UInt64(shown.count) == byteCount ? "" : ", the first \(shown.count) of \(byteCount) bytes"
        if let text = plainText(shown) { return "  \(name)\(part): \(text)" }
        return "  \(name)\(part), escaped: \(escaped(shown))"
    }

    /// Bytes in Base64 where they are no text; nil: they are, or there are none.
    static func base64(_ bytes: [UInt8]) -> String? {
        bytes.isEmpty || String(validating: bytes, as: UTF8.self) != nil ? nil : Data(bytes).base64EncodedString()
    }

    /// The bytes between quotation marks: text as it is, control characters as `\n` or `\u{1b}`, what is no text as `\xff`.
    package static func escaped(_ bytes: [UInt8]) -> String {
        var (text, place) = ("", 0)
        var (parser, rest) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        while true {
            switch parser.parseScalar(from: &rest) {
            case .emptyInput: return "\"\(text)\""
            case .valid(let encoded):
                text += escaped(Unicode.UTF8.decode(encoded))
                place += encoded.count
            case .error(let length):
                // Of these none is below 0x80: each has two digits.
                text += bytes[place..<min(bytes.count, place + length)].map { "\\x\(String($0, radix: 16))" }.joined()
                place += length
            }
        }
    }

    /// The first bytes, none of which ends within a character.
    private static func start(of bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > byteLimit else { return bytes }
        let end = (byteLimit - 3...byteLimit).reversed().first { bytes[$0] & 0xC0 != 0x80 } ?? byteLimit
        return Array(bytes[..<end])
    }

    /// The bytes as text that no terminal obeys; nil: they are something else.
    private static func plainText(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isControl) else { return nil }
        return text
    }

    /// Control characters, line breaks and marks that turn the direction of writing.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\\": "\\\\"
        case "\"": "\\\""
        default: isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
    }
}
