//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The two clocks of the front, read together once a turn.
@frozen
public struct FrontTime: Hashable, Sendable {
    /// For leases, heartbeats and time-outs.
    public var monotonic: MonotonicTime
    /// For ranks, freshness and what people see.
    public var wall: WallTime

    /// Joins the two readings.
    @inlinable public init(monotonic: MonotonicTime, wall: WallTime) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// By how many milliseconds the wall clock was set since an earlier reading of both: what it shows beside the time that has passed. What does
    /// not fit counts as 0.
    @inlinable public func milliseconds(setSince earlier: FrontTime) -> Int64 {
        let (shown, isTooLarge) = wall.milliseconds.subtractingReportingOverflow(earlier.wall.milliseconds)
        let (set, isTooLargeTogether) = shown.subtractingReportingOverflow(monotonic.milliseconds(since: earlier.monotonic))
        return isTooLarge || isTooLargeTogether || set == .min ? 0 : set
    }
}
