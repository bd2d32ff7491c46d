//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What is being done to a feed now. Content stays while anything else happens.
public enum Activity: Hashable, Sendable {
    /// Nothing. Moves to waiting when a load is accepted.
    case idle
    /// A job is accepted and waits. Moves to loading when a worker is given it, and to idle when it is cancelled, the feed is reset, or a restart
    /// does not find it any more.
    case waiting(JobID, WaitReason)
    /// A job runs; its progress is an item of its own. Moves to idle when the job ends, is to stop, or the feed is reset, and to waiting when its
    /// worker is lost, or for the job that joins what was fetched into a user's own list.
    case loading(JobID, cause: LoadCause, attempt: UInt32)

    /// The job behind the activity.
    public var job: JobID? {
        switch self {
        case .idle: nil
        case .waiting(let job, _): job
        case .loading(let job, _, _): job
        }
    }
}
