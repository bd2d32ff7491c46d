//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// JSON text as it is sent, written from left to right (RFC 8259).
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func open(_ bracket: Character) {
        separate()
        bytes += String(bracket).utf8
        needsComma = false
    }

    mutating func close(_ bracket: Character) {
        bytes += String(bracket).utf8
        needsComma = true
    }

    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { appendEscaped(byte) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A number or a word of JSON, written as it is.
    mutating func raw(_ text: String) {
        separate()
        bytes += text.utf8
        needsComma = true
    }

    mutating func field(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func field(_ name: String, _ value: Int) {
        key(name)
        raw(String(value))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
        default:
            bytes.append(byte)
        }
    }
}
