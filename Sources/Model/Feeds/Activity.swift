//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What is being done to a feed now. Content stays while anything else happens.
public enum Activity: Hashable, Sendable {
    /// Nothing.
    case idle
    /// A job is accepted and waits.
    case waiting(JobID, WaitReason)
    /// A job runs; its progress is an item of its own.
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
