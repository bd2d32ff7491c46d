//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something that happens in a world at a time; of two at the same time the one that was planned first.
struct TimedEvent: Comparable {
    /// Nanoseconds of the world's monotonic clock.
    let time: Int64
    let number: UInt64
    let action: () -> Void

    static func == (left: Self, right: Self) -> Bool { left.time == right.time && left.number == right.number }
    static func < (left: Self, right: Self) -> Bool { (left.time, left.number) < (right.time, right.number) }
}
