//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryClient
package import GantryModel

extension FeedState {
    /// The shape `feed`; a running job's progress joins the activity.
    package func json(progress: JobProgress? = nil) -> JSONValue { ShownFeed(self, progress: progress).json }
}

/// A feed as commands show it: its state, and what came of the request before it.
package struct ShownFeed: Sendable {
    let feed: FeedState
    let progress: JobProgress?
    /// A view of it.
    package var view: ViewState?
    /// The job that was accepted for the request.
    package var job: JobID?
    /// Whether that had been accepted before.
    package var joined: Bool?
    /// The id of the item that was created.
    package var item: String?
    /// How many items that a person had made or changed went with the request.
    package var droppedManualItems: UInt64?

    /// The state alone.
    package init(_ feed: FeedState, progress: JobProgress? = nil) { (self.feed, self.progress) = (feed, progress) }

    /// The shape `feed`.
    package var json: JSONValue { Self.shape.json(self) }

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
            .always("activity", .shape(ShownActivity.shape), "What runs.") {
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

extension JobProgress {
    /// The shape `progress`.
    package var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<JobProgress>(
        "progress", "How far a job is.",
        [
            .sometimes("percent", .count(to: 100), "Where the total is known.") { $0.percent },
            .always("completed", .count, "What is done so far, in `unit`.") { $0.completed },
            .sometimes("total", .count, "What there is to do, where that is known.") { $0.total },
            .sometimes("unit", .word(of: ["bytes", "items"]), "What is counted.") { $0.unit.isEmpty ? nil : $0.unit },
            .sometimes("message", .text, "One short sentence for people.") { $0.message.isEmpty ? nil : $0.message },
        ])
}

/// What is being done, with how far it is.
struct ShownActivity: Sendable {
    private enum State: String, CaseIterable { case idle, waiting, loading }

    let activity: Activity
    let progress: JobProgress?

    private var state: State {
        switch activity {
        case .idle: .idle
        case .waiting: .waiting
        case .loading: .loading
        }
    }

    private var waitReason: WaitReason? { if case .waiting(_, let reason) = activity { reason } else { nil } }

    private var run: (cause: LoadCause, attempt: UInt32)? {
        if case .loading(_, let cause, let attempt) = activity { (cause, attempt) } else { nil }
    }

    static let shape = JSONShape<ShownActivity>(
        "activity", "What runs for a feed.",
        [
            .always("state", .word, "Whether a job waits or runs.") { $0.state },
            .sometimes("job", .id, "That job.") { $0.activity.job },
            .sometimes("waitReason", .shape(WaitReason.shape), "Why it waits.") { $0.waitReason },
            .sometimes("cause", .word(LoadCause.allCases) { $0.name }, "Why it was started.") { $0.run?.cause },
            .sometimes("attempt", .count, "How often it was granted.") { $0.run?.attempt },
            .sometimes("progress", .shape(JobProgress.shape), "How far it is.") { $0.run == nil ? nil : $0.progress },
        ])
}

extension FeedPage {
    /// Each item as JSON text on one line.
    package var itemLines: [String] { items.map { JSONValue.embedded($0).text } }

    /// The shape `page`; `next` is the offset of the next page.
    package var json: JSONValue { Self.shape.json(self) }

    private var next: UInt64? {
        let end = offset + UInt64(items.count)
        return end < itemCount ? end : nil
    }

    static let shape = JSONShape<FeedPage>(
        "page", "Items of a feed as a view shows them.",
        [
            .always("items", .list(of: .embedded), "In order.") { $0.items },
            .sometimes("next", .text, "The offset of the next page, where there is one.") { $0.next.map(String.init) },
            .always("offset", .count, "The first item's position.") { $0.offset },
            .always("itemCount", .count, "How many items the view has in all.") { $0.itemCount },
            .always("revision", .shape(ViewRevision.shape), "What the page was read by.") { $0.revision },
        ])
}

extension FeedState {
    /// One line for people: what went wrong, what there is, what is in progress.
    package func line(progress: JobProgress? = nil) -> String {
        phrases(failure.map { "failed: \($0.line)" }, progress).joined(separator: "; ")
    }

    /// The same for a terminal: what went wrong is only named, its sentence is a line of its own.
    package func shortLine(progress: JobProgress? = nil) -> String { phrases(progress: progress).joined(separator: "; ") }

    /// The phrases of that line.
    func phrases(progress: JobProgress?) -> [String] { phrases(failure.map { "failed: \($0.code)" }, progress) }

    private func phrases(_ failed: String?, _ progress: JobProgress?) -> [String] {
        var parts = failed.map { [$0] } ?? []
        parts.append(content.map { failure == nil ? $0.line : $0.datedLine } ?? "no content yet")
        switch activity {
        case .idle: break
        case .waiting(let job, let reason): parts.append("job \(job) waits: \(reason.line)")
        case .loading(let job, _, _): parts.append("loading (job \(job))" + (progress.map { " " + $0.line } ?? ""))
        }
        return parts
    }
}

extension FeedContent {
    /// One phrase for people, for example `6 items (network)`.
    package var line: String { line(nil) }

    /// The same beside a failure, after which nobody knows whether the content is up to date: says when it came.
    var datedLine: String { line("of \(storedAt.minute)") }

    private func line(_ age: String?) -> String {
        let notes = [origin, age, isPersistent ? "saved on disk" : nil].compactMap(\.self)
        return "\(counted(object.itemCount, "item")) (\(notes.joined(separator: ", ")))"
    }

    /// Where it comes from, in a word or two for people.
    package var origin: String { source == .manual ? "edited locally" : source.rawValue }
}

extension Failure {
    /// The code and the sentence.
    package var line: String { "\(code): \(text)" }
}

extension JobProgress {
    /// One phrase for people, for example `40 % (4 of 10 items) reading`.
    package var line: String {
        var parts: [String] = []
        if let percent { parts.append("\(percent) %") }
        if !unit.isEmpty { parts.append(total.map { "(\(completed) of \($0) \(unit))" } ?? "(\(completed) \(unit))") }
        if !message.isEmpty { parts.append(message) }
        return parts.joined(separator: " ")
    }
}
