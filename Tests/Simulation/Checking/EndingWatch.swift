//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// When jobs end by the time, as durable entries tell it: those that expire before they start, and those that have had their total time. Reckoned beside
/// the front, never from its state.
struct EndingWatch {
    /// A job that has a time.
    private struct Job {
        var ending: JobEnding
        /// When its own time comes; nil: it has come, or it has none.
        var due: JobDue?
        /// When it has had its total time, by the clock of lengths; nil: that is not known yet.
        var deadline: Int64?
        var hasStarted = false
        var isHeld = false

        mutating func begin(at length: Int64) {
            due = nil
            deadline = ending.totalTimeout.map { length + $0.wholeMilliseconds }
        }
    }

    private var jobs: [UInt64: Job] = [:]
    /// How often each job was snoozed.
    private var snoozes: [UInt64: UInt32] = [:]

    /// Takes an entry.
    /// - Returns: what it breaks.
    mutating func take(_ entry: JournalEntry) -> [String] {
        switch entry {
        case .jobsAccepted(let accepted):
            for offset in 0..<accepted.arguments.count {
                let options = accepted.options[offset]
                begin(accepted.first.rawValue + UInt64(offset), options.ending, accepted.due(options), at: accepted.lengthTime)
            }
        case .jobReplaced(let replaced):
            // It was never granted: what it does now has all of its own time.
            begin(replaced.job.rawValue, replaced.options.ending, replaced.due, at: replaced.lengthTime)
        case .jobsDue(let due): for id in due.jobs { become(id, due) }
        case .jobDelayed(let delayed): delay(delayed)
        case .granted(let granted): return granted.jobs.compactMap { start($0, granted) }
        case .attemptsEnded(let ended): return ended.jobs.compactMap { endAttempt($0, ended) }
        case .ended(let ended): return end(ended)
        default: break
        }
        return []
    }

    /// A job is to end like that, from its time on, or at once where that has come.
    private mutating func begin(_ id: UInt64, _ ending: JobEnding, _ due: JobDue?, at length: Int64) {
        jobs[id] = ending == JobEnding() ? nil : Job(ending: ending, due: due)
        if due == nil { jobs[id]?.begin(at: length) }
    }

    private mutating func become(_ id: UInt64, _ entry: JournalEntry.JobsDue) {
        guard let job = jobs[id], !job.hasStarted else { return }
        var begun = entry.lengthTime
        if case .length(let time)? = job.due { begun = min(begun, time) }
        jobs[id]?.begin(at: begun)
    }

    private mutating func delay(_ delayed: JournalEntry.JobDelayed) {
        guard let job = jobs[delayed.job.rawValue], !job.hasStarted else { return }
        jobs[delayed.job.rawValue]?.due = delayed.due
        jobs[delayed.job.rawValue]?.deadline = nil
    }

    private mutating func start(_ id: UInt64, _ granted: JournalEntry.GrantedJobs) -> String? {
        guard let job = jobs[id] else { return nil }
        jobs[id]?.hasStarted = true
        jobs[id]?.isHeld = true
        guard !granted.isReregistration, !job.hasStarted, let time = job.ending.expiresAt, time <= granted.at else { return nil }
        return "job \(id) expires at \(time), and is granted at \(granted.at)"
    }

    private mutating func endAttempt(_ ended: JournalEntry.EndedAttempt, _ entry: JournalEntry.AttemptsEnded) -> String? {
        let id = ended.job.rawValue
        jobs[id]?.isHeld = false
        if entry.cause == .snoozed { snoozes[id, default: 0] += 1 }
        let count = snoozes[id] ?? 0
        // What was given back has not started.
        jobs[id]?.hasStarted = ended.attempts > 0 || count > 0
        guard entry.cause == .snoozed, ended.snoozeCount != count || ended.notBefore <= entry.lengthTime else { return nil }
        return "job \(id) is snoozed the time \(count), said to be \(ended.snoozeCount), until \(ended.notBefore) from \(entry.lengthTime)"
    }

    private mutating func end(_ ended: JournalEntry.EndedJobs) -> [String] {
        var broken: [String] = []
        for (row, id) in ended.jobs.enumerated() {
            snoozes[id] = nil
            let job = jobs.removeValue(forKey: id)
            if ended.states[row] == .expired {
                guard let job, let time = job.ending.expiresAt, time <= ended.at, !job.hasStarted else {
                    let time = job?.ending.expiresAt.map { "\($0)" } ?? "no time"
                    broken.append("job \(id) has expired at \(ended.at), it expires at \(time), started: \(job?.hasStarted ?? false)")
                    continue
                }
            }
            let failure = ended.failures.first { $0.index == UInt32(row) }?.value
            guard let job, !job.isHeld, ended.states[row] == .failed, failure?.code == .timedOut else { continue }
            if let deadline = job.deadline, deadline <= ended.lengthTime { continue }
            broken.append("job \(id) has had its total time at \(ended.lengthTime), which ends at \(job.deadline ?? 0)")
        }
        return broken
    }
}
