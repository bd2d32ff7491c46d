//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension JournalEntry {
    /// Attempts that ended without an outcome, all for one cause: the jobs wait from now on, as is stated here of each. An attempt that ends
    /// with an outcome is in `EndedJobs`, which states a final state.
    public struct AttemptsEnded: Hashable, Sendable {
        /// Each of the jobs.
        public var jobs: [EndedAttempt]
        /// Why they ended.
        public var cause: AttemptEndCause

        /// The jobs that no worker has any more, for that cause.
        public init(jobs: [EndedAttempt], cause: AttemptEndCause) { (self.jobs, self.cause) = (jobs, cause) }
    }

    /// How one job stands after its attempt.
    public struct EndedAttempt: Hashable, Sendable {
        /// The job.
        public var job: JobID
        /// Its attempts that count.
        public var attempts: UInt32
        /// Crashes of workers that count against it.
        public var crashCount: UInt8
        /// Whether its next attempt runs alone on a worker.
        public var isSuspected: Bool

        /// A job that waits again.
        public init(job: JobID, attempts: UInt32, crashCount: UInt8, isSuspected: Bool) {
            (self.job, self.attempts, self.crashCount, self.isSuspected) = (job, attempts, crashCount, isSuspected)
        }
    }
}

extension AttemptEndCause {
    /// Whether it ended an attempt in which work may have been done: that attempt counts, and its job is counted as requeued.
    public var mayHaveRun: Bool {
        switch self {
        case .workerLost, .workerClosed, .dropped, .grantUnseen, .loopPause, .cancelUnasked: true
        case .culprit, .returned, .refused, .unsent: false
        }
    }
}
