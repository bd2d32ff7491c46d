//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The shared state of a feed: what every observer sees, as one item of the topic `feed/<key>`.
public struct FeedState: Hashable, Sendable {
    /// The feed's address.
    public var key: FeedKey
    /// What there is; nil: nothing yet.
    public var content: FeedContent?
    /// What is being done.
    public var activity: Activity
    /// What went wrong last; nil after a success, a reset and a cancel.
    public var failure: Failure?
    /// Whether items can be created and updated.
    public var isEditable: Bool

    /// A feed that nobody has touched.
    package init(key: FeedKey, isEditable: Bool = false) {
        self.key = key
        self.isEditable = isEditable
        self.activity = .idle
    }
}

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
    package init(
        object: ObjectReference, version: ContentVersion, source: ContentSource, storedAt: WallTime, isPersistent: Bool = false
    ) {
        self.object = object
        self.version = version
        self.source = source
        self.storedAt = storedAt
        self.isPersistent = isPersistent
    }
}

/// Where content came from; each loader may use a word of its own.
public struct ContentSource: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An origin.
    public static let network = Self(rawValue: "network")
    /// What the cache had already.
    public static let cache = Self(rawValue: "cache")
    /// A person made it.
    public static let manual = Self(rawValue: "manual")

    public var description: String { rawValue }
}

/// What is being done to a feed now. Content stays while anything else happens.
public enum Activity: Hashable, Sendable {
    /// Nothing. Moves to waiting when a load is accepted.
    case idle
    /// A job is accepted and waits. Moves to loading when a worker is given it, and to idle when it is cancelled, the feed is reset, or a restart
    /// does not find it any more.
    case waiting(JobID, WaitReason)
    /// A job runs; its progress is an item of its own. Moves to idle when the job ends, is to stop, or the feed is reset, and to waiting when its
    /// worker is lost, for the job that joins what was fetched into a user's own list, or for the load that somebody has asked for meanwhile.
    case loading(JobID, cause: LoadCause, attempt: UInt32)

    /// The job behind the activity.
    public var job: JobID? {
        switch self {
        case .idle: nil
        case .waiting(let job, _): job
        case .loading(let job, _, _): job
        }
    }
}
