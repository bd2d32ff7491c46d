//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// What is known of the runs of jobs, and which ended jobs were repeated.

/// What is known of the runs of jobs that have ended, and of what the last attempt failed with where another one follows.
///
/// A job that succeeds in its first run has no place here: what is kept costs only those that did not.
struct RunTable {
    /// What the last attempts of jobs failed with that are tried again.
    private(set) var lastFailures: [UInt64: Failure] = [:]
    private var runs: [UInt64: JobRuns] = [:]
    private var logs: [UInt64: JobLog] = [:]
    /// What is kept of jobs that have not ended.
    private(set) var live = LiveBytes()

    /// Bytes of what is kept of jobs that have not ended. Each has a bound of its own: what jobs write takes no room in which the runs of others are
    /// kept, and neither takes the room of what they save, without which the next attempt begins anew.
    struct LiveBytes: Hashable {
        /// Of their runs.
        var runByteCount = 0
        /// Of the lines that they have written.
        var lineByteCount = 0
        /// Of what they have saved for their next attempts.
        var stateByteCount = 0
    }

    /// The runs of a job; nil: none is known.
    subscript(id: UInt64) -> JobRuns? { runs.isEmpty ? nil : runs[id] }

    /// Whether some job has written or saved something.
    var haveLogs: Bool { !logs.isEmpty }

    /// The lines that a job has written; nil: none.
    func log(of id: UInt64) -> JobLog? { logs.isEmpty ? nil : logs[id] }

    /// What a job has saved for its next attempt; nil: nothing.
    func resumeState(of id: UInt64) -> [UInt8]? { log(of: id)?.resumeState.flatMap { $0.isEmpty ? nil : $0 } }

    /// What the runs of a job count with, what they have written, and what its last one failed with.
    func byteCount(of id: UInt64) -> Int {
        (runs.isEmpty ? 0 : runs[id]?.roughByteCount ?? 0) + (logs.isEmpty ? 0 : logs[id]?.roughByteCount ?? 0)
            + (lastFailures.isEmpty ? 0 : lastFailures[id]?.roughByteCount ?? 0)
    }

    /// A run of a job has ended that goes on.
    /// - Returns: how many bytes more it counts with.
    mutating func add(_ run: JobRun?, _ failure: Failure?, of id: UInt64) -> Int {
        let before = byteCount(of: id)
        append(run, failure, to: id)
        if let failure { lastFailures[id] = failure }
        return byteCount(of: id) - before
    }

    /// A job that a worker holds has written lines, or saved something.
    /// - Returns: how many bytes more it counts with.
    mutating func add(_ log: JobLog, of id: UInt64) -> Int {
        let before = logs[id]?.roughByteCount ?? 0
        countLog(of: id, -1)
        logs[id, default: JobLog()].append(log)
        countLog(of: id, 1)
        return (logs[id]?.roughByteCount ?? 0) - before
    }

    private mutating func countLog(of id: UInt64, _ sign: Int) {
        guard let log = log(of: id) else { return }
        live.lineByteCount += sign * log.lineByteCount
        live.stateByteCount += sign * (log.resumeState?.count ?? 0)
    }

    /// A job has ended, with that run if a worker held it. It is not tried again.
    mutating func end(_ id: UInt64, _ run: JobRun?, _ failure: Failure?) {
        append(run, failure, to: id)
        leaveLive(id)
        if let log = log(of: id), log.resumeState != nil {
            let rest = log.withoutState
            logs[id] = rest.isEmpty ? nil : rest
        }
        if !lastFailures.isEmpty { lastFailures[id] = nil }
    }

    private mutating func leaveLive(_ id: UInt64) {
        live.runByteCount -= self[id]?.roughByteCount ?? 0
        countLog(of: id, -1)
    }

    /// A job is forgotten, or is known from elsewhere from now on.
    mutating func remove(_ id: UInt64, isLive: Bool = false) {
        if isLive { leaveLive(id) }
        if !runs.isEmpty { runs[id] = nil }
        if !logs.isEmpty { logs[id] = nil }
        if !lastFailures.isEmpty { lastFailures[id] = nil }
    }

    /// A checkpoint has stored jobs of which nothing is known here.
    mutating func restore(_ stored: JournalEntry.StoredJobs) {
        for (row, known) in stored.runs.map({ (Int($0.index), $0.value) }) {
            runs[stored.jobs[row]] = known
            if !stored.states[row].isFinal { live.runByteCount += known.roughByteCount }
        }
        for (row, known) in stored.logs.map({ (Int($0.index), $0.value) }) {
            logs[stored.jobs[row]] = known
            if !stored.states[row].isFinal { countLog(of: stored.jobs[row], 1) }
        }
        for (row, failure) in stored.failures.map({ (Int($0.index), $0.value) }) where !stored.states[row].isFinal {
            lastFailures[stored.jobs[row]] = failure
        }
    }

    /// What is kept of jobs that have not ended, counted anew.
    func liveBytes(isLive: (UInt64) -> Bool) -> LiveBytes {
        var counted = LiveBytes()
        for (id, run) in runs where isLive(id) { counted.runByteCount += run.roughByteCount }
        for (id, log) in logs where isLive(id) {
            counted.lineByteCount += log.lineByteCount
            counted.stateByteCount += log.resumeState?.count ?? 0
        }
        return counted
    }

    private mutating func append(_ run: JobRun?, _ failure: Failure?, to id: UInt64) {
        guard let run else { return }
        let before = self[id]?.roughByteCount ?? 0
        runs[id, default: JobRuns()].append(run.failed(with: failure))
        live.runByteCount += (self[id]?.roughByteCount ?? 0) - before
    }
}

/// Which ended jobs were repeated, and by which job last: who repeats all that have failed means those that nobody has repeated yet.
///
/// The entries that accept jobs say it, and it lasts for as long as the ended job is known: so there are no more than ended jobs. A job that repeats
/// another one stands in its place, however it ends: who cancels it, or lets it expire, does not want that work any more. Who names the ended job is
/// not kept from it by one that was cancelled before it began.
struct RepeatedJobs {
    private var newest: [UInt64: UInt64] = [:]
    /// The ended jobs in order: a checkpoint goes through as many as a slice has room for.
    private var order = SortedKeys<UInt64>()

    /// Those that one entry of a checkpoint has.
    private static let storedAtOnce = 1_024

    var isEmpty: Bool { newest.isEmpty }

    /// The newest job that repeats one; nil: none does.
    func newest(of job: UInt64) -> JobID? { newest.isEmpty ? nil : newest[job].map { JobID($0) } }

    /// A job repeats one that has ended.
    mutating func note(_ job: UInt64, by repeating: UInt64) {
        // The newest stays, in whatever order a checkpoint and the log behind it bring them.
        let old = newest.updateValue(max(repeating, newest[job] ?? 0), forKey: job)
        if old == nil { order.insert(job) }
    }

    /// An ended job is known no longer.
    mutating func forget(_ job: UInt64) {
        guard !newest.isEmpty, newest.removeValue(forKey: job) != nil else { return }
        order.remove(job)
        // What the last one leaves behind is memory for as many.
        if newest.isEmpty { newest = [:] }
    }

    /// An ended job of which another front that took the same entries says something else; nil: there is none.
    /// - Parameter isKnown: Whether a job is known here: what is forgotten, is without an entry.
    func difference(from other: RepeatedJobs, isKnown: (UInt64) -> Bool) -> UInt64? {
        newest.keys.filter { other.newest[$0] != newest[$0] }.min()
            ?? other.newest.keys.filter { newest[$0] == nil && isKnown($0) }.min()
    }

    /// Those that are known no longer: a smaller bound of ended jobs forgets some without an entry.
    func unknown(to isKnown: (UInt64) -> Bool) -> [UInt64] { newest.keys.filter { !isKnown($0) } }

    /// Those behind a job, as many as one entry has; nil: there are none.
    func entry(behind job: UInt64) -> JournalEntry.RepeatsStored? {
        let jobs = Array(order.keys(after: job).prefix(Self.storedAtOnce))
        return jobs.isEmpty ? nil : JournalEntry.RepeatsStored(jobs, by: jobs.map { newest[$0] ?? 0 })
    }
}
