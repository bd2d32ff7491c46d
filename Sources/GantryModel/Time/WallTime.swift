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
        let distance = duration.wholeMilliseconds
        let (sum, isBeyond) = milliseconds.addingReportingOverflow(distance)
        return Self(milliseconds: isBeyond ? (distance < 0 ? .min : .max) : sum)
    }

    /// The length of time from this instant to another, in whole milliseconds; negative if that is earlier.
    @inlinable public func duration(to other: Self) -> Duration { .milliseconds(other.milliseconds) - .milliseconds(milliseconds) }

    /// The length of time since another instant; negative if that is later.
    @inlinable public func duration(since earlier: Self) -> Duration { earlier.duration(to: self) }
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
