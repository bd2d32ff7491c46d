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
