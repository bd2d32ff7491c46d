//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// JSON text that was made elsewhere, brought onto one line.
enum JSONText {
    /// The text without white space between its tokens; nil when it is no UTF-8 or its brackets and quotes do not fit.
    static func onOneLine(_ bytes: [UInt8]) -> String? {
        var line: [UInt8] = []
        line.reserveCapacity(bytes.count)
        var closers: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                guard byte >= 0x20 else { return nil }
                line.append(byte)
                if isEscaped { isEscaped = false } else if byte == 0x5C { isEscaped = true } else if byte == 0x22 { isInString = false }
                continue
            }
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case 0x22: isInString = true
            case 0x7B: closers.append(0x7D)
            case 0x5B: closers.append(0x5D)
            case 0x7D, 0x5D: guard closers.popLast() == byte else { return nil }
            default: break
            }
            line.append(byte)
        }
        guard !isInString, closers.isEmpty, !line.isEmpty else { return nil }
        return String(validating: line, as: UTF8.self)
    }
}

extension JSONValue {
    /// JSON text of somebody else as it is, or as a string when it is none.
    static func embedded(_ bytes: [UInt8]) -> JSONValue {
        JSONText.onOneLine(bytes).map { .written($0) } ?? .string(String(decoding: bytes, as: UTF8.self))
    }
}
