//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Loading
import Synchronization
import TestSupport
import Testing

@testable import GantryClient

@MainActor
@Suite("What a remote feed takes from the front's topics", .timeLimit(.minutes(5)))
struct RemoteFeedTopicsTests {
    private let service = ScriptedFeedService()
    private let clock = ManualClock()

    private func make(view: String = "shared") -> RemoteFeed<Int> {
        RemoteFeed(service, service.key, view: view, limit: 50, clock: clock) { $0.items.count }
    }

    private func sees(_ feed: RemoteFeed<Int>, _ condition: (LoadingState<Int>) -> Bool) async {
        for await state in feed.state where condition(state) { return }
    }

    @Test("it is attached with its own view and follows that one, and no other")
    func ownView() async {
        let feed = make(view: "mine")
        await feed.attach()
        service.script.withLock { script in
            #expect(script.places == [FeedAttachments.Place(key: service.key, view: "mine")])
            #expect(script.topics == [.feed(service.key), .view(service.key, "mine")])
        }
    }

    @Test("the progress of the job is shown")
    func progress() async {
        var world = FeedWorld()
        world.feed.activity = .loading(JobID(4), cause: .asked, attempt: 1)
        service.put(world.feed, world.view, JobProgress(percent: 40, completed: 4, total: 10, unit: "items", message: "reading"))
        let feed = make()
        await feed.attach()
        await sees(feed) { $0 == .loading(LoadingProgress(message: "reading 4 of 10 items", percent: 40)) }
    }

    @Test("a state that is not verified, as after a gap or before the front has answered, shows nothing")
    func unverified() async {
        var world = FeedWorld()
        world.setContent(9)
        world.feed.activity = .loading(JobID(9), cause: .asked, attempt: 1)
        service.put(world.feed, world.view, isVerified: false)
        let feed = make()
        let attach = Task { await feed.attach() }
        await service.when { $0.attachments == 1 }
        // Whoever would take the state has had its turn after some rounds of the main actor.
        for _ in 0..<20 { await Task { @MainActor in }.value }
        #expect(feed.currentState == .idle)
        world.setContent(4)
        world.feed.activity = .idle
        service.put(world.feed, world.view)
        await attach.value
        await sees(feed) { $0 == .loaded(4) }
        #expect(service.script.withLock { $0.reads.map(\.revision.version) } == [ContentVersion(4)])
    }

    @Test("a load whose outcome the topics never tell returns after a while with the state as it is")
    func silentTopics() async {
        let feed = make()
        await feed.attach()
        let load = Task { await feed.load() }
        service.note(4, .succeeded)
        await clock.whenAsleep(until: .seconds(2))
        #expect(feed.currentState.isLoading)
        clock.advance(by: .seconds(2))
        await load.value
        #expect(feed.currentState == .idle)
    }

    @Test("a refused request is the failure until the feed changes, and the feed is followed on")
    func refusedRequest() async {
        service.script.withLock { $0.answer = .failure(ClientError(.busy, "too many requests")) }
        let feed = make()
        await feed.attach()
        await feed.load()
        #expect((feed.currentState.error as? ClientError)?.code == .busy)
        var world = FeedWorld()
        world.setContent(4)
        service.put(world.feed, world.view)
        await sees(feed) { $0 == .loaded(4) }
    }
}
