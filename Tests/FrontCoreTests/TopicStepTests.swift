//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// What the loop does for topics counts into the turn, as what the machine decides does.
@Suite("Steps of topics")
struct TopicStepTests {
    private func job(_ number: Int) -> Topic { .job(JobID(UInt64(number))) }

    /// A front with so many workers.
    private func front(workers count: Int = 0) throws -> LoopHarness {
        let front = try LoopHarness()
        for number in 0..<count { _ = try front.register(UInt64(1 + number), at: PeerID(2_000 + UInt64(number))) }
        return front
    }

    /// The steps of a turn that finds something to do, beyond those of one that finds nothing.
    private func steps(of front: LoopHarness, _ change: () -> Void) throws -> Int {
        try front.turn(4)
        let idle = Int(front.loop.stepsOfTurn)
        change()
        try front.turn(1)
        return Int(front.loop.stepsOfTurn) - idle
    }

    @Test("each subscription is one, and each end of one")
    func subscriptions() throws {
        let front = try front()
        front.subscribe(.jobs)
        for isWanted in [true, false] {
            let taken = try steps(of: front) {
                for _ in 0..<300 { front.subscribe(.jobs, isWanted: isWanted) }
            }
            #expect(taken >= 300)
        }
    }

    @Test("each item of a topic that is brought up is a row, and so is each that changes")
    func items() throws {
        let front = try front(workers: 50)
        let rows = 50 * TurnContext.rowSteps
        #expect(try steps(of: front) { front.subscribe(.workers) } >= rows)
        let changed = try steps(of: front) {
            for number in UInt64(1)...50 { front.loop.gathered.change(.workers, ItemKey.worker(WorkerID(number))) }
        }
        #expect(changed >= rows && changed < 2 * rows)
    }

    @Test("each item of a snapshot is one")
    func snapshot() throws {
        let front = try front(workers: 60)
        let session = try front.open()
        front.subscribe(.workers)
        #expect(try steps(of: front) { front.client(PeerID(7), session, .snapshot(topic: .workers)) } >= 60)
    }

    @Test("each bookmark that is due is one, and one more when it is published")
    func bookmarks() throws {
        let front = try front()
        for number in 1...100 { front.subscribe(job(number)) }
        #expect(try steps(of: front) { front.pass(milliseconds: 1_000) } >= 200)
    }

    @Test("each topic that is dropped is one, and each snapshot that nobody has read for so long")
    func dropped() throws {
        let age = LoopSettings().topicAge.wholeMilliseconds
        let front = try front()
        let session = try front.open()
        front.client(PeerID(7), session, (1...100).map { .snapshot(topic: job($0)) })
        #expect(try steps(of: front) { front.pass(milliseconds: age) } >= 100)
        #expect(front.loop.topics.count == 0)
        for number in UInt64(1)...100 {
            let key = SnapshotKey(peer: PeerID(100 + number), session: session, topic: .jobs)
            let queue = SnapshotQueue(key: key, parts: [[1], [1]], byteCount: 10, touchedAt: front.now().monotonic)
            #expect(front.loop.snapshots.begin(queue) == true)
            front.loop.watchSnapshot(key, at: front.now().monotonic)
        }
        #expect(try steps(of: front) { front.pass(milliseconds: age) } >= 100)
        #expect(front.loop.snapshots.count == 0)
    }
}
