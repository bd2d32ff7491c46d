//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
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
        #expect(front.loop?.deadlines.contains(.slowPeers) == false)
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
        let (session, loop) = (try front.open(client), try #require(front.loop))
        let key = SnapshotKey(peer: client, session: session, topic: .jobs)
        let now = front.now().monotonic
        #expect(loop.snapshots.begin(SnapshotQueue(key: key, parts: [[1], [2], [3]], byteCount: 3, touchedAt: now)) == true)
        loop.watchSnapshot(key, at: now)
        try front.turn(1)
        #expect(front.deadline == after(60_000, front))
        front.pass(milliseconds: 40_000)
        #expect(loop.snapshots.confirm(key, at: front.now().monotonic) == true)
        front.pass(milliseconds: 20_000)
        try front.turn(2)
        #expect(loop.snapshots.count == 1 && front.deadline == after(40_000, front))
        front.pass(milliseconds: 40_000)
        try front.turn(1)
        #expect(loop.snapshots.count == 0 && loop.deadlines.count == 0)
    }
}
