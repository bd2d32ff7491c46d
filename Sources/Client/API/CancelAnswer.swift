//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What became of a cancel.
public enum CancelAnswer: Hashable, Sendable {
    /// Accepted; the receipt is in the job's topic.
    case requested(JobID)
    /// The job had ended before.
    case alreadyEnded(JobID, JobState)
}
