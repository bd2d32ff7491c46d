//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FeedState {
    /// The shape `feed`; a running job's progress joins the activity.
    public func json(progress: Progress? = nil) -> JSONValue { ShownFeed(self, progress: progress).json }
}

/// A feed as commands show it: its state, and what came of the request before it.
public struct ShownFeed: Sendable {
    let feed: FeedState
    let progress: Progress?
    /// A view of it.
    public var view: ViewState?
    /// The job that was accepted for the request.
    public var job: JobID?
    /// Whether that had been accepted before.
    public var joined: Bool?
    /// The id of the item that was created.
    public var item: String?
    /// How many items that a person had made or changed went with the request.
    public var droppedManualItems: UInt64?

    /// The state alone.
    public init(_ feed: FeedState, progress: Progress? = nil) { (self.feed, self.progress) = (feed, progress) }

    /// The shape `feed`.
    public var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<ShownFeed>(
        "feed", "The shared state of a feed.",
        [
            .always("key", .text, "The feed's key.") { $0.feed.key.text },
            .always("name", .text, "Its name, the first part of the key.") { $0.feed.key.name },
            .always("parameters", .texts, "Its parameters, the rest of the key.") {
                $0.feed.key.parameters.map { JSONValue.Member($0.name, text: $0.value) }
            },
            .always("isEditable", .bool, "Whether items can be created and updated.") { $0.feed.isEditable },
            .sometimes("content", .shape(FeedContent.shape), "What there is, as soon as there is something.") { $0.feed.content },
            .always("activity", .shape(ShownActivity.shape), "What is being done.") {
                ShownActivity(activity: $0.feed.activity, progress: $0.progress)
            },
            .sometimes("failure", .shape(Failure.shape), "What went wrong last, until a success, a reset or a cancel.") { $0.feed.failure },
            .sometimes("view", .shape(ShownView.shape), "A view of it, as `gantry feed show` prints it.") {
                $0.view.map { ShownView(view: $0) }
            },
            .sometimes("job", .id, "The job that the command waited for.") { $0.job },
            .sometimes("joined", .bool, "Whether that job had been accepted before the command asked.") { $0.joined },
            .sometimes("item", .text, "The id of the item that the command created.") { $0.item },
            .sometimes("droppedManualItems", .count, "How many items that a person had made or changed the command dropped.") {
                $0.droppedManualItems
            },
        ])

    static let list = ShownList<ShownFeed>.shape("feeds", "A list of feeds.", of: .shape(shape))
}

extension FeedContent {
    static let shape = JSONShape<FeedContent>(
        "content", "What a feed holds: a reference, never the items.",
        [
            .always("object", .digest, "The list in the cache.") { $0.object.digest },
            .always("itemCount", .count, "How many items it has.") { $0.object.itemCount },
            .always("sizeBytes", .count, "Its size in the cache.") { $0.object.byteCount },
            .always("version", .count, "Raised by one with each change of the content.") { $0.version.rawValue },
            .always("source", .text, "Where it came from: `network`, `cache`, `manual`.") { $0.source.rawValue },
            .always("storedAt", .time, "When the load that made it was accepted.") { $0.storedAt },
            .always("isPersistent", .bool, "Whether it is the user's own data rather than something that can be loaded again.") {
                $0.isPersistent
            },
        ])
}

extension Progress {
    /// The shape `progress`.
    public var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<Progress>(
        "progress", "How far a job is.",
        [
            .sometimes("percent", .count(to: 100), "Where the total is known.") { $0.percent },
            .always("completed", .count, "What is done so far, in `unit`.") { $0.completed },
            .sometimes("total", .count, "What there is to do, where that is known.") { $0.total },
            .sometimes("unit", .word(of: ["bytes", "items"]), "What is counted.") { $0.unit.isEmpty ? nil : $0.unit },
            .sometimes("message", .text, "One short sentence for people.") { $0.message.isEmpty ? nil : $0.message },
        ])
}
