//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An instant of a clock that never goes back and counts while the machine sleeps (CLOCK_BOOTTIME). For leases and time-outs.
@frozen
public struct MonotonicTime: InstantProtocol {
    /// Nanoseconds since an arbitrary start.
    public let nanoseconds: Int64

    /// An instant, in nanoseconds since the clock's arbitrary start.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Later than every deadline that is ever set.
    public static let distantFuture = MonotonicTime(nanoseconds: .max)

    /// Earlier instants are smaller.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant a length of time later, less than a nanosecond cut; stays at the end of time instead of overflowing.
    @inlinable public func advanced(by duration: Duration) -> Self {
        let distance = duration.wholeNanoseconds
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(distance)
        return Self(nanoseconds: isBeyond ? (distance < 0 ? .min : .max) : sum)
    }

    /// The length of time from this instant to another; negative if that is earlier.
    @inlinable public func duration(to other: Self) -> Duration { .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds) }

    /// The length of time since another instant; negative if that is later.
    @inlinable public func duration(since earlier: Self) -> Duration { earlier.duration(to: self) }
}
