//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// One place of a worker that a job occupies until its work has really ended.
struct Slot: Hashable, Sendable {
    /// What is to become of the work.
    enum State: Hashable, Sendable {
        /// It runs. Moves to cancelled, leaseLost, abandoned, or ends with its own outcome.
        case running
        /// The front wants it stopped. Moves to abandoned, or ends as cancelled.
        case cancelled
        /// It was asked to stop because the lease runs out. Moves to cancelled, abandoned, or ends as cancelled, as success if it was
        /// done before.
        case leaseLost
        /// Its lease is over; the kernel ends the process at `killAt` if the work has not ended by then. Ends without a report.
        case abandoned(killAt: MonotonicTime)
    }

    /// Names the run.
    let token: WorkToken
    /// The job.
    let job: JobID
    /// How often it was granted.
    let attempt: UInt32
    /// The authority to report on it.
    var lease: LeaseID
    /// What is to become of it.
    var state: State = .running
    /// The newest progress that was not yet sent.
    var progress: JobProgress?
    /// When the next progress may be sent.
    var progressDue: MonotonicTime
}
