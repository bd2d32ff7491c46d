//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import GantryClient

@Suite("The turn of a client")
struct ClientLoopTests {
    @Test("a topic beyond the limit is refused by name, and the others are observed")
    func topicLimit() {
        var world = LoopWorld.opened()
        let limit = type(of: world.loop).topicLimit
        for number in 0..<UInt64(limit) { world.turn(.observe(.job(JobID(number + 1)))) }
        #expect(world.loop.replicas.count == limit)
        world.notices = []
        world.turn(.observe(.workers))
        guard case .topicFailed(.workers, let error)? = world.notices.first, world.notices.count == 1 else {
            Issue.record("told: \(world.notices)")
            return
        }
        #expect(error.code == .busy && error.isRetryable)
        #expect(error.context.contains("\(limit)"))
        world.turn(.unobserve(.job(JobID(1))), .observe(.workers))
        #expect(world.loop.replicas.last?.topic == .workers)
    }

    @Test("a topic that the front refuses for good fails and is kept no more; one that only has to wait is asked for again")
    func refusedTopic() throws {
        let unknown = Topic.feed(try #require(FeedKey(name: "things")))
        var world = LoopWorld.opened()
        world.turn(.observe(unknown))
        world.notices = []
        let busy = Failure(code: .busy, text: "too many topics are kept", retryable: true)
        world.send(.snapshotRefused(asked: "feed/things", busy, retryAfter: .milliseconds(100)))
        world.turn()
        #expect(world.notices == [] && world.loop.replicas.count == 1)
        let failure = Failure(code: .unknownFeed, text: "no feed \"things\" is configured")
        for _ in 0..<2 { world.send(.snapshotRefused(asked: "feed/things", failure, retryAfter: .zero)) }
        world.turn()
        #expect(world.notices == [.topicFailed(unknown, ClientError(failure))])
        #expect(world.loop.replicas.isEmpty && world.sockets.topics.isEmpty)
    }

    private let topic = Topic.jobs
    private let bookmark = Publication.bookmark(
        Publication.Bookmark(front: FrontID(7), epoch: Epoch(100), sequence: SequenceNumber(3), checksum: TopicChecksum()))

    private func snapshot(_ topic: Topic, asked: String? = nil) -> FrontMessage {
        var part = FrontMessage.SnapshotPart(
            topic: topic, sequence: SequenceNumber(3), checksum: TopicChecksum(), part: 0, partCount: 1, items: [])
        part.asked = asked
        return .snapshot(part)
    }

    /// A world whose replica of `jobs` is in sync, and whose front has then fallen silent until it was lost.
    private func lost() -> LoopWorld {
        var world = LoopWorld.opened()
        world.turn(.observe(topic))
        world.send(snapshot(topic))
        world.publish(topic, bookmark)
        world.turn()
        #expect(world.takeEvents() == ["snapshot", "verified!"])
        world.run(5_000)
        return world
    }

    @Test("a lost front makes every topic unverified, and a subscription made anew is all that proves it again")
    func lostAndBack() {
        var world = lost()
        #expect(world.sockets.reconnected.contains(.requests))
        #expect(world.takeEvents() == ["lost"])
        #expect(world.loop.replicas.allSatisfy { !$0.isVerified })
        _ = world.takeSent()
        world.sockets.subscriptions = []
        world.send(.welcome(.open(session: world.session, isResumed: true)))
        world.turn()
        #expect(world.takeEvents() == ["back"])
        #expect(world.sockets.subscriptions == ["-jobs", "+jobs"])
        world.publish(topic, bookmark)
        world.turn()
        #expect(world.takeEvents() == ["verified!"])
        let asked = world.takeSent().contains { if case .snapshot = $0 { true } else { false } }
        #expect(!asked)
    }

    @Test("a topic that nothing proves after the front is back asks for a snapshot")
    func backWithoutProof() {
        var world = lost()
        world.send(.welcome(.open(session: world.session, isResumed: true)))
        world.turn()
        _ = world.takeSent()
        world.run(400)
        #expect(world.takeSent().contains { $0 == .snapshot(topic: .jobs) })
    }

    @Test("what is published while the front is lost is shown, but not verified")
    func publishedWhileLost() {
        var world = lost()
        _ = world.takeEvents()
        var changed = TopicChecksum()
        let item = TopicItem(key: Array("counts".utf8), value: [])
        changed.add(key: item.key, value: item.value)
        let position = Publication.Bookmark(front: FrontID(7), epoch: Epoch(100), sequence: SequenceNumber(4), checksum: changed)
        world.publish(topic, .change(Publication.Change(bookmark: position, puts: [item], removes: [])))
        world.turn()
        #expect(world.takeEvents() == ["change"])
    }

    @Test("a front is lost too when the transport has no connection to it")
    func noConnection() {
        var world = LoopWorld.opened()
        world.turn(.observe(topic))
        world.notices = []
        _ = world.takeSent()
        world.sockets.isConnected = false
        world.run(5_000)
        #expect(world.notices.contains(.availability(.lost)))
        #expect(world.takeEvents() == ["lost"])
        // Once there is room again the hello that waited is the only one, and gets its time.
        world.sockets.isConnected = true
        world.turn(after: 60_000)
        #expect(world.takeSent().count == 1)
        #expect(world.sockets.reconnected == [.requests])
    }

    @Test("a feed that was asked for without its defaults is followed under the key that the front names")
    func resolved() throws {
        let (short, whole) = (Topic.feed(.named("items")), Topic.feed(try #require(FeedKey(text: "items?count=100&parameter=sample"))))
        var world = LoopWorld.opened()
        world.turn(.observe(short))
        _ = world.takeSent()
        world.send(snapshot(whole, asked: "feed/items"))
        world.turn()
        #expect(world.sockets.subscriptions == ["+feed/items", "-feed/items", "+\(whole)"])
        #expect(world.takeSent().contains(.snapshotPartRead(topic: whole)))
        world.publish(whole, bookmark)
        world.turn()
        let verified = world.notices.contains {
            if case .topic(let update) = $0 { update.isVerified && update.topic == short } else { false }
        }
        #expect(verified)
        world.turn(.unobserve(short))
        #expect(world.sockets.topics == [])
    }

    enum Source: CaseIterable { case requests, publications, pages }

    @Test("what a turn leaves unread is read in turns that follow at once, from whichever socket it comes", arguments: Source.allCases)
    func unread(source: Source) {
        var world = LoopWorld.opened()
        for _ in 0..<3 * type(of: world.loop).readLimit {
            switch source {
            case .requests: world.send(.heartbeat(.init(lowestUnanswered: RequestNumber(1))))
            case .publications: world.publish(topic, bookmark)
            case .pages: world.sockets.received[.pages, default: []].append([])
            }
        }
        var turns = 0
        repeat {
            world.turn()
            turns += 1
        } while world.loop.nextDeadline <= world.clock.time && turns < 10
        #expect(world.sockets.received.values.allSatisfy(\.isEmpty) && world.sockets.publications.isEmpty)
        #expect(turns > 2, "none reads without end")
    }
}
