//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// One job of a bulk loader.
public struct BulkJob: Sendable {
    /// The job's id.
    public let job: JobID
    /// How often it was granted, from 1.
    public let attempt: UInt32
    /// What it was submitted with: a part of the batch, not a copy.
    public let argument: ArraySlice<UInt8>
}
