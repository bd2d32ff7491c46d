//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An instant of a clock that never goes back and counts while the machine sleeps (CLOCK_BOOTTIME). For leases and time-outs.
@frozen
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since an arbitrary start.
    public let nanoseconds: Int64

    /// An instant, in nanoseconds since the clock's arbitrary start.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Later than every deadline that is ever set.
    public static let distantFuture = MonotonicTime(nanoseconds: .max)

    /// Earlier instants are smaller.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant `milliseconds` later; stays at the end of time instead of overflowing.
    @inlinable public func adding(milliseconds: Int64) -> Self {
        let (distance, isTooFar) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(distance)
        guard isTooFar || isBeyond else { return Self(nanoseconds: sum) }
        return Self(nanoseconds: milliseconds < 0 ? .min : .max)
    }

    /// Whole milliseconds from `earlier` to this instant; negative if it is later.
    @inlinable public func milliseconds(since earlier: Self) -> Int64 { (nanoseconds &- earlier.nanoseconds) / 1_000_000 }
}
