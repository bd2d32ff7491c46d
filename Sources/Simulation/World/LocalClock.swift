//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The monotonic clock of one process: it goes too fast or too slow by up to 1 %, as two machines' clocks may.
struct LocalClock {
    /// Millionths by which it is too fast; negative: too slow.
    let drift: Int64
    /// The world's time at which it agrees.
    private let origin: Int64

    /// A clock that agrees with the world's at its beginning.
    init(drift: Int64, origin: Int64) {
        (self.drift, self.origin) = (drift, origin)
    }

    /// What the clock shows at a time of the world, both in nanoseconds.
    func reading(at time: Int64) -> Int64 {
        guard time != .max else { return .max }
        return time + (time - origin) / 1_000 * drift / 1_000
    }

    /// The first time of the world at which the clock shows at least `reading`.
    func time(of reading: Int64) -> Int64 {
        // A deadline that never comes stays one; one before the clock began is over.
        guard reading < .max / 2 else { return .max }
        guard reading > origin else { return reading }
        var time = origin + Int64(Double(reading - origin) / (1 + Double(drift) / 1_000_000)) - 2_000
        while self.reading(at: time) < reading { time += 500 }
        return time
    }
}
