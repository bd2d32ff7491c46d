//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// One job of a short loader.
public struct ShortJob: Sendable {
    /// The job's id.
    public let job: JobID
    /// How often it was granted, from 1.
    public let attempt: UInt32
    /// What it was handed in with: a part of the batch, not a copy.
    public let argument: ArraySlice<UInt8>
}
