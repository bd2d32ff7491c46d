//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The content of a feed, as the front knows it: a reference and times, never the items.
public struct FeedContent: Hashable, Sendable {
    /// The list in the cache.
    public var object: ObjectReference
    /// Raised by one with each change of the content; `reset` does not lower it.
    public var version: ContentVersion
    /// Where it came from: `network`, `cache`, `hand`.
    public var source: String
    /// When the load that made it was accepted by the front's wall clock.
    public var storedAt: WallTime
    /// From when on it is stale; nil: never.
    public var staleAt: WallTime?
    /// From when on it is expired; nil: never.
    public var expiresAt: WallTime?
    /// What the two times mean now.
    public var freshness: Freshness
    /// Whether it is the user's own data (*kept*) rather than something that can be loaded again (*cached*).
    public var isKept: Bool

    /// Content of a feed.
    public init(
        object: ObjectReference, version: ContentVersion, source: String, storedAt: WallTime, staleAt: WallTime? = nil,
        expiresAt: WallTime? = nil, freshness: Freshness = .fresh, isKept: Bool = false
    ) {
        self.object = object
        self.version = version
        self.source = source
        self.storedAt = storedAt
        self.staleAt = staleAt
        self.expiresAt = expiresAt
        self.freshness = freshness
        self.isKept = isKept
    }
}
