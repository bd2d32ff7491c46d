//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// Work of a world that many clients ask for under one unique key: its marker, in the arguments of its jobs, says all of it.
struct SharedWork {
    /// A unique key with its loader.
    struct Key: Hashable {
        let loader: String
        let text: String
    }

    let marker: UInt64

    /// When work starts whose key is debounced: other work is asked for within that time.
    static let debounce = Debounce(quiet: .milliseconds(700), longest: .seconds(2))

    /// Markers of other work count up from one.
    private static let first: UInt64 = 1 << 40

    /// Work under one of two keys of a loader, in one of two variants: of each mode its own.
    init(_ loader: SimulatedLoader, key: UInt64, mode: UniqueMode, variant: UInt64) {
        let place = SimulatedLoader.allCases.firstIndex(of: loader) ?? 0
        marker = Self.first | UInt64(place) << 16 | key << 8 | UInt64(mode.rawValue) << 4 | variant
    }

    /// What a marker says; nil: it is no such work's.
    init?(_ marker: UInt64) {
        guard marker >= Self.first, marker < 2 * Self.first else { return nil }
        self.marker = marker
    }

    var mode: UniqueMode { UniqueMode(rawValue: UInt8(marker >> 4 & 15)) ?? .untilEnded }
    var text: String { "key \(marker >> 8 & 255)" }
    var key: Key { Key(loader: SimulatedLoader.allCases[Int(marker >> 16 & 255)].declaration.name, text: text) }
}

/// Who has which unique key, as durable entries tell it. Reckoned beside the front, never from its state.
struct KeyWatch {
    /// A job that has a key.
    private struct Holder {
        let job: UInt64
        var mode: UniqueMode
        var afterEnd: Duration
        /// When the key is free, by the clock of lengths; nil: the job has not ended, or is quarantined.
        var until: Int64?
        var isQuarantined = false
        var wasGranted = false
    }

    private var holders: [SharedWork.Key: Holder] = [:]
    /// The job that waits behind the one of a key.
    private var followers: [SharedWork.Key: Holder] = [:]
    private var keys: [UInt64: SharedWork.Key] = [:]
    /// What each job has worked on.
    private(set) var markers: [UInt64: Set<UInt64>] = [:]

    /// Takes an entry.
    /// - Returns: what it breaks.
    mutating func take(_ entry: JournalEntry) -> [String] {
        switch entry {
        case .jobsAccepted(let accepted): return accept(accepted)
        case .jobReplaced(let replaced): return replace(replaced)
        case .granted(let granted):
            for job in granted.jobs {
                guard let key = keys[job] else { continue }
                if followers[key]?.job == job {
                    return ["job \(job) is granted before job \(holders[key]?.job ?? 0), behind which it waits, has ended"]
                }
                guard holders[key]?.job == job else { continue }
                holders[key]?.wasGranted = true
                if holders[key]?.mode.isFreeAtStart == true { holders[key] = nil }
            }
        case .ended(let ended):
            for (job, state) in zip(ended.jobs, ended.states) {
                guard let key = keys[job], var holder = holders[key] else { continue }
                if followers[key]?.job == job { followers[key] = nil }
                guard holder.job == job else { continue }
                guard holder.mode != .buffer else {
                    holders[key] = followers.removeValue(forKey: key)
                    continue
                }
                holder.isQuarantined = state == .quarantined
                if !holder.isQuarantined { holder.until = ended.lengthTime + holder.afterEnd.wholeMilliseconds }
                holders[key] = !holder.isQuarantined && holder.afterEnd == .zero ? nil : holder
            }
        case .uniqueKeysFreed(let freed): return freed.jobs.compactMap { free($0, at: freed.lengthTime) }
        // Those in it may be quarantined, and are forgotten.
        case .bundlesForgotten: for (key, holder) in holders where holder.isQuarantined { holders[key]?.until = .min }
        default: break
        }
        return []
    }

    private mutating func accept(_ accepted: JournalEntry.AcceptedJobs) -> [String] {
        guard let options = accepted.options.distinct.first, let unique = options.uniqueKey else { return [] }
        let (job, key) = (accepted.first.rawValue, SharedWork.Key(loader: accepted.loader, text: unique.text))
        markers[job, default: []].insert(Run.number(in: accepted.arguments.bytes))
        let holder = holders[key]
        keys[job] = key
        let taken = Holder(job: job, mode: unique.mode, afterEnd: unique.afterEnd)
        if let holder, holder.mode == .buffer, unique.mode == .buffer {
            let other = followers.updateValue(taken, forKey: key)
            if let other { return ["job \(job) waits behind job \(holder.job), as job \(other.job) does"] }
            return holder.wasGranted ? [] : ["job \(job) waits behind job \(holder.job), which was never granted"]
        }
        holders[key] = taken
        guard let holder, holder.until != .min else { return [] }
        if holder.isQuarantined || holder.until != nil, options.retryOf == JobID(holder.job) { return [] }
        return ["job \(job) is accepted with the \(unique.line), which job \(holder.job) has"]
    }

    private mutating func replace(_ replaced: JournalEntry.JobReplaced) -> [String] {
        let job = replaced.job.rawValue
        guard let key = keys[job], let unique = replaced.options.uniqueKey, followers[key]?.job != job else {
            markers[job, default: []].insert(Run.number(in: replaced.argument))
            return keys[job] == nil ? ["job \(job) is replaced, and has no key"] : []
        }
        guard let holder = holders[key], holder.job == job else { return ["job \(job) is replaced, and has its key no longer"] }
        markers[job, default: []].insert(Run.number(in: replaced.argument))
        holders[key] = Holder(job: job, mode: unique.mode, afterEnd: unique.afterEnd)
        return holder.wasGranted || holder.until != nil ? ["job \(job) is replaced, which was granted before"] : []
    }

    private mutating func free(_ job: UInt64, at time: Int64) -> String? {
        guard let key = keys[job], let holder = holders[key], holder.job == job else { return nil }
        holders[key] = nil
        guard let until = holder.until else { return holder.isQuarantined ? nil : "job \(job) has not ended, and its key is free" }
        return until <= time ? nil : "the key of job \(job) is free at \(time), and not \(until)"
    }
}

extension JobOptions {
    /// The jobs of a loader that only one may run of at a time, in the order of their acceptance; nil: it waits behind none.
    func line(of loader: String) -> String? {
        uniqueKey.flatMap { $0.mode == .buffer ? "\(loader) unique \($0.text)" : nil }
    }
}

// What really runs, counted at the workers: whatever the front believes.
extension Ledger {
    /// A run begins.
    func takeKey(_ marker: UInt64, of job: JobID) {
        // A front that has forgotten its jobs knows nothing of what it has left running.
        guard !isMemory, let work = SharedWork(marker), !work.mode.isFreeAtStart else { return }
        if let other = runsOfKeys[work.key], other != job {
            world.violate(.uniqueKeysHold, "job \(job) runs while job \(other) does, both with \(work.text) of \(work.key.loader)")
        }
        runsOfKeys[work.key] = job
    }

    /// A run has really ended.
    func freeKey(_ marker: UInt64, of job: JobID) {
        if let work = SharedWork(marker), runsOfKeys[work.key] == job { runsOfKeys[work.key] = nil }
    }

    /// A client hears what became of a job with a unique key.
    func checkKey(of job: JobID, _ acceptance: JobAcceptance, marker: UInt64) {
        guard acceptance == .joined, !isMemory, let known = queue.keys.markers[job.rawValue], !known.contains(marker) else { return }
        world.violate(.uniqueKeysHold, "a client has joined job \(job), which works on something else")
    }
}

extension QueueWatch {
    /// A job that was never granted stands where its new options put it.
    mutating func replace(_ replaced: JournalEntry.JobReplaced) {
        let id = replaced.job.rawValue
        guard var changed = jobs[id], let job = jobs[id] else { return }
        if job.worker != nil { find(.uniqueKeysHold, "job \(id), which a worker holds, is replaced") }
        let options = replaced.options
        let rank = job.rank + (Int64(job.priority) - Int64(options.priority)) * 60_000
        if job.due == nil, replaced.due == nil, replaced.rank != rank {
            find(.grantsInOrder, "job \(id) is replaced, and has the rank \(replaced.rank), not \(rank)")
        }
        (changed.rank, changed.priority, changed.due) = (replaced.rank, options.priority, replaced.due)
        (changed.retry, changed.limitKeys) = (options.retry, options.limitKeys)
        jobs[id] = changed
        switch (job.due == nil, replaced.due == nil) {
        case (true, false): (counts.waiting, counts.scheduled) = (counts.waiting - 1, counts.scheduled + 1)
        case (false, true): (counts.waiting, counts.scheduled) = (counts.waiting + 1, counts.scheduled - 1)
        case (true, true), (false, false): break
        }
    }
}
