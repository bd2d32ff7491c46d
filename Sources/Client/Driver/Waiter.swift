//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// One call that waits.
enum Waiter {
    /// Cancelled before it began to wait.
    case cancelled
    /// Waits for its answer.
    case waiting(Waiting)

    /// What is known of a call while it waits.
    struct Waiting {
        /// Resumed once, with what the call gets.
        let continuation: CheckedContinuation<Result<Answer, ClientError>, Never>
        /// For jobs that were submitted: whether their end is waited for and not only their acceptance.
        let awaitsOutcome: Bool
        /// How long the answer is still waited for once the calling task was cancelled; zero: not at all.
        let grace: Duration
        /// The job whose end is waited for, once it was accepted.
        var job: JobID?
        /// Whether the calling task was cancelled and only the grace is left.
        var isLeaving = false
    }
}
