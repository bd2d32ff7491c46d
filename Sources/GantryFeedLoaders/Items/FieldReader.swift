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
        guard value != .malformed else { throw JSONFault(text: notUTF8) }
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

    /// What a malformed text is.
    package static let notUTF8 = "is not UTF-8, or has half of a surrogate pair"

    /// - Throws: for a whole number that would be another one without a word.
    private static func number(_ text: String) throws(JSONFault) -> Double {
        guard let number = WrittenNumber(text) else { throw JSONFault(text: "is not a number") }
        guard !number.isChanged else {
            throw JSONFault(text: "is a whole number that would change, for it is beyond 9007199254740992: make the field's type string")
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
            throw JSONFault(text: "is not the address of an image (an http:// or https:// URL, or a relative path)")
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

extension WallTime {
    /// Reads RFC 3339 text, for example `2026-11-21T10:30:00.5+01:00`; further digits than milliseconds are cut. nil: it is something else.
    package init?(readingRFC3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 45, bytes[7] == 45, bytes[13] == 58, bytes[16] == 58 else { return nil }
        guard [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10]) else { return nil }
        let parts = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].map { Self.number(bytes[$0]) }
        guard let year = parts[0], let month = parts[1], let day = parts[2], let hour = parts[3], let minute = parts[4],
            let second = parts[5],
            (1...12).contains(month), day >= 1, day <= Self.dayCount(year, month), hour < 24, minute < 60, second <= 60
        else { return nil }
        var rest = bytes[19...]
        var milliseconds: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (48...57).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count + 1)
            for place in 0..<3 {
                milliseconds = milliseconds * 10 + (place < digits.count ? Int64(digits[digits.startIndex + place] - 48) : 0)
            }
        }
        guard let zone = Self.offset(rest) else { return nil }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - zone * 60
        self.init(milliseconds: seconds * 1_000 + milliseconds)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    }

    /// Minutes east of UTC.
    private static func offset(_ zone: ArraySlice<UInt8>) -> Int64? {
        if zone.elementsEqual([UInt8(ascii: "Z")]) || zone.elementsEqual([UInt8(ascii: "z")]) { return 0 }
        let bytes = Array(zone)
        guard bytes.count == 6, bytes[0] == 43 || bytes[0] == 45, bytes[3] == 58 else { return nil }
        guard let hours = number(bytes[1...2]), let minutes = number(bytes[4...5]), hours < 24, minutes < 60 else { return nil }
        return (hours * 60 + minutes) * (bytes[0] == 45 ? -1 : 1)
    }

    private static func dayCount(_ year: Int64, _ month: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
