//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// The records of all jobs with what they refer to: arguments and results, the names of loaders, submitters and options.
struct JobRecords {
    var slab = JobSlab()
    var arena = BlobArena()
    /// Names of loaders that are in use.
    var loaderNames = LoaderNames()
    /// Who asked for jobs that are known, and how they are run.
    var terms = TermsTable()
    /// When jobs have had their total time, by the clock of lengths: of those that have one, whose time has come, and that have not ended.
    private var deadlines: [UInt64: LengthTime] = [:]
    /// The job from which on blobs are moved together next.
    private var compactedTo: UInt64 = 0
    /// Blobs that had been given back when that was done last.
    private var releasedBefore: UInt64 = 0

    /// Counts a use of terms in; their index.
    /// - Parameter feed: The feed whose source jobs with them ask; empty: they ask none.
    mutating func addTerms(_ value: JobTerms, feed: String = "") -> Int { terms.add(value, feed: feed) }

    /// What of a job's terms tells lanes apart.
    func lane(of id: UInt64) -> LaneTerms { terms.lane(of: Int(slab[id].terms)) }

    /// The feed whose source jobs with these terms ask; empty: they ask none.
    private func feed(ofTerms index: Int) -> String { terms.feeds[Int(terms.lane(of: index).feed)] }

    /// The limits of a set that is in use.
    func limitKeys(of set: Int) -> [LimitKey] { terms.limitSets[set].keys }

    /// When a job has had its total time, by the clock of lengths; nil: it has none, its time has not come, or it has ended.
    @inline(__always)
    func deadline(of id: UInt64) -> LengthTime? { deadlines.isEmpty ? nil : deadlines[id] }

    /// The time of a job has come that never started: its total time, if it has one, counts from then.
    mutating func beginTotal(of id: UInt64, at length: LengthTime) {
        let total = terms.ending(of: Int(slab[id].terms))?.totalTimeout
        setDeadline(of: id, to: total.map { length.advanced(by: $0) })
    }

    /// A job has had its total time by then; nil: that is not known yet, or it has ended.
    mutating func setDeadline(of id: UInt64, to length: LengthTime?) {
        if length != nil || !deadlines.isEmpty { deadlines[id] = length }
    }

    /// Takes over when stored jobs have had their total time.
    mutating func takeDeadlines(of stored: JournalEntry.StoredJobs) {
        if !deadlines.isEmpty { for id in stored.jobs { deadlines[id] = nil } }
        for entry in stored.deadlines { deadlines[stored.jobs[Int(entry.index)]] = LengthTime(milliseconds: entry.value) }
    }

    /// A job gets other options; its submitter stays the same.
    mutating func changeTerms(_ change: JournalEntry.TermsChanged) {
        let id = change.job.rawValue
        let old = Int(slab[id].terms)
        // Counted in before the old ones are counted out, or terms that stay the same would be forgotten in between.
        let new = addTerms(JobTerms(terms[old].asker, options: change.options), feed: feed(ofTerms: old))
        slab[id].changeTerms(to: new, rank: Rank(milliseconds: change.rank))
        terms.change(at: old, by: -1)
    }

    /// A job gets other options, and works on something else.
    mutating func replace(_ replaced: JournalEntry.JobReplaced) {
        let id = replaced.job.rawValue
        changeTerms(JournalEntry.TermsChanged(replaced.job, replaced.options.shared, rank: replaced.rank))
        arena.release(slab[id].argument)
        slab[id].keep(argument: arena.store(replaced.argument[...]))
    }

    /// Forgets a job with all that only it refers to.
    mutating func remove(_ id: UInt64) {
        leaveNames(id)
        leaveBlobs(id)
        slab.remove(id)
        setDeadline(of: id, to: nil)
    }

    /// The names of what a checkpoint stored together: where each is, in use until the jobs are in.
    struct StoredNames {
        let loaders: [Int]
        let terms: [Int]
    }

    /// Counts one use of each name in that stored jobs have.
    mutating func addNames(of stored: JournalEntry.StoredJobs) -> StoredNames {
        StoredNames(loaders: stored.loaders.map { loaderNames.addJob($0) }, terms: stored.terms.map { addTerms($0) })
    }

    /// Counts those uses out.
    mutating func leaveNames(_ names: StoredNames) {
        for index in names.loaders { loaderNames.changeJobs(at: index, by: -1) }
        for index in names.terms { terms.change(at: index, by: -1) }
    }

    /// Where the blobs of jobs that a checkpoint stored together were copied to at once.
    struct StoredBlobs {
        let arguments: BlobArena.Run?
        let results: BlobArena.Run?
    }

    /// Copies the arguments and results of stored jobs.
    mutating func storeBlobs(of stored: JournalEntry.StoredJobs) -> StoredBlobs {
        StoredBlobs(arguments: arena.storeAll(stored.arguments.bytes), results: arena.storeAll(stored.results.bytes))
    }

    /// A job is as a checkpoint has stored it, whether it was known or not.
    /// - Parameters:
    ///   - state: Its state there.
    ///   - argument: Where its argument lies among those of all, and `result` likewise.
    mutating func take(
        _ stored: JournalEntry.StoredJobs, at index: Int, _ state: JobState, argument: Range<Int>, result: Range<Int>,
        in blobs: StoredBlobs,
        _ names: StoredNames, turn: UInt64
    ) {
        let id = stored.jobs[index]
        let loader = names.loaders[Int(stored.loaderIndexes[index])]
        // A feed's job is known by its own entry, which stands before; what is stored of its terms does not name the feed.
        let feed = slab.contains(id) ? feed(ofTerms: Int(slab[id].terms)) : ""
        var term = names.terms[Int(stored.termIndexes[index])]
        if feed.isEmpty { terms.change(at: term, by: 1) } else { term = addTerms(terms[term], feed: feed) }
        loaderNames.changeJobs(at: loader, by: 1)
        if slab.contains(id) {
            leaveBlobs(id)
            leaveNames(id)  // Its names are counted anew above.
        } else {
            slab.insert(JobRecord(id: id, rank: .zero, acceptedAt: WallTime(milliseconds: 0), loader: 0))
        }
        slab[id].take(stored, at: index, loader: loader, terms: term, turn: turn)
        slab[id].keep(argument: arena.take(argument, of: stored.arguments.bytes, at: blobs.arguments))
        guard state.isFinal else { return }
        let kept = arena.take(result, of: stored.results.bytes, at: blobs.results)
        slab[id].end(as: state, with: kept, at: WallTime(milliseconds: stored.changedAt[index]))
    }

    /// A job has ended: its result is kept beside its argument.
    mutating func end(_ id: UInt64, as state: JobState, with result: Range<Int>, of results: inout EndedResults, at time: WallTime) {
        slab[id].end(as: state, with: results.take(result, into: &arena), at: time)
        setDeadline(of: id, to: nil)
    }

    /// A job's argument and result are used by it no longer.
    private mutating func leaveBlobs(_ id: UInt64) {
        arena.release(slab[id].argument)
        arena.release(slab[id].result)
    }

    /// A job's loader and terms are used by it no longer.
    mutating func leaveNames(_ id: UInt64) {
        loaderNames.changeJobs(at: Int(slab[id].loader), by: -1)
        terms.change(at: Int(slab[id].terms), by: -1)
    }

    /// Bytes of blobs that one call moves, about.
    private static let movedByteCount = 1 << 20
    /// Bytes that are moved in a microsecond or less, as a step is.
    private static let stepByteCount = 4_096

    /// Jobs whose blobs one call looks at: at least those of a chunk, at most what takes a few milliseconds.
    private static let (leastCompacted, mostCompacted) = (UInt64(256), UInt64(8_192))

    /// Moves blobs of as many jobs together as have given one back since the last call, within bounds.
    /// - Returns: what it has cost in steps.
    mutating func compactBlobs() -> Int {
        let count = min(arena.releasedCount - releasedBefore, Self.mostCompacted)
        releasedBefore = arena.releasedCount
        return compactBlobs(lookingAt: Int(max(count, Self.leastCompacted)))
    }

    /// Moves the blobs of some jobs together while much of their memory is dead, from where the last call ended.
    /// - Parameter count: How many jobs are looked at, or a chunk more.
    /// - Returns: what it has cost in steps: one for each job and for each page of bytes.
    mutating func compactBlobs(lookingAt count: Int) -> Int {
        var (looked, moved) = (0, 0)
        while arena.isSparse, looked < count, moved < Self.movedByteCount {
            let (ids, following) = slab.ids(from: compactedTo, chunkLimit: 1)
            compactedTo = following ?? 0
            looked += 1
            for id in ids {
                guard moved < Self.movedByteCount else {
                    compactedTo = id
                    break
                }
                let (argument, result) = (slab[id].argument, slab[id].result)
                let (newArgument, newResult) = (arena.moved(argument), arena.moved(result))
                if newArgument != argument { moved += argument.byteCount }
                if newResult != result { moved += result.byteCount }
                slab[id].move(argument: newArgument, result: newResult)
                looked += 1
            }
            // Once around is enough: a call on a small table would look at the same jobs again.
            if compactedTo == 0 { break }
        }
        return looked + moved / Self.stepByteCount
    }
}

/// Why what an entry says of a job moves it nowhere. A replay meets all of them, for the log goes back behind the checkpoint that it follows; while
/// serving each is a decision that was overtaken. They are counted, see `JobLifecycle.refusals`.
package enum JobRefusal: Hashable, Sendable, CaseIterable {
    /// The job was forgotten, is in a bundle, or never was.
    case unknown
    /// A checkpoint has stored the job at that turn or later: what the entry does is in it.
    case stored
    /// The job has ended, and nothing moves it any more.
    case ended
    /// The job is to stop already: the first client that asked is kept.
    case cancelling
    /// How a job is run, and when, is changed only while it waits.
    case notWaiting
    /// Only the time of a scheduled job can come.
    case notScheduled
    /// Only what stands in its lane is granted, or what a worker holds that registers again.
    case notInLine
    /// Only the attempt of a running job can end without it, and only what a worker has in hand writes lines.
    case notRunning
    /// No job ends so from where it stands.
    case noSuchEnd
}

extension JobRefusal {
    /// Whether what the entry says is true all the same, and counts: of a job that was forgotten, or is stored as it was later.
    var isElsewhere: Bool { self == .unknown || self == .stored }

    /// Whether no front can decide such an entry: a front that serves and counts one has a fault, or its journal was changed.
    package var isImpossible: Bool {
        switch self {
        case .notWaiting, .notScheduled, .notInLine, .notRunning, .noSuchEnd, .cancelling: true
        case .unknown, .stored, .ended: false
        }
    }
}

extension JobRecords {
    /// Why an entry of that turn moves a job nowhere, whatever it says; nil: it may move it.
    // Always part of its caller: for a call the whole value would be copied.
    @inline(__always)
    func refusal(of id: UInt64, _ turn: EntryTurn) -> JobRefusal? {
        guard slab.contains(id) else { return .unknown }
        if slab[id].storedTurn >= turn.number { return .stored }
        return slab[id].state.isFinal ? .ended : nil
    }
}
