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
    package var isPersistent: Bool

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

/// How a list is looked at: one item of the topic `view/<key>/<name>`.
public struct ViewState: Hashable, Sendable {
    /// The view's name; `shared` is everybody's default.
    public var name: String
    /// Raised by one with each change that somebody asked for; `sort`, `filter` and `select` name the version they saw.
    public var version: UInt64
    /// The order that was asked for; nil: the list's own.
    public var sort: SortOrder?
    /// The text that items must contain; empty: all.
    public var filter: String
    /// The id of the selected item.
    public var selection: String?
    /// The selected item's detail.
    public var detail: Detail
    /// What pages are read by; nil while the feed has no content.
    public var revision: ViewRevision?
    /// The job that makes the order that was asked for.
    public var sorting: JobID?
    /// Why the last order could not be made.
    public var failure: Failure?

    /// A view that nobody has touched.
    package init(name: String) {
        self.name = name
        self.version = 0
        self.filter = ""
        self.detail = .idle
    }

    /// Bytes of its texts and of what it holds of its detail.
    package var byteCount: Int {
        detail.byteCount + (failure?.roughByteCount ?? 0) + filter.utf8.count + (selection?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
    }
}

/// What a view's pages are read by: a content and an order of it, changed together.
public struct ViewRevision: Hashable, Sendable {
    /// The list.
    package var content: ObjectReference
    /// The permutation of the list; nil: the list's own order.
    package var order: ObjectReference?
    /// The version of the content.
    public var version: ContentVersion
    /// By what the order was made.
    public var sort: SortOrder?
    /// By what the order was filtered; empty: not filtered.
    public var filter: String

    /// Joins a content and an order of it.
    package init(content: ObjectReference, order: ObjectReference?, version: ContentVersion, sort: SortOrder?, filter: String) {
        self.content = content
        self.order = order
        self.version = version
        self.sort = sort
        self.filter = filter
    }

    /// How many items the view has.
    public var itemCount: UInt64 { order?.itemCount ?? content.itemCount }
}

/// The detail of a view's selected item.
public enum Detail: Hashable, Sendable {
    /// Nothing is selected, or the content that had the item is dropped. Moves to loading when an item is selected.
    case idle
    /// The job fetches it. Moves to loaded, stored or failed with what the job made; to loading by another job when another item is
    /// selected, or the earlier selection is restored, because the job was cancelled or the item is not there; and to idle where there is
    /// no selection to go back to, or the feed is reset.
    case loading(JobID)
    /// JSON text of the item, at most 64 KiB. Stays shown until a newer one takes its place: moves to loaded, stored or failed again when the
    /// content has changed, to loading when another item is selected, and to idle when nothing is, the item is removed or the feed is reset.
    case loaded([UInt8])
    /// A larger JSON text, as an object. Moves as loaded does, and to loading when the object is damaged.
    case stored(ObjectReference)
    /// It could not be had; a retry is asked for by the failure's id. Moves as loaded does.
    case failed(Failure)

    /// Bytes that it holds itself.
    package var byteCount: Int {
        switch self {
        case .idle, .loading, .stored: 0
        case .loaded(let bytes): bytes.count
        case .failed(let failure): failure.roughByteCount
        }
    }
}

/// Which requests of a view the job that makes its order was asked for by.
///
/// The job makes all that the view asks for; its cancel or final failure takes back these requests and no others.
package struct ViewRequests: OptionSet, Hashable, Sendable {
    /// The bits: 1 the sort, 2 the filter.
    package let rawValue: UInt8

    /// The requests of these bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The newest sort.
    package static let sort = ViewRequests(rawValue: 1)
    /// The newest filter.
    package static let filter = ViewRequests(rawValue: 2)
}
