//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// How a job ended.
public struct JobOutcome: Hashable, Sendable {
    /// The job.
    public var job: JobID
    /// A final state. Why it failed is told by `explain`.
    public var state: JobState
    /// Its result, at most 64 KiB.
    public var result: [UInt8]
}
