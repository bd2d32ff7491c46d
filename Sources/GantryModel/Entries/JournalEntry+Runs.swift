//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryPackedColumns

extension JournalEntry {
    /// Attempts that ended, and not their jobs, all for one cause: the jobs wait from now on, or for their next attempt's time, as is stated here of
    /// each. An attempt that ends its job is in `EndedJobs`, which states a final state.
    package struct AttemptsEnded: EntryKind {
        package static let survivesMemoryMode = false

        /// Each of the jobs.
        package var jobs: [EndedAttempt]
        /// Why they ended.
        package var cause: AttemptEndCause
        /// What each failed attempt failed with, by its index among the jobs.
        package var failures: [Indexed<Failure>]
        /// What the clock of lengths showed, in milliseconds, where a job is tried again later.
        package var lengthTime: Int64
        /// The run of each that a worker held, by its index among the jobs, where it is kept. What it failed with stands in `failures`.
        package var runs: [Indexed<JobRun>] = []

        /// The jobs that no worker has any more, for that cause.
        package init(jobs: [EndedAttempt] = [], cause: AttemptEndCause, failures: [Indexed<Failure>] = [], lengthTime: Int64 = 0) {
            (self.jobs, self.cause, self.failures, self.lengthTime) = (jobs, cause, failures, lengthTime)
        }

        package var roughByteCount: Int {
            let row = RoughSize.answer + (cause == .failed || cause == .snoozed ? RoughSize.number : 0)
            return failures.reduce(jobs.count * row + RoughSize.message + runs.roughByteCount) {
                $0 + $1.value.roughByteCount + RoughSize.record
            }
        }
    }

    /// How one job stands after its attempt.
    package struct EndedAttempt: Hashable, Sendable {
        /// The job.
        package var job: JobID
        /// Its attempts that count.
        package var attempts: UInt32
        /// Crashes of workers that count against it.
        package var crashCount: UInt8
        /// Whether its next attempt runs alone on a worker.
        package var isSuspected: Bool
        /// When its next attempt may begin, by the clock of lengths in milliseconds; 0: at once.
        package var notBefore: Int64
        /// How often it was snoozed, this time included, where that is the cause; else 0.
        package var snoozeCount: UInt32

        /// A job that waits again, or for that time.
        package init(
            job: JobID, attempts: UInt32, crashCount: UInt8, isSuspected: Bool, notBefore: Int64 = 0, snoozeCount: UInt32 = 0
        ) {
            (self.job, self.attempts, self.crashCount, self.isSuspected) = (job, attempts, crashCount, isSuspected)
            (self.notBefore, self.snoozeCount) = (notBefore, snoozeCount)
        }
    }
}

extension JournalEntry {
    /// Jobs that workers hold have written lines, as columns.
    package struct JobsLogged: EntryKind {
        package static let survivesMemoryMode = false

        /// Job ids.
        package var jobs: [UInt64] = []
        /// The lines of each that are new.
        package var logs: [JobLog] = []

        /// No lines yet.
        package init() {}

        /// Adds the lines of a job.
        package mutating func append(_ id: UInt64, _ log: JobLog) {
            jobs.append(id)
            logs.append(log)
        }

        package var roughByteCount: Int { logs.reduce(RoughSize.message) { $0 + RoughSize.number + $1.roughByteCount } }
    }
}

extension AttemptEndCause {
    /// Whether it ended an attempt in which work may have been done and of which nothing is known: that attempt counts, and its job is counted as
    /// requeued.
    package var mayHaveRun: Bool {
        switch self {
        case .workerLost, .workerClosed, .dropped, .grantUnseen, .loopPause, .cancelUnasked: true
        case .culprit, .returned, .refused, .unsent, .failed, .snoozed: false
        }
    }
}

extension [Indexed<JobRun>] {
    /// Bytes that they take in an entry, roughly.
    var roughByteCount: Int { reduce(0) { $0 + RoughSize.record + $1.value.worker.utf8.count + $1.value.text.utf8.count } }
}
