//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// JSON text on one line, written from left to right (RFC 8259): the one place that knows how, but for loader settings,
/// values of users' types, cells of item tables and the sample origin, which Foundation encodes.
package struct JSONWriter: Sendable {
    /// What is written, in UTF-8.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// A writer of nothing yet.
    package init() {}

    /// What is written.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Begins an array or an object: `[` or `{`.
    package mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    /// Ends what `open` has begun: `]` or `}`.
    package mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    /// The name of a member; its value follows.
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A text.
    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { appendEscaped(byte) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A number; a whole one without a fraction where it is exact, null for one that is none or not finite.
    package mutating func number(_ value: Double) {
        let isExact = value == value.rounded() && abs(value) < 9_007_199_254_740_992
        raw(isExact ? String(Int64(value)) : value.isFinite ? String(value) : "null")
    }

    /// A number, a word or a whole value of JSON, written as it is.
    package mutating func raw(_ text: String) {
        separate()
        bytes += text.utf8
        needsComma = true
    }

    /// A member with a text.
    package mutating func field(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// A member with a number.
    package mutating func field(_ name: String, _ value: Int) {
        key(name)
        raw(String(value))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// What a terminal does not show, or some readers take for the end of a line, is escaped too: what is printed stays on its line.
    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "\n"): bytes += "\\n".utf8
        case UInt8(ascii: "\r"): bytes += "\\r".utf8
        case UInt8(ascii: "\t"): bytes += "\\t".utf8
        case 0..<0x20, 0x7F:
            let digits = String(byte, radix: 16)
            bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
        case 0xA8, 0xA9:
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
            guard bytes.last == 0x80, bytes.count > 1, bytes[bytes.count - 2] == 0xE2 else { return bytes.append(byte) }
            bytes.removeLast(2)
            bytes += (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8
        default: bytes.append(byte)
        }
    }
}
