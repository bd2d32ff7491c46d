//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The answer to a request.
public enum Reply: Hashable, Sendable {
    /// A job was accepted, or an earlier one joined; durable unless Welcome said `memory`.
    case accepted(JobID, joined: Bool)
    /// Jobs with consecutive ids were accepted.
    case jobsAccepted(first: JobID, count: UInt32)
    /// Done at once; the version of the target after it, 0 where it has none.
    case done(version: UInt64)
    /// The cancel was accepted; the receipt is in the job's topic.
    case cancelling(JobID)
    /// The job had ended before the cancel came.
    case alreadyEnded(JobID, JobState)
    /// Refused; nothing was changed. `retryAfter` is zero where waiting does not help.
    case refused(Failure, retryAfter: Duration)
    /// A page of jobs; `next` continues it.
    case jobs([JobSummary], next: JobID?)
    /// Why a job is where it is.
    case explanation(JobExplanation)
    /// Live feeds by key; `next`: more follow after that one.
    case feeds([FeedState], next: FeedKey?)
}
