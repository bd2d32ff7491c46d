//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// Attempts that failed, and jobs that are tried again.
extension JobQueue {
    /// How a job goes on whose attempt failed: tried again by its rule after a pause, with what is kept of the failure meanwhile; nil: the failure
    /// ends it.
    ///
    /// A feed shows a failure at once, and asks again when somebody does. Attempts in which a worker was lost are no failures: they do not count.
    /// - Parameter repeatable: What its worker says of its loader.
    func nextAttempt(of id: UInt64, after failure: Failure, _ repeatable: Repeatable, in turn: FrontTurn) -> FailedAttempt? {
        let record = turn.state.jobs[id]
        guard failure.retryable, !record.flags.contains(.isFeedJob) else { return nil }
        let rule = turn.state.jobs.terms(of: record).options.retry
        let failed = (turn.state.jobs.lastFailures[id]?.attempts ?? 0) + 1
        guard failed < rule.attempts(of: repeatable, after: failure.code) else { return nil }
        let pause = rule.pause(of: JobID(id), after: failed, failure.code, asked: failure.retryAfter)
        // Its loader has ended it, so whatever neighbors it had: it need not be alone any more. A pause of nothing is a time, too.
        let next = JournalEntry.EndedAttempt(
            job: JobID(id), attempts: record.attempts, crashCount: record.crashCount, isSuspected: false,
            notBefore: max(1, lengthTime(in: turn).advanced(by: pause).milliseconds))
        return FailedAttempt(next: next, failure: failure.kept(after: failed, hasText: keepsText(in: turn)))
    }

    /// What is kept of why a worker gave a job back unstarted, until it ends; nil: nothing, for a feed shows what its loads have come to. It counts as
    /// no failed attempt.
    func reason(of id: UInt64, unstarted failure: Failure, in turn: FrontTurn) -> Failure? {
        guard !turn.state.jobs[id].flags.contains(.isFeedJob) else { return nil }
        var kept = failure.kept(after: turn.state.jobs.lastFailures[id]?.attempts ?? 0, hasText: keepsText(in: turn))
        // Of the worker's own number nothing is known, and a row with one that no front gives out could not be read again.
        kept.id = FailureID(id)
        return kept
    }

    /// Whether there is room for the sentence of one more failure that does not end its job.
    private func keepsText(in turn: FrontTurn) -> Bool {
        turn.state.jobs.lastFailures.count < turn.settings.bounds.retention[.failed].count
    }

    /// Jobs wait for their next attempts.
    mutating func retry(_ failed: JournalEntry.AttemptsEnded, in turn: inout FrontTurn) {
        guard !failed.jobs.isEmpty else { return }
        var failed = withRuns(failed, in: turn)
        failed.lengthTime = lengthTime(in: turn).milliseconds
        turn.record(.attemptsEnded(failed))
        noteWaiting(failed.jobs.map(\.job.rawValue), in: &turn)
        awaitDue(in: &turn)
    }
}

extension JournalEntry.AttemptsEnded {
    /// Adds an attempt that failed.
    mutating func append(_ failed: FailedAttempt) {
        failures.append(Indexed(index: UInt32(jobs.count), value: failed.failure))
        jobs.append(failed.next)
    }
}

/// An attempt that failed and is followed by another one.
struct FailedAttempt {
    /// How the job stands after it.
    let next: JournalEntry.EndedAttempt
    /// What is kept of the failure until the job ends; its `attempts` are those that failed.
    let failure: Failure
}

extension Failure {
    /// What is kept of it while its job is tried again: as many jobs may be as may wait, so each has little.
    /// - Parameters:
    ///   - failed: How many attempts have failed, this one too.
    ///   - hasText: Whether there is room for its sentence.
    fileprivate func kept(after failed: UInt32, hasText: Bool) -> Failure {
        var kept = self
        kept.text = hasText ? text.cut(to: Self.textBetweenAttempts) : ""
        kept.arguments = []
        kept.attempts = failed
        return kept
    }

    /// Bytes of its sentence that are kept then.
    private static var textBetweenAttempts: Int { 256 }
}

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
            // Nearly every job runs once and succeeds, and its record says as much.
            guard state != .succeeded || turn.state.jobs.runs[id] != nil else { continue }
            guard let run = run(of: id, RunEnd(state, failures.take(index)), in: turn) else { continue }
            ended.runs.append(Indexed(index: UInt32(index), value: run))
        }
        return ended
    }

    /// The run of a job that ends now; nil: nobody holds it, or there is no room for more runs.
    private func run(of id: UInt64, _ end: RunEnd, in turn: FrontTurn) -> JobRun? {
        let record = turn.state.jobs[id]
        guard record.standing.isHeld, turn.state.jobs.liveBytes.runByteCount < turn.settings.bounds.runByteCount else { return nil }
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
        case .cancelUnasked: .stopped
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
