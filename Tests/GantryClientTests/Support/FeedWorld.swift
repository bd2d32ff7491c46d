//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Loading
import TestSupport

@testable import GantryClient

/// A feed at a front and the machine of a remote feed that follows it; pages are texts.
struct FeedWorld {
    var machine = RemoteFeedMachine<String>(limit: 50)
    var feed = FeedState(key: .named("products"))
    var view = ViewState(name: "shared")
    var epoch = Epoch(1)
    var progress: JobProgress?
    private(set) var actions: [RemoteFeedAction<String>] = []
    private var wanted: PageTarget?

    /// A world that shows the given version of the content.
    static func loaded(_ version: UInt64) -> FeedWorld {
        var world = FeedWorld()
        _ = world.call(.attach)
        world.setContent(version)
        world.send()
        world.readPage("page \(version)")
        _ = world.takeWords()
        return world
    }

    mutating func call(_ kind: RemoteFeedCall.Kind) -> RemoteFeedCall.ID? { machine.called(kind, into: &actions) }

    mutating func act(_ body: (inout RemoteFeedMachine<String>, inout [RemoteFeedAction<String>]) -> Void) { body(&machine, &actions) }

    /// The front has a content that a job made which was accepted at that many milliseconds.
    mutating func setContent(_ version: UInt64, sorted: Bool = true) {
        let object = ObjectReference(digest: ObjectDigest(words: (version, 0, 0, 0)), byteCount: 10, itemCount: version)
        feed.content = FeedContent(
            object: object, version: ContentVersion(version), source: .network, storedAt: WallTime(milliseconds: Int64(version)))
        if sorted {
            view.revision = ViewRevision(content: object, order: nil, version: ContentVersion(version), sort: nil, filter: "")
        }
    }

    mutating func sendFeed() { machine.feedChanged(feed, progress, of: FrontID(7), epoch, into: &actions) }

    mutating func sendView() { machine.viewChanged(view, into: &actions) }

    mutating func send() {
        sendFeed()
        sendView()
    }

    /// A job of that number, accepted at that many milliseconds, has ended.
    mutating func end(_ call: RemoteFeedCall.ID?, _ number: UInt64, _ state: JobState = .succeeded) {
        let job = JobSummary(id: JobID(number), loader: "http", state: state, acceptedAt: WallTime(milliseconds: Int64(number)))
        machine.workEnded(call ?? 0, job, into: &actions)
    }

    /// Answers the newest wish to read.
    mutating func readPage(_ text: String) { readPage(.loaded(text)) }

    mutating func readPage(_ state: LoadingState<String>) {
        noteTarget()
        if let wanted { machine.pageRead(wanted, state, into: &actions) }
    }

    /// Answers the newest wish of an earlier world.
    mutating func readPage(_ text: String, for earlier: FeedWorld) {
        if let wanted = earlier.wanted { machine.pageRead(wanted, .loaded(text), into: &actions) }
    }

    private mutating func noteTarget() {
        for case .read(let target) in actions { wanted = target }
    }

    /// The actions since the last call, as words; whether it is verified is told apart.
    mutating func takeWords() -> [String] {
        noteTarget()
        defer { actions = [] }
        return actions.compactMap { action in
            switch action {
            case .verify: nil
            case .show(let state): "show \(state)"
            case .follow: "follow"
            case .leave: "leave"
            case .read(let target): "read \(target.revision.version) from \(target.offset)"
            case .finish(let call): "finish \(call)"
            case .limitGracePeriod(let call): "limit \(call)"
            }
        }
    }
}
