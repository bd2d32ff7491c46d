//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryFeedSettings
package import GantryModel

/// Turns a JSON value into a field's value by the configured type.
package enum FieldReader {
    /// - Returns: nil for null.
    /// - Throws: `JSONFault` saying what is expected instead.
    package static func read(_ value: JSONText.Value, as type: FieldType) throws(JSONFault) -> FieldValue? {
        if value == .null { return nil }
        guard value != .malformed else { throw JSONFault(notUTF8) }
        switch (type, value) {
        case (.string, .text(let text)), (.string, .number(let text)): return .text(text)
        case (.string, .bool(let flag)): return .text(flag ? "true" : "false")
        case (.number, .number(let text)), (.number, .text(let text)):
            return .number(try number(text))
        case (.boolean, .bool(let flag)): return .bool(flag)
        case (.date, .text(let text)):
            guard let time = WallTime(readingRFC3339: text) else {
                throw JSONFault("is not an RFC 3339 date (for example 2026-11-21T09:30:00Z)")
            }
            return .date(time)
        case (.string, _): throw JSONFault("is not a text")
        case (.number, _): throw JSONFault("is not a number")
        case (.boolean, _): throw JSONFault("is neither true nor false")
        case (.date, _): throw JSONFault("is not an RFC 3339 date (for example 2026-11-21T09:30:00Z)")
        }
    }

    /// What a malformed text is.
    package static let notUTF8 = "is not UTF-8, or has half of a surrogate pair"

    /// - Throws: for a whole number that would be another one without a word.
    private static func number(_ text: String) throws(JSONFault) -> Double {
        guard let number = WrittenNumber(text) else { throw JSONFault("is not a number") }
        guard !number.isChanged else {
            throw JSONFault("is a whole number that would change, for it is beyond 9007199254740992: make the field's type string")
        }
        return number.value
    }

    /// An id: text, or a number in decimal digits; nil for anything else, also for a number that would be another one.
    package static func id(_ value: JSONText.Value) -> String? {
        switch value {
        case .text(let text): return text.isEmpty ? nil : text
        case .number(let text):
            if text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }) { return text }
            guard let written = WrittenNumber(text), !written.isChanged else { return nil }
            let number = written.value
            return number == number.rounded() && abs(number) < 9_007_199_254_740_992 ? String(Int64(number)) : String(number)
        case .null, .bool, .array, .object, .malformed, .repeated: return nil
        }
    }
}

/// Checks the address of an item's image: an http or https URL, or a path relative to the source.
///
/// Clients put it where images are loaded, so another scheme (`javascript:`, `file:`) must not reach them.
package enum ImageAddress {
    /// Reads a field's value by that rule.
    /// - Returns: nil for null and for the empty text, which many sources send where there is no image.
    /// - Throws: `JSONFault` saying what is expected instead.
    package static func read(_ value: JSONText.Value) throws(JSONFault) -> FieldValue? {
        guard let field = try FieldReader.read(value, as: .string) else { return nil }
        guard case .text(let text) = field, !text.isEmpty else { return nil }
        guard isAddress(text) else {
            throw JSONFault("is not the address of an image (an http:// or https:// URL, or a relative path)")
        }
        return field
    }

    /// RFC 3986, section 4.1, with the two schemes alone; characters beyond ASCII are taken as browsers take them.
    private static func isAddress(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }) else { return false }
        let rest: Substring
        // What stands before a colon in the first segment is a scheme.
        if let colon = text.firstIndex(where: { ":/?#".contains($0) }), text[colon] == ":" {
            guard ["http", "https"].contains(text[..<colon].lowercased()) else { return false }
            rest = text[text.index(after: colon)...]
            guard rest.hasPrefix("//") else { return false }
        } else {
            rest = text[...]
        }
        guard rest.hasPrefix("//") else { return true }
        let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
        return !authority.isEmpty && !authority.hasPrefix(":")
    }
}
