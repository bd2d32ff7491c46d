//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// What the clocks of ranks and of lengths show, each as a type of its own.

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

/// What the clock of lengths shows, by which delays, pauses, total times, unique keys and the tokens of limits go: see `LengthClock`.
///
/// A type of its own, as that of ranks is: both are counted in milliseconds, and to compare one with the other, or with the wall clock, means
/// nothing. Entries and messages have the milliseconds, and who reads or writes one converts them there. At the end of all numbers both stay there,
/// as every time does: see `Int64.addingClamped`.
struct LengthTime: Comparable, Hashable, Sendable {
    let milliseconds: Int64

    /// What the clock shows that has never begun; in an entry it stands for none.
    static var zero: LengthTime { LengthTime(milliseconds: 0) }

    static func < (left: LengthTime, right: LengthTime) -> Bool { left.milliseconds < right.milliseconds }

    /// How long it takes from then to this, in milliseconds; negative if that is later.
    func milliseconds(since earlier: LengthTime) -> Int64 { milliseconds.subtractingClamped(earlier.milliseconds) }

    /// What it shows a length later, rounded up, so that it is long enough.
    func advanced(by length: Duration) -> LengthTime { advanced(byMilliseconds: length.millisecondsRoundedUp) }

    /// The same in milliseconds.
    func advanced(byMilliseconds length: Int64) -> LengthTime { LengthTime(milliseconds: milliseconds.addingClamped(length)) }
}

// MARK: What the model has of it

extension LengthClock {
    /// What it shows; never less than an entry has said.
    func lengthTime(at now: MonotonicTime) -> LengthTime { LengthTime(milliseconds: time(at: now)) }

    /// When it shows a time, by the boot clock.
    func instant(of time: LengthTime) -> MonotonicTime { instant(of: time.milliseconds) }
}

extension JobDue {
    /// When the clock of lengths shows that.
    init(length: LengthTime) { self = .length(length.milliseconds) }

    /// The end of a delay; nil: it is a point of the wall clock.
    var length: LengthTime? { if case .length(let milliseconds) = self { LengthTime(milliseconds: milliseconds) } else { nil } }
}

extension Debounce {
    /// When the time of a job comes that was accepted at `since` and is submitted again now.
    func time(since: LengthTime, at now: LengthTime) -> LengthTime {
        LengthTime(milliseconds: time(since: since.milliseconds, at: now.milliseconds))
    }
}

extension TakenKey {
    /// When it is free by itself; nil: not before its job has ended.
    var freeAt: LengthTime? {
        get { until.map { LengthTime(milliseconds: $0) } }
        set { until = newValue?.milliseconds }
    }

    /// When the first job was accepted that it delays; nil: it delays none.
    var delaysSince: LengthTime? { since.map { LengthTime(milliseconds: $0) } }
}

extension JournalEntry.LastingPause {
    /// When it ends by itself; nil: it does not.
    var endsAt: LengthTime? { until.map { LengthTime(milliseconds: $0) } }
}
