//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of what the front has stored. Sizes are bytes of files; nil: not looked at yet, or they cannot be.
public struct StorageSummary: Hashable, Sendable {
    /// The files of the journal together.
    public var journalByteCount: UInt64?
    /// The objects in the cache.
    public var cacheByteCount: UInt64?
    /// The file that is given up when the disk is full.
    public var ballastByteCount: UInt64?
    /// When a checkpoint was completed last in this life of the front; nil: none was.
    public var lastCheckpoint: WallTime?

    /// Nothing is known yet.
    public init() {}
}
