//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Jobs that wait, by when they end if nothing becomes of them: those that expire unless they start first, by a point of the wall clock, and those that
/// have had their total time, by the clock of lengths.
///
/// It follows from where jobs stand: what a worker holds is not here. Its time is the worker's to heed, and if the job waits again after it, it is found
/// here at once.
struct EndingJobs {
    private var expiries = TimedJobs<WallTime>()
    private var deadlines = TimedJobs<LengthTime>()

    /// Whether there are none.
    var isEmpty: Bool { expiries.isEmpty && deadlines.isEmpty }

    /// The first point of the wall clock at which one expires; nil: none does.
    var nextExpiry: WallTime? { expiries.first }

    /// When the first has had its total time, by the clock of lengths; nil: none has one.
    var nextDeadline: LengthTime? { deadlines.first }

    /// A job waits from now on.
    mutating func enter(_ record: JobRecord, _ ending: JobEnding, deadline: LengthTime?) {
        if let time = ending.expiresAt, record.hasNeverStarted { expiries.insert(record.id, at: time) }
        if let deadline { deadlines.insert(record.id, at: deadline) }
    }

    /// A job does not wait any more, or waits elsewhere.
    mutating func leave(_ id: UInt64) {
        expiries.remove(id)
        deadlines.remove(id)
    }

    /// Jobs that expire by then, the first ones, so many at most.
    func expired(by time: WallTime, limit: Int) -> [UInt64] { expiries.due(by: time, limit: limit) }

    /// Jobs that have had their total time by then, likewise.
    func late(by length: LengthTime, limit: Int) -> [UInt64] { deadlines.due(by: length, limit: limit) }
}

/// Jobs in order of a time of one clock; each can be taken out wherever it stands.
private struct TimedJobs<Time: Comparable & Sendable> {
    private struct Item: Comparable, Sendable {
        let time: Time
        let job: UInt64

        // Of those of one time the one that was accepted first is first.
        static func < (left: Self, right: Self) -> Bool { (left.time, left.job) < (right.time, right.job) }
    }

    private var times: [UInt64: Time] = [:]
    private var items = SortedKeys<Item>()

    var isEmpty: Bool { times.isEmpty }

    var first: Time? { isEmpty ? nil : items.keys(after: nil).first { _ in true }?.time }

    mutating func insert(_ job: UInt64, at time: Time) {
        remove(job)
        times[job] = time
        items.insert(Item(time: time, job: job))
    }

    mutating func remove(_ job: UInt64) {
        guard !times.isEmpty, let time = times.removeValue(forKey: job) else { return }
        items.remove(Item(time: time, job: job))
        // What the last one leaves behind is memory for as many.
        if times.isEmpty { times = [:] }
    }

    func due(by time: Time, limit: Int) -> [UInt64] {
        var jobs: [UInt64] = []
        guard !isEmpty else { return jobs }
        for item in items.keys(after: nil) {
            guard item.time <= time, jobs.count < limit else { break }
            jobs.append(item.job)
        }
        return jobs
    }
}
