//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The time by which ended jobs grow old.
///
/// It goes on with the wall clock, and follows a step of it back, never forward: a step, be it one wrong answer of a time server, makes the front
/// forget nothing that it would have kept, whether a job ended before the step or after it.
struct AgeClock {
    /// By how much the wall clock shows more than this clock, in milliseconds; never negative.
    private var ahead: Int64 = 0

    /// The wall clock was set by that much, back if it is negative.
    mutating func step(milliseconds: Int64) {
        let (sum, isTooLarge) = ahead.addingReportingOverflow(milliseconds)
        ahead = isTooLarge ? (milliseconds > 0 ? .max : 0) : max(0, sum)
    }

    /// What it shows when the wall clock shows that.
    func time(at wall: WallTime) -> WallTime { wall.adding(milliseconds: -ahead) }

    /// What the wall clock will show, unless it is set, when this clock shows that.
    func wallTime(of time: WallTime) -> WallTime { time.adding(milliseconds: ahead) }
}
