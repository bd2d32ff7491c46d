//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What became of a request about a feed.
public struct FeedAnswer: Hashable, Sendable {
    /// The job that does the work; nil when all was done at once.
    public var job: JobID?
    /// Whether the job had been asked for by somebody else before.
    public var joined: Bool
    /// The version of the target when all was done at once.
    public var version: UInt64?
    /// The feed's key as the front knows it, with the defaults of its parameters filled in.
    public var feed: FeedKey
}
