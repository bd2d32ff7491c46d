//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Model

/// Turns a JSON value into a field's value by the configured type.
enum FieldReader {
    /// - Returns: nil for null.
    /// - Throws: `JSONFault` saying what is expected instead.
    static func read(_ value: JSONText.Value, as type: FieldType) throws(JSONFault) -> FieldValue? {
        if value == .null { return nil }
        switch (type, value) {
        case (.string, .text(let text)), (.string, .number(let text)): return .text(text)
        case (.string, .bool(let flag)): return .text(flag ? "true" : "false")
        case (.number, .number(let text)), (.number, .text(let text)):
            return .number(try number(text))
        case (.boolean, .bool(let flag)): return .bool(flag)
        case (.date, .text(let text)):
            guard let time = WallTime(readingRFC3339: text) else {
                throw JSONFault(text: "is not an RFC 3339 date (for example 2026-11-21T09:30:00Z)")
            }
            return .date(time)
        case (.string, _): throw JSONFault(text: "is not a text")
        case (.number, _): throw JSONFault(text: "is not a number")
        case (.boolean, _): throw JSONFault(text: "is neither true nor false")
        case (.date, _): throw JSONFault(text: "is not an RFC 3339 date (for example 2026-11-21T09:30:00Z)")
        }
    }

    /// - Throws: for a whole number that no double holds (RFC 8259, section 6): it would be another one without a word.
    private static func number(_ text: String) throws(JSONFault) -> Double {
        guard let number = Double(text), number.isFinite else { throw JSONFault(text: "is not a number") }
        let isWhole = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
        guard !isWhole || Int128(text).map({ $0 == Int128(exactly: number) }) ?? false else {
            throw JSONFault(text: "is a whole number that would change, for it is beyond 9007199254740992: make the field's type string")
        }
        return number
    }

    /// An id: text, or a number in decimal digits; nil for anything else.
    static func id(_ value: JSONText.Value) -> String? {
        switch value {
        case .text(let text): return text.isEmpty ? nil : text
        case .number(let text):
            if text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }) { return text }
            guard let number = Double(text), number.isFinite else { return nil }
            return number == number.rounded() && abs(number) < 9_007_199_254_740_992 ? String(Int64(number)) : String(number)
        case .null, .bool, .array, .object, .malformed, .repeated: return nil
        }
    }
}
