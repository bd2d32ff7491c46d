//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The content of a feed, as the front knows it: a reference and times, never the items.
public struct FeedContent: Hashable, Sendable {
    /// The list in the cache.
    public var object: ObjectReference
    /// Raised by one with each change of the content; `reset` does not lower it.
    public var version: ContentVersion
    /// Where it came from.
    public var source: ContentSource
    /// When the load that made it was accepted by the front's wall clock.
    public var storedAt: WallTime
    /// Whether it is the user's own data (*kept*) rather than something that can be loaded again (*cached*).
    public var isPersistent: Bool

    /// Content of a feed.
    public init(
        object: ObjectReference, version: ContentVersion, source: ContentSource, storedAt: WallTime, isPersistent: Bool = false
    ) {
        self.object = object
        self.version = version
        self.source = source
        self.storedAt = storedAt
        self.isPersistent = isPersistent
    }
}
