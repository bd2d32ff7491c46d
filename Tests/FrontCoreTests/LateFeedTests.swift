//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("What comes late for feeds, views and topics, and is counted by why")
struct LateFeedTests {
    @Test("a session detaches from a view that it is not attached to")
    func notRegistered() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        _ = world.front.ask(.feed(key, .attach(view: "mine")))
        _ = world.front.ask(.feed(key, .detach(view: "mine")))
        #expect(world.front.late.isEmpty)
        _ = world.front.ask(.feed(key, .detach(view: "mine")))
        #expect(world.front.late == [.viewNotAttached: 1])
    }

    @Test("a detail comes for a view that is forgotten by then")
    func viewForgotten() throws {
        var world = FeedWorld { $0.bounds.viewAge = .seconds(2) }
        let key = try FeedWorld.key("items?parameter=sample")
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        let select = try world.accept(.feed(key, .select(view: "mine", itemID: "1", version: nil)))
        world.grant()
        // Nobody waits for it from now on, but the worker has not stopped it.
        _ = world.front.ask(.feed(key, .select(view: "mine", itemID: nil, version: nil)))
        #expect(world.front.late == [.detailNotAwaited: 1])
        world.front.pass(milliseconds: 2_000)
        world.worker.take(world.worker.renew(&world.front))
        world.grant()
        #expect(world.front.view(key, "mine") == nil)
        world.worker.take(world.worker.end(select.rawValue, .cancelled, in: &world.front))
        #expect(world.front.late == [.detailNotAwaited: 1, .viewForgotten: 1])
    }

    @Test("an end comes of a feed's job that nobody knows any more: nothing is taken of it, whatever it made")
    func jobForgotten() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("items?parameter=sample")
        let load = try world.accept(.feed(key, .load))
        world.grant()
        let feed = try #require(world.front.feed(key))
        var result = FeedResult()
        result.content = world.object()
        // The queue has each end handled before it forgets a job, so only a front that contradicts itself says this.
        let forgotten = JournalEntry.FeedJob(
            job: JobID(load.rawValue + 100), key: key, operation: .load, loader: "http", acceptedAt: world.front.now.wall)
        world.front.machine.queue.note(.ended(.succeeded, nil, result), of: forgotten)
        #expect(world.front.settle().isEmpty)
        #expect(world.front.late == [.jobForgotten: 1])
        #expect(world.front.feed(key) == feed)
    }

    @Test("a part was read of a topic that there is not")
    func topicUnknown() throws {
        var front = FrontHarness()
        front.open()
        let unknown = try FeedWorld.key("nobody")
        #expect(front.send(.snapshotPartRead(topic: .feed(unknown))).isEmpty)
        #expect(front.late == [.topicUnknown: 1])
        #expect(!front.send(.snapshotPartRead(topic: .jobs)).isEmpty)
        #expect(front.late == [.topicUnknown: 1])
    }

    @Test("a job begins to be observed twice, and ends to be twice")
    func observedTwice() {
        var front = FrontHarness()
        front.open()
        let job = Topic.job(front.submit(1))
        for isObserved in [true, true, false, false] { front.handle(.topicObserved(job, isObserved)) }
        #expect(front.late == [.topicObserved: 1, .topicNotObserved: 1])
    }

    @Test("a subscription ends that found no room, and one that nobody has told the front of")
    func notSubscribed() throws {
        var settings = LoopSettings()
        settings.subscriptions = 1
        let front = try LoopHarness(loop: settings)
        front.subscribe(.job(JobID(1)))
        front.subscribe(.job(JobID(2)))
        front.subscribe(.job(JobID(1)), isWanted: false)
        try front.turn()
        #expect(front.loop.refusals.late.isEmpty == true)
        front.subscribe(.job(JobID(2)), isWanted: false)
        front.subscribe(.jobs, isWanted: false)
        try front.turn()
        #expect(front.loop.refusals.late == [.topicNotObserved: 2])
    }

    @Test("a part was read of a snapshot that has ended")
    func snapshotEnded() throws {
        let front = try LoopHarness()
        let session = try front.open()
        front.client(PeerID(7), session, .snapshotPartRead(topic: .jobs))
        try front.turn()
        #expect(front.loop.refusals.late == [.snapshotSent: 1])
    }
}
