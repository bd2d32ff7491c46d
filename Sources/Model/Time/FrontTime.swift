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

    /// By how much the wall clock was set since an earlier reading of both: what it shows beside the time that has passed.
    @inlinable public func duration(setSince earlier: FrontTime) -> Duration {
        wall.duration(since: earlier.wall) - monotonic.duration(since: earlier.monotonic)
    }
}
