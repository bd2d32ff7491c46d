//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The time by which ended jobs grow old.
///
/// It begins with the wall clock and goes on with the monotonic one, so that a step of the wall clock, be it one wrong answer of a time
/// server, makes the front forget nothing that it would have kept.
struct AgeClock {
    private var began: FrontTime?

    /// What it shows; its first reading is the wall clock's.
    mutating func time(at now: FrontTime) -> WallTime {
        let first = began ?? now
        began = first
        return WallTime(milliseconds: first.wall.milliseconds + max(0, now.monotonic.milliseconds(since: first.monotonic)))
    }
}
