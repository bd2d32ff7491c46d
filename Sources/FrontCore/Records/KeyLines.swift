//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What is known of feeds' jobs beside their records, and which of them wait behind another one of their feed.
///
/// Of the jobs that ask a feed's source one runs at a time, and of those that change its list one: each feed has a line for either.
struct KeyLines {
    /// The two lines of a feed.
    enum Line: CaseIterable {
        /// Jobs that ask the source.
        case load
        /// Jobs that change the persistent list.
        case edit

        /// The line that a kind of job stands in; nil: it needs none.
        init?(of operation: FeedOperation) {
            switch operation {
            case .load: self = .load
            case .merge, .create, .update: self = .edit
            case .sort, .detail: return nil
            }
        }
    }

    private struct Lines {
        var load = FeedLine()
        var edit = FeedLine()
        /// The merges among the edits, oldest first: they are loads, and few, while any number of saves may stand beside them.
        var merges: [JobID] = []

        var isEmpty: Bool { load.isEmpty && edit.isEmpty }
    }

    private var jobs: [UInt64: FeedJobRecord] = [:]
    private var lines: [FeedKey: Lines] = [:]
    /// How often jobs that have not ended name each object.
    private var namings: [ObjectDigest: Int] = [:]

    /// Whether no job of a feed is known.
    var isEmpty: Bool { jobs.isEmpty }

    /// What is known of a feed's job; nil: it is none.
    subscript(id: UInt64) -> FeedJobRecord? { jobs[id] }

    /// All that are known, in no order.
    var all: [UInt64: FeedJobRecord] { jobs }

    /// The objects that jobs name which have not ended, in no order: any number of jobs may stand in line, and few of them name one.
    var objectNames: some Collection<ObjectDigest> { namings.keys }

    /// Feeds whose jobs stand in line, in no order.
    var keys: some Collection<FeedKey> { lines.keys }

    /// Whether no job of a feed stands in line.
    func isEmpty(_ key: FeedKey) -> Bool { lines[key] == nil }

    /// The jobs in a feed's line from one of its jobs on, the last one first; all of them if that one stands there no longer. Whoever takes jobs out
    /// meanwhile makes an array of them before.
    func backwards(_ line: Line, of key: FeedKey, from start: JobID = .none) -> some Sequence<JobID> {
        let lines = lines[key] ?? Lines()
        return (line == .load ? lines.load : lines.edit).backwards(from: start, in: jobs)
    }

    /// The only job of a line that may run; nil: the line is empty.
    func first(of line: Line, _ key: FeedKey) -> JobID? {
        guard let lines = lines[key] else { return nil }
        let first = line == .load ? lines.load.first : lines.edit.first
        return first == .none ? nil : first
    }

    /// The only job of a job's line that may run; nil: the job stands in none.
    func first(ofLineOf job: JournalEntry.FeedJob) -> JobID? {
        Line(of: job.operation).flatMap { first(of: $0, job.key) }
    }

    /// The jobs of a feed that are loads to whoever asks, the newest first: the merges that go on with one stand in the line of edits.
    func loads(of key: FeedKey) -> [JobID] { Array(backwards(.load, of: key)) + (lines[key]?.merges.reversed() ?? []) }

    /// Notes a job.
    mutating func note(_ job: JournalEntry.FeedJob) {
        // An entry that comes again, as in a replay, must not take away what was noted since.
        if jobs[job.job.rawValue] == nil { jobs[job.job.rawValue] = FeedJobRecord(job: job) }
        if job.repeats != .none { jobs[job.repeats.rawValue]?.job.repeatedBy = job.job }
    }

    /// Notes what a job is granted with; nil: with nothing, it waits again.
    mutating func noteWork(_ work: FeedWork?, _ version: ContentVersion = .none, of id: UInt64) {
        let before = jobs[id]?.granted?.content
        jobs[id]?.granted = work
        if work != nil { jobs[id]?.grantedVersion = version }
        // Objects of jobs that have ended count no more, and what was counted in at the start of one is counted out at its end.
        guard jobs[id]?.isAlive == true else { return }
        count(work?.content, 1)
        count(before, -1)
    }

    /// Notes whether a job has not ended: as long as it has not, what it names counts.
    mutating func note(_ id: UInt64, isAlive: Bool) {
        // Each change once, since the objects are counted.
        guard let record = jobs[id], record.isAlive != isAlive else { return }
        jobs[id]?.isAlive = isAlive
        // The source that a merge goes on with is named by nothing else while it waits, and would be collected.
        count(record.job.source, isAlive ? 1 : -1)
        count(record.granted?.content, isAlive ? 1 : -1)
    }

    private mutating func count(_ object: ObjectReference?, _ change: Int) {
        guard let object else { return }
        let count = (namings[object.digest] ?? 0) + change
        namings[object.digest] = count > 0 ? count : nil
    }

    /// Notes that a job waits for a time, if it is a feed's.
    mutating func noteDelay(_ delayed: JournalEntry.JobDelayed) {
        guard !jobs.isEmpty, jobs[delayed.job.rawValue]?.job.delayedSince == nil else { return }
        jobs[delayed.job.rawValue]?.job.delayedSince = delayed.lengthTime
    }

    /// Notes how a job is run from now on, if it is a feed's.
    mutating func noteTerms(_ change: JournalEntry.TermsChanged) {
        guard !jobs.isEmpty else { return }
        jobs[change.job.rawValue]?.job.options = change.options
        jobs[change.job.rawValue]?.job.rank = change.rank
    }

    /// The item of a save that cannot be asked to be repeated goes.
    mutating func dropItem(of id: UInt64) { jobs[id]?.job.item = [] }

    /// Forgets a job that has ended: what it named is counted out since its end.
    mutating func forget(_ id: UInt64) {
        if !jobs.isEmpty { jobs[id] = nil }
    }

    /// Puts a job at the end of its line.
    /// - Returns: whether it may run: it is the first one, or needs no line.
    mutating func enter(_ job: JournalEntry.FeedJob) -> Bool {
        guard let line = Line(of: job.operation) else { return true }
        switch line {
        case .load: lines[job.key, default: Lines()].load.append(job.job, in: &jobs)
        case .edit: lines[job.key, default: Lines()].edit.append(job.job, in: &jobs)
        }
        if job.operation == .merge { lines[job.key]?.merges.append(job.job) }
        return first(ofLineOf: job) == job.job
    }

    /// Takes a job that has ended out of its line, if it stands there.
    /// - Returns: the job that may run now; nil: none is set free.
    mutating func end(_ id: UInt64) -> UInt64? {
        note(id, isAlive: false)
        guard let job = jobs[id]?.job, let line = Line(of: job.operation), let first = first(ofLineOf: job) else { return nil }
        switch line {
        case .load: lines[job.key]?.load.remove(job.job, in: &jobs)
        case .edit: lines[job.key]?.edit.remove(job.job, in: &jobs)
        }
        if job.operation == .merge { lines[job.key]?.merges.removeAll { $0 == job.job } }
        if lines[job.key]?.isEmpty == true { lines[job.key] = nil }
        return first == job.job ? self.first(ofLineOf: job)?.rawValue : nil
    }
}

/// A feed's job: what was accepted, and what it was granted with.
struct FeedJobRecord {
    var job: JournalEntry.FeedJob
    /// What the worker got; nil: not granted in this epoch.
    var granted: FeedWork?
    /// The version of the content that the work started from.
    var grantedVersion: ContentVersion = .none
    /// Whether it has not ended.
    var isAlive = false
    /// Its neighbors in the feed's line.
    var before = JobID.none
    var behind = JobID.none
}

/// Jobs of a feed that run one after the other, in order of acceptance.
///
/// They are linked through their records in the feeds' job table: the links of the jobs' own records belong to the lane or the worker that the
/// first one stands in. So one goes from anywhere without a walk along those that wait.
struct FeedLine {
    /// The only one that may run; none: the line is empty.
    private(set) var first = JobID.none
    private(set) var last = JobID.none

    var isEmpty: Bool { first == .none }

    /// Puts a job at the end.
    mutating func append(_ id: JobID, in jobs: inout [UInt64: FeedJobRecord]) {
        jobs[id.rawValue]?.before = last
        if last == .none { first = id } else { jobs[last.rawValue]?.behind = id }
        last = id
    }

    /// Takes a job out, if it stands in the line.
    mutating func remove(_ id: JobID, in jobs: inout [UInt64: FeedJobRecord]) {
        guard contains(id, in: jobs), let record = jobs[id.rawValue] else { return }
        if record.before == .none { first = record.behind } else { jobs[record.before.rawValue]?.behind = record.behind }
        if record.behind == .none { last = record.before } else { jobs[record.behind.rawValue]?.before = record.before }
        jobs[id.rawValue]?.before = .none
        jobs[id.rawValue]?.behind = .none
    }

    /// Its jobs from one on, the last one first; all of them if that one does not stand in the line. Whoever takes jobs out meanwhile makes an
    /// array of them before.
    func backwards(from start: JobID = .none, in jobs: [UInt64: FeedJobRecord]) -> some Sequence<JobID> {
        sequence(first: contains(start, in: jobs) ? start : last) { jobs[$0.rawValue]?.before }.lazy.prefix { $0 != .none }
    }

    private func contains(_ id: JobID, in jobs: [UInt64: FeedJobRecord]) -> Bool {
        guard let record = jobs[id.rawValue] else { return false }
        return first == id || record.before != .none
    }
}
