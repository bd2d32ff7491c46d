//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The time by which ended jobs grow old.
///
/// It goes on with the wall clock, and follows a step of it back, never forward: a step, be it one wrong answer of a time server, makes the front
/// forget nothing that it would have kept, whether a job ended before the step or after it.
struct AgeClock {
    /// By how much the wall clock shows more than this clock; never negative.
    private var ahead = Duration.zero

    /// More than the wall clock can show.
    private static let most = Duration.milliseconds(Int64.max)

    /// The wall clock was set by that much, back if it is negative.
    mutating func step(by length: Duration) {
        // In whole milliseconds, as the wall clock shows: one that is due is then due by both clocks at once.
        ahead = min(max(.zero, ahead + .milliseconds(length.wholeMilliseconds)), Self.most)
    }

    /// What it shows when the wall clock shows that.
    func time(at wall: WallTime) -> WallTime { wall.advanced(by: .zero - ahead) }

    /// What the wall clock will show, unless it is set, when this clock shows that.
    func wallTime(of time: WallTime) -> WallTime { time.advanced(by: ahead) }
}
