//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What a client's user asks its loop for.
public enum ClientCommand: Hashable, Sendable {
    /// Sends a request under the session's next number.
    case request(CallID, RequestBody)
    /// Submits jobs; those of one turn travel together.
    case submit(CallID, JobBatch)
    /// Awaits the outcome of a job that was submitted before.
    case awaitOutcome(JobID)
    /// Stops awaiting an outcome.
    case forgetOutcome(JobID)
    /// Reads items of a list.
    case page(CallID, PageRequest)
    /// Keeps a replica of a topic.
    case observe(Topic)
    /// Drops the replica of a topic.
    case unobserve(Topic)
    /// Nobody waits for that call's answer any more.
    case abandon(CallID)
    /// That call was cancelled: it ends with `cancelled` unless it was sent already; then its answer is still wanted.
    case withdraw(CallID)
    /// Sends close; everything open fails with `closed`.
    case close
}
