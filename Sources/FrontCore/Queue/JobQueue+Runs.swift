//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// What is kept of runs as they end: it is shown to who asks for the job, and decides nothing.
extension JobQueue {
    /// The entry with the runs of its jobs, as they stand before it.
    func withRuns(_ ended: JournalEntry.AttemptsEnded, in turn: FrontTurn) -> JournalEntry.AttemptsEnded {
        guard ended.cause.endsRun else { return ended }
        var ended = ended
        var failures = RareValues(ended.failures)
        for (index, job) in ended.jobs.enumerated() {
            let failure = failures.take(index)
            let isCrash = job.crashCount > turn.state.jobs[job.job.rawValue].crashCount
            guard let run = run(of: job.job.rawValue, ended.cause.runEnd(failure, isCrash: isCrash), in: turn) else { continue }
            ended.runs.append(Indexed(index: UInt32(index), value: run))
        }
        return ended
    }

    /// The same of jobs that end: a run that succeeds is kept where another one was before it.
    func withRuns(_ ended: JournalEntry.EndedJobs, in turn: FrontTurn) -> JournalEntry.EndedJobs {
        var ended = ended
        var failures = RareValues(ended.failures)
        for (index, state) in ended.states.enumerated() {
            let id = ended.jobs[index]
            guard state != .succeeded || turn.state.jobs.runs[id] != nil else { continue }
            guard let run = run(of: id, RunEnd(state, failures.take(index)), in: turn) else { continue }
            ended.runs.append(Indexed(index: UInt32(index), value: run))
        }
        return ended
    }

    /// The run of a job that ends now; nil: nobody holds it, or there is no room for more runs.
    private func run(of id: UInt64, _ end: RunEnd, in turn: FrontTurn) -> JobRun? {
        let record = turn.state.jobs[id]
        guard record.standing.isHeld, turn.state.jobs.runs.live.runByteCount < turn.settings.bounds.runByteCount else { return nil }
        return JobRun(
            attempt: record.attempts, worker: turn.state.workers[Int(record.worker)]?.registration.name ?? "",
            startedAt: record.changedAt, endedAt: turn.now.wall, end: end)
    }
}

extension AttemptEndCause {
    /// Whether a worker may have had the job: no other run is one that anybody looks for.
    fileprivate var endsRun: Bool {
        switch self {
        case .culprit, .unsent: false
        case .workerLost, .workerClosed, .dropped, .grantUnseen, .loopPause, .cancelUnasked, .returned, .refused, .failed, .snoozed: true
        }
    }

    /// How a run ended for that cause.
    /// - Parameter isCrash: Whether it counts against the job.
    fileprivate func runEnd(_ failure: Failure?, isCrash: Bool) -> RunEnd {
        switch self {
        case .workerLost, .workerClosed, .dropped, .grantUnseen, .loopPause, .culprit: isCrash ? .crashed : .lost
        case .cancelUnasked: .cancelled
        case .returned, .refused, .unsent: .returned
        case .failed: failure?.code == .timedOut ? .timedOut : .failed
        case .snoozed: .snoozed
        }
    }
}

extension RunEnd {
    /// How the run ended that ended its job.
    fileprivate init(_ state: JobState, _ failure: Failure?) {
        switch state {
        case .succeeded: self = .succeeded
        case .cancelled: self = .cancelled
        case .quarantined: self = .crashed
        case .failed, .expired, .waiting, .scheduled, .running, .cancelling:
            switch failure?.code {
            case .timedOut?: self = .timedOut
            case .outcomeUnknown?: self = .lost
            default: self = .failed
            }
        }
    }
}
