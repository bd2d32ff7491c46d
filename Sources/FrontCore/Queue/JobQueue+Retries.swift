//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Attempts that failed, and jobs that are tried again.
extension JobQueue {
    /// How a job goes on whose attempt failed: tried again by its rule after a pause; nil: the failure ends it.
    ///
    /// A feed shows a failure at once, and asks again when somebody does.
    /// - Parameter repeatable: What its worker says of its loader.
    func nextAttempt(of id: UInt64, after failure: Failure, _ repeatable: Repeatable, in turn: FrontTurn) -> JournalEntry.EndedAttempt? {
        let record = turn.state.jobs[id]
        guard failure.retryable, !record.flags.contains(.isFeedJob) else { return nil }
        let rule = turn.state.jobs.terms(of: record).options.retry
        guard record.attempts < rule.attempts(of: repeatable) else { return nil }
        let pause = rule.pause(of: JobID(id), after: record.attempts, asked: failure.retryAfter)
        // Its loader has ended it, so whatever neighbours it had: it need not be alone any more. A pause of nothing is a time, too.
        return JournalEntry.EndedAttempt(
            job: JobID(id), attempts: record.attempts, crashCount: record.crashCount, isSuspected: false,
            notBefore: max(1, lengthTime(in: turn) &+ pause.millisecondsRoundedUp))
    }

    /// Jobs wait for their next attempts.
    mutating func retry(_ failed: JournalEntry.AttemptsEnded, in turn: inout FrontTurn) {
        guard !failed.jobs.isEmpty else { return }
        var failed = failed
        failed.lengthTime = lengthTime(in: turn)
        turn.record(.attemptsEnded(failed))
        noteWaiting(failed.jobs.map(\.job.rawValue), in: &turn)
        awaitDue(in: &turn)
    }
}

extension JournalEntry.AttemptsEnded {
    /// Adds an attempt that failed.
    mutating func append(_ next: JournalEntry.EndedAttempt, _ failure: Failure) {
        failures.append(Indexed(index: UInt32(jobs.count), value: failure))
        jobs.append(next)
    }
}

extension Failure {
    /// What is kept of it while its job is tried again: as many jobs may be as may wait, so each has little.
    var briefly: Failure {
        var brief = self
        brief.text = text.cut(to: Self.textBetweenAttempts)
        brief.arguments = []
        return brief
    }

    /// Bytes of its sentence that are kept then.
    private static var textBetweenAttempts: Int { 256 }
}
