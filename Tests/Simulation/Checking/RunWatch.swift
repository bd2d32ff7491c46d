//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// The runs of jobs at workers, as grants tell them: each that ends is written with what was granted, so that it is shown so. Reckoned beside the front,
/// never from its state.
struct RunWatch {
    /// A run that goes on.
    private struct Run {
        let worker: WorkerID
        let startedAt: WallTime
        let attempt: UInt32
    }

    private var running: [UInt64: Run] = [:]
    /// Attempts of each job that count.
    private var attempts: [UInt64: UInt32] = [:]
    /// Jobs of which a run has ended.
    private var known: Set<UInt64> = []
    private var names: [WorkerID: String] = [:]
    /// What jobs that go on have saved for their next attempts.
    private var saved: [UInt64: [UInt8]] = [:]
    private var crashCounts: [UInt64: UInt8] = [:]

    /// Takes an entry.
    /// - Returns: what it breaks.
    mutating func take(_ entry: JournalEntry) -> [String] {
        switch entry {
        case .workerRegistered(let registered): names[registered.worker] = registered.registration.name
        case .granted(let granted): for id in granted.jobs { start(id, granted) }
        case .jobsLogged(let logged):
            for (id, log) in zip(logged.jobs, logged.logs) { if let state = log.resumeState { saved[id] = state } }
            return zip(logged.jobs, logged.logs).compactMap { id, log in
                guard running[id] != nil else { return "job \(id), which nobody holds, has written lines" }
                // The front adds a line where it has no room for what a job saves.
                let strange = log.lines.first { !$0.text.hasPrefix("job \(JobID(id)) run ") && !$0.text.hasPrefix("what it saves ") }
                return strange.map { "a line of job \(id) is kept as \"\($0.text)\"" }
            }
        case .crashesForgiven(let forgiven): crashCounts[forgiven.job.rawValue] = nil
        case .attemptsEnded(let ended):
            guard ended.runs.count <= ended.jobs.count else { return ["more runs have ended than jobs"] }
            let runs = Dictionary(ended.runs.map { (Int($0.index), $0.value) }, uniquingKeysWith: { first, _ in first })
            return ended.jobs.enumerated().compactMap { row, job in endAttempt(job, ended.cause, runs[row]) }
        case .ended(let ended):
            let runs = Dictionary(ended.runs.map { (Int($0.index), $0.value) }, uniquingKeysWith: { first, _ in first })
            return ended.jobs.indices.compactMap { end(ended.jobs[$0], ended.states[$0], runs[$0], at: ended.at) }
        default: break
        }
        return []
    }

    /// What the next attempt of a job is to begin with.
    func resumeState(of job: JobID) -> [UInt8] { saved[job.rawValue] ?? [] }

    private mutating func start(_ id: UInt64, _ granted: JournalEntry.GrantedJobs) {
        if !granted.isReregistration { attempts[id, default: 0] += 1 }
        let startedAt = granted.isReregistration ? running[id]?.startedAt ?? granted.at : granted.at
        running[id] = Run(worker: granted.worker, startedAt: startedAt, attempt: attempts[id] ?? 0)
    }

    private mutating func endAttempt(_ ended: JournalEntry.EndedAttempt, _ cause: AttemptEndCause, _ run: JobRun?) -> String? {
        let id = ended.job.rawValue
        let isCrash = ended.crashCount > crashCounts[id] ?? 0
        (attempts[id], crashCounts[id]) = (ended.attempts, ended.crashCount)
        guard let was = running.removeValue(forKey: id), cause != .unsent, cause != .culprit else {
            return run == nil ? nil : "job \(id) had no run, and one is written"
        }
        known.insert(id)
        let ends: Set<RunEnd> =
            switch cause {
            case .failed: [.failed, .timedOut]
            case .snoozed: [.snoozed]
            case .cancelUnasked: [.stopped]
            case .returned, .refused: [.returned]
            default: isCrash ? [.crashed] : [.lost]
            }
        return difference(of: run, from: was, ends, id)
    }

    private mutating func end(_ id: UInt64, _ state: JobState, _ run: JobRun?, at time: WallTime) -> String? {
        (attempts[id], crashCounts[id], saved[id]) = (nil, nil, nil)
        let isKnown = known.remove(id) != nil
        guard let was = running.removeValue(forKey: id), isKnown || state != .succeeded else {
            return run == nil ? nil : "job \(id) had no run that is to be kept, and one is written"
        }
        if let run, run.endedAt != time { return "a run of job \(id) that ended it is written as ended at another time" }
        let ends: Set<RunEnd> =
            switch state {
            case .succeeded: [.succeeded]
            case .cancelled: [.cancelled]
            case .quarantined: [.crashed]
            default: [.failed, .timedOut, .lost]
            }
        return difference(of: run, from: was, ends, id)
    }

    private func difference(of run: JobRun?, from was: Run, _ ends: Set<RunEnd>, _ id: UInt64) -> String? {
        guard let run else { return "no run of job \(id) is written, and one has ended" }
        guard run.attempt == was.attempt, run.startedAt == was.startedAt, run.worker == names[was.worker] ?? "", ends.contains(run.end)
        else {
            return "a run of job \(id) is written as \(run.line); it was attempt \(was.attempt) at \(names[was.worker] ?? "") from "
                + "\(was.startedAt.rfc3339), and ended as one of \(ends.map(\.name).sorted())"
        }
        return nil
    }
}

extension JournalEntry {
    /// Whether it has lines of jobs.
    var isOfLogs: Bool { if case .jobsLogged = self { true } else { false } }
}
