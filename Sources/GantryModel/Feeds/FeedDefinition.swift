//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A feed as the configuration declares it, in the form that the front decides by.
package struct FeedDefinition: Hashable, Sendable {
    /// The feed's name.
    package var name: String
    /// The loader of its source: `http`, or the name of one that some worker offers; nil: `source: none`.
    package var sourceLoader: String?
    /// The host that its address names, in small letters and without the brackets of IPv6; nil: it has no address.
    package var sourceHost: String?
    /// The host that the address of its details names; nil: they have none.
    package var detailHost: String?
    /// Settings for the loaders, opaque to the front (JSON text).
    package var settings: [UInt8]
    /// Its parameters.
    package var parameters: [Parameter]
    /// Whether items can be created and updated: its content is then a persistent list.
    package var isEditable: Bool
    /// Whether the source loader fetches the detail of an item; false: the item is the detail.
    package var hasOwnDetails: Bool
    /// Whether the first attachment loads it.
    package var loadsOnAttach: Bool
    /// How loads that somebody asks for follow each other.
    package var loads = FeedLoadRule()
    /// The fields that views may be sorted by, besides `id`, `title`, `createdAt`, `dueAt`.
    package var fields: [String]
    /// How the shared view is sorted at first; nil: the list's own order.
    package var defaultSort: SortOrder?

    /// One declared parameter.
    package struct Parameter: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// Its value when a request gives none.
        package var defaultValue: String?
        /// Whether a request must give it when there is no default.
        package var isRequired: Bool

        /// Declares a parameter.
        package init(name: String, defaultValue: String? = nil, isRequired: Bool = false) {
            self.name = name
            self.defaultValue = defaultValue
            self.isRequired = isRequired
        }
    }

    /// Declares a feed.
    package init(name: String, sourceLoader: String?, settings: [UInt8] = []) {
        self.name = name
        self.sourceLoader = sourceLoader
        self.settings = settings
        self.parameters = []
        self.isEditable = false
        self.hasOwnDetails = false
        self.loadsOnAttach = false
        self.fields = []
    }

    /// The host that is asked for some work; nil: none that is known.
    package func host(of operation: FeedOperation) -> String? {
        switch operation {
        case .detail: detailHost
        case .load, .merge, .create, .update, .sort: sourceHost
        }
    }
}

/// How the loads of a feed that somebody asks for follow each other. What the front begins by itself, because somebody attaches or content is damaged,
/// starts at once, and joins what is under way.
package struct FeedLoadRule: Hashable, Sendable {
    /// A load starts once nobody has asked for a while, or after its longest wait; nil: at once.
    package var debounce: Debounce?
    /// Whether who asks while a load runs gets one more behind it, which all that ask until it starts have together; else that one.
    package var buffersOne = false

    /// Each load starts at once, and who asks meanwhile joins it.
    package init() {}

    /// What it says, for people; empty: what is so for every feed.
    package var line: String {
        let wait = debounce.map { "loads once nobody has asked for \($0.quiet.line), after \($0.longest.line) at most" }
        return [wait, buffersOne ? "loads once more after a running load" : nil].compactMap { $0 }.joined(separator: ", ")
    }
}

extension LoadCause {
    /// Whether a client has asked for that load, now.
    package var isAsked: Bool {
        switch self {
        case .asked, .refresh, .retry: true
        case .attach, .damaged: false
        }
    }
}

extension FeedLimitValue {
    /// Whether jobs of such a feed have it.
    package func isKnown(of feed: FeedDefinition) -> Bool {
        switch self {
        case .host: feed.sourceHost != nil || feed.detailHost != nil
        case .parameter(let name): feed.parameters.contains { $0.name == name }
        }
    }

    /// The value for work of a feed; empty: the feed has none.
    /// - Parameter key: With the defaults of its parameters filled in.
    package func value(for operation: FeedOperation, of key: FeedKey, _ feed: FeedDefinition) -> String {
        switch self {
        case .host: LimitKey.value(for: feed.host(of: operation) ?? "")
        case .parameter(let name): LimitKey.value(for: key.value(of: name) ?? "")
        }
    }
}

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
