//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An instant of the calendar, as people and schedules see it. It may jump; leases and time-outs never use it.
@frozen
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let milliseconds: Int64

    /// An instant, in milliseconds since 1970 UTC.
    @inlinable public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Earlier instants are smaller.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant `milliseconds` later.
    @inlinable public func adding(milliseconds: Int64) -> Self { Self(milliseconds: self.milliseconds &+ milliseconds) }
}
