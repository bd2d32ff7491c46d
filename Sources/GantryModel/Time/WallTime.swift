//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An instant of the calendar, as people and schedules see it. It may jump; leases and time-outs never use it.
@frozen
public struct WallTime: InstantProtocol {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let milliseconds: Int64

    /// An instant, in milliseconds since 1970 UTC.
    @inlinable public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Earlier instants are smaller.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant a length of time later, rounded down to whole milliseconds; stays at the end of time instead of overflowing.
    @inlinable public func advanced(by duration: Duration) -> Self {
        Self(milliseconds: milliseconds.addingClamped(duration.wholeMilliseconds))
    }

    /// The length of time from this instant to another, in whole milliseconds; negative if that is earlier.
    @inlinable public func duration(to other: Self) -> Duration { .milliseconds(other.milliseconds) - .milliseconds(milliseconds) }

    /// The length of time since another instant; negative if that is later.
    @inlinable package func duration(since earlier: Self) -> Duration { earlier.duration(to: self) }
}

extension WallTime {
    /// The instant as RFC 3339 text in UTC with milliseconds, for example `2026-11-21T09:30:00.000Z`. Years 0 to 9999; others are clamped.
    public var rfc3339: String {
        let day: Int64 = 86_400_000
        let clamped = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let days = clamped >= 0 ? clamped / day : -((-clamped + day - 1) / day)
        let rest = clamped - days * day
        let (year, month, dayOfMonth) = Self.date(daysSince1970: days)
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { Self.digits($0, 2) }.joined(separator: ":")
        let date = [Self.digits(year, 4), Self.digits(month, 2), Self.digits(dayOfMonth, 2)].joined(separator: "-")
        return date + "T" + time + "." + Self.digits(rest % 1_000, 3) + "Z"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// The proleptic Gregorian date of a day (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    private static func date(daysSince1970: Int64) -> (Int64, Int64, Int64) {
        let shifted = daysSince1970 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
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
