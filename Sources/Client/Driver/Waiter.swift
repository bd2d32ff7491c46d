//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// One call that waits.
enum Waiter {
    /// Cancelled before it began to wait.
    case cancelled
    /// Waits; for jobs that were handed in, `awaitsOutcome` says that their end is waited for and not only their acceptance.
    case waiting(CheckedContinuation<Result<Answer, ClientError>, Never>, awaitsOutcome: Bool)
}
