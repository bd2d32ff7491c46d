//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What the clock of ranks shows: see `RankClock`. Entries have its milliseconds.
struct RankTime: Comparable, Hashable, Sendable {
    let milliseconds: Int64

    /// What it has shown before any entry says more.
    static var zero: RankTime { RankTime(milliseconds: 0) }

    static func < (left: RankTime, right: RankTime) -> Bool { left.milliseconds < right.milliseconds }

    /// What it shows so many milliseconds later.
    func advanced(byMilliseconds length: Int64) -> RankTime { RankTime(milliseconds: milliseconds.addingClamped(length)) }
}

/// A job's place in line: what the clock of ranks showed when it got it, less what its priority is worth. Entries have its milliseconds.
struct Rank: Comparable, Hashable, Sendable {
    let milliseconds: Int64

    /// What one level of priority is worth in waiting, in milliseconds as ranks are: a rank is one word of each job's record.
    private static var millisecondsPerPriority: Int64 { 60_000 }

    /// Before all that a front gives.
    static var zero: Rank { Rank(milliseconds: 0) }

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The place of a job of that priority when the clock shows a time.
    init(ofPriority priority: UInt8, at time: RankTime) {
        milliseconds = time.milliseconds.subtractingClamped(Int64(priority) * Self.millisecondsPerPriority)
    }

    /// What the clock showed when a job of that priority got this place.
    func time(ofPriority priority: UInt8) -> RankTime {
        RankTime(milliseconds: milliseconds.addingClamped(Int64(priority) * Self.millisecondsPerPriority))
    }

    static func < (left: Rank, right: Rank) -> Bool { left.milliseconds < right.milliseconds }
}

/// The clock that ranks are made of.
///
/// It goes on with the monotonic clock and takes its level up from the journal, so that no step of the wall clock reorders jobs or stops
/// the aging of those that wait. It stands while no front runs: nobody was served then.
struct RankClock {
    private let level: RankTime
    private let since: MonotonicTime

    /// A clock that shows `level` now.
    init(level: RankTime, at now: MonotonicTime) { (self.level, since) = (level, now) }

    /// The clock of an empty journal: only there it begins at wall time.
    init(beginningAt now: FrontTime) { self.init(level: RankTime(milliseconds: now.wall.milliseconds), at: now.monotonic) }

    /// What it shows.
    func time(at now: MonotonicTime) -> RankTime {
        level.advanced(byMilliseconds: max(0, now.duration(since: since).wholeMilliseconds))
    }
}
