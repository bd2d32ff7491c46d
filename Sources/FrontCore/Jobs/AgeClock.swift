//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The time by which ended jobs grow old.
///
/// It goes on with the monotonic clock, and follows the wall clock back, never forward: a step of the wall clock, be it one wrong answer of a
/// time server, makes the front forget nothing that it would have kept, whether a job ended before the step or after it.
struct AgeClock {
    private var began: FrontTime?

    /// What it shows; its first reading is the wall clock's.
    mutating func time(at now: FrontTime) -> WallTime {
        guard let first = began else {
            began = now
            return now.wall
        }
        let passed = max(0, now.monotonic.milliseconds(since: first.monotonic))
        let shown = WallTime(milliseconds: first.wall.milliseconds + passed)
        guard now.wall < shown else { return shown }
        began = now
        return now.wall
    }
}
