//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Says that connections were turned away because the process is near its limit of open files: once when it begins, then at most each ten
/// seconds.
struct CrowdWatch {
    private static let pause = Duration.seconds(10)

    private var reported: UInt64 = 0
    private var nextAt = MonotonicTime(nanoseconds: .min)

    /// A line for people, if it is time for one; `turnedAway` is the number so far, `now` the time of a clock that never goes back.
    mutating func notice(turnedAway: UInt64, at now: MonotonicTime) -> String? {
        guard turnedAway > reported, now >= nextAt else { return nil }
        let count = turnedAway - reported
        reported = turnedAway
        nextAt = now.advanced(by: Self.pause)
        return "\(count) connections turned away: the front is near its limit of open files; close clients, or raise the limit (ulimit -Hn)"
    }
}
