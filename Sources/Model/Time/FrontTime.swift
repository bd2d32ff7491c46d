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
}
