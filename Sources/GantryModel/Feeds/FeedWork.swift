//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a worker is told about a feed's job, resolved at the moment of the grant.
public struct FeedWork: Hashable, Sendable {
    /// The feed.
    public var key: FeedKey
    /// What to do.
    public var operation: FeedOperation
    /// The loader's settings of the configuration, opaque to the front (JSON text).
    public var settings: [UInt8]
    /// The content to start from; nil: none yet.
    public var content: ObjectReference?
    /// The fetched source that a merge joins into the content.
    public var source: ObjectReference?
    /// The view that the order is for.
    public var view: String
    /// The order to make; nil: the list's own.
    public var sort: SortOrder?
    /// The text that items must contain; empty: all.
    public var filter: String
    /// The view's selected id, to be looked up; the item of an update or a detail.
    public var itemID: String?
    /// The item of a create or an update: JSON text, at most 64 KiB.
    public var item: [UInt8]
    /// When the job was accepted: `createdAt` of what it makes.
    public var acceptedAt: WallTime
    /// Whether what it makes is the user's own data: synced to disk before it is reported.
    public var isPersistent: Bool

    /// Work on a feed; everything else is filled in by the caller.
    public init(key: FeedKey, operation: FeedOperation, settings: [UInt8], acceptedAt: WallTime) {
        self.key = key
        self.operation = operation
        self.settings = settings
        self.view = ViewName.shared
        self.filter = ""
        self.item = []
        self.acceptedAt = acceptedAt
        self.isPersistent = false
    }
}

/// What a feed's job made: references and small facts, never the items.
public struct FeedResult: Hashable, Sendable {
    /// The new list of a load, merge, create or update.
    public var content: ObjectReference?
    /// The order of the view that the work named.
    public var order: ObjectReference?
    /// Whether the selected item that the work named is in the list; true when none was named.
    public var selectionFound: Bool
    /// The id of the created item.
    public var itemID: String?
    /// The detail of an item, JSON text of at most 64 KiB.
    public var detail: [UInt8]
    /// The detail of an item when it is larger.
    public var detailObject: ObjectReference?
    /// Where the content came from.
    public var source: ContentSource

    /// A result that makes nothing yet.
    public init(source: ContentSource = .network) {
        self.selectionFound = true
        self.detail = []
        self.source = source
    }
}

/// Names of the loaders that come with Gantry.
package enum LoaderName {
    /// Sorts, filters and edits the lists of feeds: what the front itself asks for.
    package static let list = "list"
    /// Loads lists and details from a JSON API.
    package static let http = "http"
    /// Answers each job with its argument.
    package static let noop = "noop"
    /// Waits.
    package static let sleep = "sleep"

    /// All of them; none can be the name of a feed's own loader.
    package static let all = [http, list, noop, sleep]
}
