//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Rows under way")
struct RowsUnderWayTests {
    private let client = PeerID(7)

    /// A front with a session, of which so many rows may be under way; none becomes durable by itself.
    private func serving(_ rows: Int, _ change: (inout LoopSettings) -> Void = { _ in }) throws -> (LoopHarness, SessionID) {
        var settings = LoopSettings()
        settings.rowsUnderWay = rows
        change(&settings)
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        front.holdsRows = true
        return (front, session)
    }

    /// Submits a job in each of so many turns.
    private func submit(_ numbers: ClosedRange<UInt64>, _ front: LoopHarness, _ session: SessionID) throws {
        for number in numbers {
            front.client(client, session, LoopHarness.submit(number, 1))
            try front.turn(1)
        }
    }

    @Test("are as many as the setting says; what comes then gathers in one next row", arguments: 1...4)
    func bound(rows: Int) throws {
        let (front, session) = try serving(rows)
        try submit(1...6, front, session)
        #expect(front.held.count == rows)
        #expect(front.deadline != front.now().monotonic)
        for _ in 0..<rows { front.release() }
        try front.turn(1)
        #expect(try front.takeReplies().keys.sorted() == Array(1...UInt64(rows)))
        #expect(front.held.count == 1)
        front.release()
        try front.turn(1)
        #expect(try front.takeReplies().keys.sorted() == Array(UInt64(rows) + 1...6))
    }

    @Test("a turn leaves once its row and all before it are durable, and no other one with it")
    func order() throws {
        let (front, session) = try serving(3)
        try submit(1...3, front, session)
        front.journalSays(.durable(front.held[1].turn))
        try front.turn(1)
        #expect(try front.takeReplies().keys.sorted() == [1, 2])
        front.journalSays(.durable(front.held[2].turn))
        try front.turn(1)
        #expect(try front.takeReplies().keys.sorted() == [3])
    }

    @Test("what needs no row waits for those under way, since it may tell of them; the loop sleeps until then")
    func withoutEntries() throws {
        let (front, session) = try serving(3)
        try submit(1...1, front, session)
        front.client(client, session, .snapshot(topic: .workers))
        try front.turn(2)
        #expect(try front.takeMessages().isEmpty)
        #expect(front.held.count == 1 && front.deadline != front.now().monotonic)
        front.release()
        try front.turn(1)
        #expect(try front.takeMessages().count == 2)
    }

    @Test("a row in doubt is handed over again with those behind it, byte for byte; nothing leaves meanwhile, and each turn leaves once")
    func inDoubt() throws {
        let (front, session) = try serving(3)
        try submit(1...3, front, session)
        let rows = front.held
        front.release()
        front.journalSays(.inDoubt(rows[1].turn))
        front.client(client, session, LoopHarness.submit(4, 1))
        try front.turn(2)
        #expect(Array(front.held.dropFirst(2).prefix(2)) == [rows[1], rows[2]])
        #expect(try front.takeReplies().keys.sorted() == [1])
        front.journalSays(.durable(rows[2].turn))
        front.journalSays(.durable(rows[2].turn))
        try front.turn(1)
        #expect(try front.takeMessages().count == 2)
        #expect(front.held.last?.turn == rows[2].turn.advanced())
    }

    @Test("a row in doubt that became durable after all is not handed over again")
    func doubtIsOver() throws {
        let (front, session) = try serving(2)
        try submit(1...1, front, session)
        let turn = front.held[0].turn
        front.journalSays(.durable(turn))
        front.journalSays(.inDoubt(turn))
        try front.turn(1)
        #expect(front.held.count == 1)
    }

    @Test("a full disk holds what is behind the row that does not fit, and no further row is handed over")
    func fullDisk() throws {
        let (front, session) = try serving(3)
        try submit(1...2, front, session)
        for _ in 0..<2 { front.journalSays(.full) }
        front.release()
        try front.turn(1)
        // The row that did not fit is durable: whether the next one fits is not known.
        #expect(!front.loop.isStuck)
        front.journalSays(.full)
        front.client(client, session, LoopHarness.request(3, .job(.cancel(JobID(1)))))
        try front.turn(2)
        #expect(front.loop.isStuck && front.held.count == 1)
        front.release()
        try front.turn(2)
        #expect(!front.loop.isStuck)
    }

    @Test("names count for collection once the turn that they were noted in is durable, whatever is before it")
    func names() throws {
        let (front, session) = try serving(2)
        try submit(1...1, front, session)
        front.pass(milliseconds: 300_000)
        front.client(client, session, LoopHarness.submit(2, 1))
        try front.turn(1)
        let before = front.loop.collectable(now: front.now().wall).olderThan
        front.release()
        try front.turn(1)
        #expect(front.loop.collectable(now: front.now().wall).olderThan == before)
        front.release()
        try front.turn(1)
        #expect(front.loop.collectable(now: front.now().wall).olderThan == before.advanced(by: .milliseconds(300_000)))
    }

    @Test("a slice of a checkpoint alone waits until nothing is under way: no row that somebody waits for stands behind it")
    func slices() throws {
        let (front, session) = try serving(3) { settings in
            settings.checkpointByteCount = 1
            settings.sliceChunks = 1
        }
        front.client(client, session, LoopHarness.submit(1, 2_000))
        try front.turn(3)
        // The first row was not durable when the checkpoint was due.
        #expect(front.held.count == 1)
        front.release()
        try front.turn(3)
        #expect(front.held.count == 1 && front.held[0].slice != nil && front.held[0].entries.isEmpty)
        #expect(front.deadline != front.now().monotonic)
        try submit(2...2, front, session)
        #expect(front.held.count == 2 && front.held[1].slice != nil)
    }
}
