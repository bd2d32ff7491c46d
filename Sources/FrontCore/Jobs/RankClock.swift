//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The clock that ranks are made of.
///
/// It goes on with the monotonic clock and takes its level up from the journal, so that no step of the wall clock reorders jobs or stops
/// the ageing of those that wait. It stands while no front runs: nobody was served then. Only in an empty journal it begins at wall time.
struct RankClock {
    /// What one level of priority is worth in waiting, in milliseconds as ranks are: a rank is one word of each job's record.
    static let millisecondsPerPriority: Int64 = 60_000

    private let level: Int64
    private let since: MonotonicTime

    /// A clock that shows `level` now.
    init(level: Int64, at now: MonotonicTime) {
        self.level = level
        self.since = now
    }

    /// The place in line of a job with these options when the clock shows `time`.
    static func rank(of options: JobOptions, at time: Int64) -> Int64 { time - Int64(options.priority) * millisecondsPerPriority }

    /// What the clock showed when a job with these options got its place in line.
    static func time(of rank: Int64, _ options: JobOptions) -> Int64 { rank + Int64(options.priority) * millisecondsPerPriority }

    /// What it shows, in milliseconds.
    func time(at now: MonotonicTime) -> Int64 { level + max(0, now.duration(since: since).wholeMilliseconds) }
}
