//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("What the loop itself does by the mere passing of time")
struct OwnDeadlineTests {
    private let client = PeerID(7)

    /// A front that has something for a client whose pipe is full.
    private func owing() throws -> LoopHarness {
        let front = try LoopHarness()
        let session = try front.open(client)
        front.results[client] = .full
        front.client(client, session, .snapshot(topic: .workers))
        try front.turn()
        return front
    }

    private func after(_ milliseconds: Int64, _ front: LoopHarness) -> MonotonicTime {
        front.now().monotonic.advanced(by: .milliseconds(milliseconds))
    }

    @Test("a peer whose pipe was full is tried again each 5 ms until it has room")
    func slowPeer() throws {
        let front = try owing()
        #expect(front.deadline == after(5, front))
        front.pass(milliseconds: 5)
        try front.turn(2)
        #expect(front.deadline == after(5, front))
        front.results[client] = nil
        front.pass(milliseconds: 5)
        try front.turn(1)
        #expect(try front.takeMessages(to: client).count == 1)
        front.pass(milliseconds: 5)
        try front.turn(2)
        #expect(front.deadline.map { $0 > after(100, front) } ?? true)
        #expect(front.loop.deadlines.contains(.slowPeers) == false)
    }

    @Test("a peer that has room before it would be tried again wakes the loop for nothing no more")
    func emptied() throws {
        let front = try owing()
        front.results[client] = nil
        front.pass(milliseconds: 1)
        try front.turn(1)
        #expect(try front.takeMessages(to: client).count == 1)
        #expect(front.loop.deadlines.contains(.slowPeers) == false)
    }

    @Test("without authority no peer is tried, and nothing wakes the loop for it; the journal does, once there is some again")
    func lapsed() throws {
        let front = try owing()
        front.authority = front.now().monotonic
        front.pass(milliseconds: 5)
        try front.turn(1)
        front.pass(milliseconds: 5)
        let count = front.frameCounts[client]
        try front.turn(2)
        #expect(front.deadline.map { $0 > after(100, front) } ?? true)
        #expect(front.frameCounts[client] == count)
        front.authority = .distantFuture
        try front.turn(2)
        #expect(front.deadline == after(5, front))
    }

    @Test("a snapshot of which parts were left unread ends at its time, and a part that is read moves that")
    func snapshots() throws {
        let front = try LoopHarness()
        let session = try front.open(client)
        let key = SnapshotKey(peer: client, session: session, topic: .jobs)
        let now = front.now().monotonic
        #expect(front.loop.snapshots.begin(SnapshotQueue(key: key, parts: [[1], [2], [3]], byteCount: 3, touchedAt: now)) == true)
        front.loop.watchSnapshot(key, at: now)
        try front.turn(1)
        #expect(front.deadline == after(60_000, front))
        front.pass(milliseconds: 40_000)
        #expect(front.loop.snapshots.confirm(key, at: front.now().monotonic) == true)
        front.pass(milliseconds: 20_000)
        try front.turn(2)
        #expect(front.loop.snapshots.count == 1 && front.deadline == after(40_000, front))
        front.pass(milliseconds: 40_000)
        try front.turn(1)
        #expect(front.loop.snapshots.count == 0 && front.loop.deadlines.count == 0)
    }

    @Test("bookmarks of an observed topic come at their times, and the loop sleeps until the next one")
    func bookmarks() throws {
        let front = try LoopHarness()
        front.subscribe(.workers)
        try front.turn()
        _ = front.takePublished()
        for second in [1, 1, 2, 4, 10] as [Int64] {
            // Nothing but the bookmark is left to be done.
            try front.turn(2)
            #expect(front.takePublished().isEmpty && front.deadline == after(second * 1_000, front))
            front.pass(milliseconds: second * 1_000)
            try front.turn(1)
            let published = front.takePublished()
            #expect(published.count == 1 && published.allSatisfy { if case .bookmark = $0 { true } else { false } }, "\(second)")
        }
    }

    @Test("a topic that nobody observes any more goes after its time, and the loop wakes for it once")
    func idleTopic() throws {
        let front = try LoopHarness()
        front.subscribe(.workers)
        try front.turn(1)
        front.pass(milliseconds: 1_000)
        front.subscribe(.workers, isWanted: false)
        // The bookmark that was noted is passed over, and what observers of `front` would be told has its own time.
        for _ in 0..<3 {
            try front.turn(1)
            front.pass(milliseconds: 1_000)
        }
        try front.turn(1)
        #expect(front.deadline == after(57_000, front) && front.loop.topicCounts.kept == 0 && front.loop.topics.isLive(.workers))
        front.pass(milliseconds: 57_000)
        try front.turn(1)
        #expect(!front.loop.topics.isLive(.workers) && !front.loop.deadlines.contains(.idleTopics))
    }

    @Test("what observers of `front` are told of topics is said a second after it was said last, once")
    func topicCounts() throws {
        let front = try LoopHarness()
        front.subscribe(.front)
        front.pass(milliseconds: 5_000)
        try front.turn(2)
        #expect(front.loop.known.subscriptions == 1 && !front.loop.deadlines.contains(.topicCounts))
        front.subscribe(.jobs)
        front.pass(milliseconds: 400)
        try front.turn(1)
        #expect(front.loop.known.subscriptions == 1 && front.loop.deadlines.contains(.topicCounts))
        front.pass(milliseconds: 599)
        try front.turn(1)
        #expect(front.loop.known.subscriptions == 1)
        front.pass(milliseconds: 1)
        try front.turn(1)
        #expect(front.loop.known.subscriptions == 2 && !front.loop.deadlines.contains(.topicCounts))
    }
}
