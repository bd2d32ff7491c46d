//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How the loop reads, gathers and sends.
public struct LoopSettings: Sendable {
    /// Bytes that are read from one channel in one turn before the others have theirs.
    public var readByteBudget = 4 << 20
    /// Bytes of facts and messages that one turn gathers while a commit runs; beyond it only renewals are handled.
    public var gatherByteLimit = 8 << 20
    /// Bytes that wait for one slow peer; beyond it frames are dropped, and asked for again by their receiver.
    public var outboxByteLimit = 4 << 20
    /// Largest frame that is sent.
    public var largestFrame = 1 << 20
    /// Being away longer than this moves lease deadlines.
    public var awayMilliseconds: Int64 = 500
    /// Snapshot parts on their way to one client.
    public var snapshotPartsInFlight = 2
    /// Bytes of journal rows after which a checkpoint begins.
    public var checkpointByteCount = 64 << 20
    /// Chunks of 256 jobs that one slice of a checkpoint carries.
    public var sliceChunks = 32
    /// How long a topic that nobody observes is still kept.
    public var topicMilliseconds: Int64 = 60_000
    /// Objects younger than this, or than the oldest running grant by as much, are never collected.
    public var collectMilliseconds: Int64 = 600_000

    /// The defaults.
    public init() {}
}
