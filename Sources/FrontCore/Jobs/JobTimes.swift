//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import HeapModule

// Jobs in order of the time at which something becomes of them: they are due, or they end.

/// The scheduled jobs, by when their time comes: those whose delay goes on, and those that wait for a point of the wall clock.
///
/// A job has no record beside its own here: while it is scheduled it stands in no line, so the places of its neighbors hold when its time
/// comes and where it stands in its heap. A million of them take 16 bytes each.
struct ScheduledJobs {
    private var lengths = DueHeap<LengthTime>(place: .lengths)
    private var points = DueHeap<WallTime>(place: .points)

    /// How many there are.
    var count: Int { lengths.count + points.count }

    /// When the first delay ends, by the clock of lengths; nil: there is none.
    var nextLength: LengthTime? { lengths.first }

    /// The first point of the wall clock that is waited for; nil: none is.
    var nextPoint: WallTime? { points.first }

    /// A job that stands nowhere is scheduled.
    mutating func insert(_ id: UInt64, _ due: JobDue, in slab: inout JobSlab) {
        switch due {
        case .length(let milliseconds): lengths.insert(id, at: LengthTime(milliseconds: milliseconds), in: &slab)
        case .point(let time): points.insert(id, at: time, in: &slab)
        }
    }

    /// A scheduled job stands nowhere.
    mutating func remove(_ id: UInt64, in slab: inout JobSlab) {
        if slab[id].place == .lengths { lengths.remove(id, in: &slab) } else { points.remove(id, in: &slab) }
    }

    /// Jobs whose time has come, those of delays first, each in the order of their times; so many at most.
    func due(length: LengthTime, point: WallTime, limit: Int) -> [UInt64] {
        let ended = lengths.due(upTo: length, limit: limit)
        return ended + points.due(upTo: point, limit: limit - ended.count)
    }
}

/// A time of one clock, whose milliseconds the record of a scheduled job has.
private protocol DueTime: Comparable, Sendable {
    var milliseconds: Int64 { get }
}

extension LengthTime: DueTime {}
extension WallTime: DueTime {}

/// Jobs in order of a time of one clock, the earliest on top; each can be taken out wherever it stands, for its record says where.
private struct DueHeap<Time: DueTime> {
    private struct Item: Comparable {
        let time: Time
        let id: UInt64

        // Of those of one time the one that was accepted first is first.
        static func < (left: Self, right: Self) -> Bool { left.time != right.time ? left.time < right.time : left.id < right.id }
    }

    /// What the records of its jobs say of where they stand.
    private let place: JobRecord.Place
    private var items: [Item] = []

    init(place: JobRecord.Place) { self.place = place }

    var count: Int { items.count }
    var first: Time? { items.first?.time }

    mutating func insert(_ id: UInt64, at time: Time, in slab: inout JobSlab) {
        items.append(Item(time: time, id: id))
        rise(from: items.count - 1, in: &slab)
    }

    mutating func remove(_ id: UInt64, in slab: inout JobSlab) {
        let index = slab[id].dueIndex
        slab[id].leaveDue()
        let last = items.removeLast()
        guard index < items.count else { return }
        items[index] = last
        // The last item comes from another branch, so it may belong higher as well as lower.
        let risen = rise(from: index, in: &slab)
        sink(from: risen, in: &slab)
    }

    /// The first ones up to a time. Behind an item stand only later ones, so no other is looked at.
    func due(upTo time: Time, limit: Int) -> [UInt64] {
        var due: [UInt64] = []
        var next = Heap<Candidate>()
        if let first = items.first { next.insert(Candidate(item: first, index: 0)) }
        while due.count < limit, let candidate = next.min, candidate.item.time <= time {
            next.removeMin()
            due.append(candidate.item.id)
            for index in [2 * candidate.index + 1, 2 * candidate.index + 2] where index < items.count {
                next.insert(Candidate(item: items[index], index: index))
            }
        }
        return due
    }

    private struct Candidate: Comparable {
        let item: Item
        let index: Int

        static func < (left: Self, right: Self) -> Bool { left.item < right.item }
    }

    @discardableResult
    private mutating func rise(from start: Int, in slab: inout JobSlab) -> Int {
        let item = items[start]
        var index = start
        while index > 0, item < items[(index - 1) / 2] {
            put(items[(index - 1) / 2], at: index, in: &slab)
            index = (index - 1) / 2
        }
        put(item, at: index, in: &slab)
        return index
    }

    private mutating func sink(from start: Int, in slab: inout JobSlab) {
        let item = items[start]
        var index = start
        while 2 * index + 1 < items.count {
            var child = 2 * index + 1
            if child + 1 < items.count, items[child + 1] < items[child] { child += 1 }
            guard items[child] < item else { break }
            put(items[child], at: index, in: &slab)
            index = child
        }
        put(item, at: index, in: &slab)
    }

    private mutating func put(_ item: Item, at index: Int, in slab: inout JobSlab) {
        items[index] = item
        slab[item.id].standDue(place, at: index, milliseconds: item.time.milliseconds)
    }
}

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
        // `expires` holds before the first start only: a run that was begun is not given up for it.
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
