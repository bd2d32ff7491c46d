//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a worker gets about a feed's job, resolved at the moment of the grant.
package struct FeedWork: Hashable, Sendable {
    /// The feed.
    package var key: FeedKey
    /// What to do.
    package var operation: FeedOperation
    /// The loader's settings of the configuration, opaque to the front (JSON text).
    package var settings: [UInt8]
    /// The content to start from; nil: none yet.
    package var content: ObjectReference?
    /// The fetched source that a merge joins into the content.
    package var source: ObjectReference?
    /// The view that the order is for.
    package var view: String
    /// The order to make; nil: the list's own.
    package var sort: SortOrder?
    /// The text that items must contain; empty: all.
    package var filter: String
    /// The view's selected id, to be looked up; the item of an update or a detail.
    package var itemID: String?
    /// The item of a create or an update: JSON text, at most 64 KiB.
    package var item: [UInt8]
    /// When the job was accepted: `createdAt` of what it makes.
    package var acceptedAt: WallTime
    /// Whether what it makes is the user's own data: synced to disk before it is reported.
    package var isPersistent: Bool

    /// Work on a feed; everything else is filled in by the caller.
    package init(key: FeedKey, operation: FeedOperation, settings: [UInt8], acceptedAt: WallTime) {
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
package struct FeedResult: Hashable, Sendable {
    /// The new list of a load, merge, create or update.
    package var content: ObjectReference?
    /// The order of the view that the work named.
    package var order: ObjectReference?
    /// Whether the selected item that the work named is in the list; true when none was named.
    package var selectionFound: Bool
    /// The id of the created item.
    package var itemID: String?
    /// The detail of an item, JSON text of at most 64 KiB.
    package var detail: [UInt8]
    /// The detail of an item when it is larger.
    package var detailObject: ObjectReference?
    /// Where the content came from.
    package var source: ContentSource

    /// A result that makes nothing yet.
    package init(source: ContentSource = .network) {
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
