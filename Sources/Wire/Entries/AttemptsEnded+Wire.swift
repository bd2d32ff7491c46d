//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireAttemptsEnded: Mapped {
    init(_ value: JournalEntry.AttemptsEnded) {
        self.init()
        jobs = value.jobs.map(\.job.rawValue)
        attempts = value.jobs.map(\.attempts)
        crashCounts = Data(value.jobs.map(\.crashCount))
        suspected = Data(value.jobs.map { $0.isSuspected ? 1 : 0 })
        cause = WireAttemptEndCause(value.cause)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.AttemptsEnded {
        try bounds.columns(jobs.count, attempts.count, crashCounts.count, suspected.count, what: "ended attempts")
        let rows = zip(zip(jobs, attempts), zip(crashCounts, suspected))
        return JournalEntry.AttemptsEnded(
            jobs: rows.map { job, counts in
                JournalEntry.EndedAttempt(job: JobID(job.0), attempts: job.1, crashCount: counts.0, isSuspected: counts.1 != 0)
            }, cause: try bounds.known(cause, "why attempts ended"))
    }
}
