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
        let hasText = turn.state.jobs.lastFailures.count < turn.settings.bounds.failedJobs
        return FailedAttempt(next: next, failure: failure.kept(after: failed, hasText: hasText))
    }

    /// What is kept of why a worker gave a job back unstarted, until it ends; nil: nothing, for a feed shows what its loads have come to. It counts as
    /// no failed attempt.
    func reason(of id: UInt64, unstarted failure: Failure, in turn: FrontTurn) -> Failure? {
        guard !turn.state.jobs[id].flags.contains(.isFeedJob) else { return nil }
        let hasText = turn.state.jobs.lastFailures.count < turn.settings.bounds.failedJobs
        var kept = failure.kept(after: turn.state.jobs.lastFailures[id]?.attempts ?? 0, hasText: hasText)
        kept.id = FailureID(id)
        return kept
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
