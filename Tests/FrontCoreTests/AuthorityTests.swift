//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("A front that may not be the writer any more")
struct AuthorityTests {
    private let client = PeerID(7)
    private let worker = PeerID(9)

    /// A front with a session and a worker, whose authority has run out.
    private func lapsed(_ settings: LoopSettings = LoopSettings()) throws -> (LoopHarness, SessionID, WorkerEnvelope) {
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        let envelope = try front.register(3, at: worker)
        front.authority = front.now().monotonic
        return (front, session, envelope)
    }

    private func renew(_ front: LoopHarness) throws {
        front.authority = .distantFuture
        front.journalSays(.authorityRenewed)
        try front.turn(1)
    }

    @Test("echoes no renewal: a worker that is kept by two fronts would run what both grant; the next renewal is echoed again")
    func renewals() throws {
        let (front, _, envelope) = try lapsed()
        front.worker(worker, envelope.saying(.renewal(RenewalNumber(1), leases: [])))
        try front.turn()
        #expect(try front.takeSent(toWorker: worker).isEmpty)
        try renew(front)
        #expect(try front.takeSent(toWorker: worker).isEmpty)
        front.worker(worker, envelope.saying(.renewal(RenewalNumber(2), leases: [])))
        try front.turn(1)
        #expect(try front.takeSent(toWorker: worker) == [.renewed(RenewalNumber(2), cancels: [])])
    }

    @Test("answers no heartbeat; the next one is answered again")
    func heartbeats() throws {
        let (front, session, _) = try lapsed()
        front.client(client, session, .heartbeat(lowestUnanswered: RequestNumber(1)))
        try front.turn()
        #expect(try front.takeMessages().isEmpty)
        try renew(front)
        front.client(client, session, .heartbeat(lowestUnanswered: RequestNumber(1)))
        try front.turn(1)
        #expect(try front.takeMessages().count == 1)
    }

    @Test("publishes no bookmark; the one that was due comes once authority is renewed, and the loop sleeps until then")
    func bookmarks() throws {
        let (front, _, _) = try lapsed()
        front.subscribe(.workers)
        try front.turn()
        front.pass(milliseconds: 1_000)
        try front.turn()
        #expect(front.takePublished().isEmpty)
        #expect(front.deadline != front.now().monotonic)
        try renew(front)
        #expect(front.takePublished().count == 1)
    }

    @Test("sends no turn without entries, which keeps no row back; it leaves once authority is renewed, and the loop sleeps until then")
    func withoutEntries() throws {
        let (front, session, _) = try lapsed()
        front.client(client, session, .snapshot(topic: .workers))
        try front.turn()
        #expect(try front.takeMessages().isEmpty)
        #expect(front.takePublished().isEmpty)
        #expect(front.deadline != front.now().monotonic)
        let rows = front.rows.count
        front.client(client, session, LoopHarness.submit(1, 1))
        try front.turn()
        #expect(front.rows.count == rows + 1)
        try renew(front)
        let reported = try front.takeMessages()
        #expect(reported.count == 2)
    }

    @Test("writes what it decides, for the row is fenced, and sends it once authority is renewed")
    func entries() throws {
        let (front, session, _) = try lapsed()
        let rows = front.rows.count
        front.client(client, session, LoopHarness.submit(1, 1))
        try front.turn()
        #expect(front.rows.count == rows + 1)
        #expect(try front.takeMessages().isEmpty && front.takeSent(toWorker: worker).isEmpty)
        // Nothing is written behind it, so what waits is bounded.
        front.client(client, session, LoopHarness.submit(2, 1))
        try front.turn()
        #expect(front.rows.count == rows + 1)
        try renew(front)
        try front.turn()
        #expect(try front.takeReplies().keys.sorted() == [1, 2])
    }

    @Test("gathers no more than a turn may, and handles only renewals and heartbeats then")
    func bound() throws {
        var settings = LoopSettings()
        settings.gatherByteLimit = 2_000
        let (front, session, _) = try lapsed(settings)
        for number in UInt64(1)...200 { front.client(client, session, .snapshot(topic: .job(JobID(number)))) }
        try front.turn(9)
        #expect(front.loop.isHolding && !front.loop.clientInbox.isEmpty)
        try renew(front)
        try front.turn(200)
        #expect(!front.loop.isHolding && front.loop.clientInbox.isEmpty)
    }

    @Test("authority that runs out between two frames of a turn keeps the others back, in their order", arguments: [false, true])
    func betweenFrames(hasEntries: Bool) throws {
        let front = try LoopHarness()
        let peers = (1...5).map { PeerID($0) }
        let sessions = try peers.map { try front.open($0) }
        front.subscribe(.jobs)
        try front.turn()
        _ = front.takePublished()
        front.millisecondsToSend = 1
        front.authority = front.now().monotonic.advanced(by: .milliseconds(2))
        for (peer, session) in zip(peers, sessions) {
            front.client(peer, session, hasEntries ? LoopHarness.submit(1, 1) : .snapshot(topic: .workers))
        }
        try front.turn()
        #expect(try peers.map { try front.takeMessages(to: $0).count } == [1, 1, 0, 0, 0])
        #expect(front.takePublished().isEmpty)
        try renew(front)
        #expect(try peers.map { try front.takeMessages(to: $0).count } == [0, 0, 1, 1, 1])
        #expect(!front.takePublished().isEmpty)
    }

    @Test("sends nothing that waited for a slow peer")
    func slowPeer() throws {
        let (front, session, _) = try lapsed()
        front.authority = .distantFuture
        front.results[client] = .full
        front.client(client, session, .snapshot(topic: .workers))
        try front.turn()
        front.authority = front.now().monotonic
        front.results[client] = nil
        try front.turn()
        #expect(try front.takeMessages().isEmpty)
        try renew(front)
        #expect(try front.takeMessages().count == 1)
    }

    @Test("ends when a higher epoch is recorded; what was durable by then does not leave any more")
    func fenced() throws {
        let front = try LoopHarness()
        let session = try front.open()
        front.holdsRows = true
        front.client(client, session, LoopHarness.submit(1, 1))
        try front.turn()
        front.release()
        front.journalSays(.fenced)
        #expect(throws: LoopEnding.fenced) { try front.turn(1) }
        #expect(try front.takeMessages().isEmpty)
    }
}
