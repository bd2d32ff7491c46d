//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// One event of a replica, with the difference that it made to the items.
public struct ReplicaUpdate: Hashable, Sendable {
    /// The topic as it was asked for.
    public var topic: Topic
    /// The topic under which the front publishes it.
    public var resolved: Topic
    /// What happened.
    public var event: ReplicaEvent
    /// Whose items these are, which life, after how many changes, with the replica's own checksum.
    public var position: Publication.Bookmark
    /// Whether a bookmark or change with the same checksum was seen at this very position.
    public var isVerified: Bool
    /// Whether the items of before are gone and `puts` are all there are.
    public var replacesAll: Bool
    /// Items that are new or have a new value; all items after a snapshot, then sorted by key.
    public var puts: [TopicItem]
    /// Keys of items that are gone.
    public var removes: [[UInt8]]
}
