//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

/// However much arrives, a turn is short and everybody has a turn.
@Suite("A bounded turn", .timeLimit(.minutes(5)))
struct TurnBoundTests {
    private let flooder = PeerID(8)
    private let good = PeerID(7)

    private func turnsAreBounded(_ front: LoopHarness, _ settings: LoopSettings, until isDone: () throws -> Bool) throws -> Int {
        var turns = 0
        while try !isDone() {
            try front.turn(1)
            turns += 1
            // Workers' and clients' share, and one message beyond each.
            let limit = UInt64(2 * settings.turnSteps + 40_000)
            try #require(front.loop.stepsOfTurn <= limit, "a turn took \(front.loop.stepsOfTurn) steps")
            try #require(turns < 10_000, "it does not end")
        }
        return turns
    }

    @Test("a frame of hundreds of long lists is spread over turns, and another client is answered within two of them")
    func lists() throws {
        let settings = LoopSettings()
        let front = try LoopHarness(loop: settings)
        let (mine, theirs) = (try front.open(good), try front.open(flooder))
        front.client(good, mine, LoopHarness.submit(1, 2_000))
        try front.turn()
        _ = try front.takeSent(to: good)
        front.client(flooder, theirs, (1...300).map { LoopHarness.request($0, .job(.list(JobQuery(limit: 1_000)))) })
        try front.turn(1)
        front.client(good, mine, LoopHarness.request(2, .job(.explain(JobID(1)))))
        var answered: Int?
        var turns = 0
        _ = try turnsAreBounded(front, settings) {
            turns += 1
            if answered == nil, try front.takeReplies(to: good)[2] != nil { answered = turns }
            return front.loop.clientInbox.isEmpty == true
        }
        #expect(try #require(answered) <= 3)
    }

    @Test("30,000 hellos in one frame take many turns of bounded length")
    func hellos() async throws {
        try await onOwnThread {
            var settings = LoopSettings()
            settings.turnMessages = 1_000
            let front = try LoopHarness(loop: settings) {
                ($0.bounds.sessions, $0.bounds.sessionsPerConnection) = (40_000, 40_000)
            }
            front.client(flooder, .none, Array(repeating: .hello(ClientMessage.Hello(label: "x")), count: 30_000))
            try front.turn(1)
            let turns = try turnsAreBounded(front, settings) { front.loop.clientInbox.isEmpty == true }
            #expect(turns >= 29)
        }
    }

    @Test("what follows a hello in its frame is of the session that it opened, however the frame is spread")
    func session() throws {
        var settings = LoopSettings()
        settings.turnMessages = 1
        let front = try LoopHarness(loop: settings)
        front.client(good, .none, .hello(ClientMessage.Hello(label: "x")), LoopHarness.request(1, .listFeeds()))
        try front.turn(6)
        #expect(try front.takeReplies(to: good).keys.sorted() == [1])
    }

    @Test("replies count into what a turn gathers: clients are not read beyond the bound while a row is under way")
    func gathered() throws {
        var settings = LoopSettings()
        settings.gatherByteLimit = 1 << 20
        let front = try LoopHarness(loop: settings)
        let (mine, theirs) = (try front.open(good), try front.open(flooder))
        front.client(good, mine, LoopHarness.submit(1, 5_000))
        try front.turn()
        front.holdsRows = true
        front.client(good, mine, LoopHarness.submit(2, 1))
        try front.turn(1)
        for number in UInt64(1)...40 { front.client(flooder, theirs, LoopHarness.request(number, .job(.list(JobQuery(limit: 1_000))))) }
        try front.turn(100)
        #expect(front.loop.gathered.byteCount > settings.gatherByteLimit)
        #expect(front.loop.gathered.byteCount <= settings.gatherByteLimit + 512 * 1_024)
        #expect(!front.loop.clientInbox.isEmpty)
        front.release()
        front.holdsRows = false
        try front.turn(50)
        #expect(front.loop.clientInbox.isEmpty)
    }

    @Test("a client for whom too much waits is refused further lists with a time, and what waits for it is bounded")
    func slowReader() throws {
        var settings = LoopSettings()
        settings.outboxByteLimit = 512 * 1_024
        let front = try LoopHarness(loop: settings)
        let (mine, theirs) = (try front.open(good), try front.open(flooder))
        front.client(good, mine, LoopHarness.submit(1, 5_000))
        try front.turn()
        front.results[flooder] = .full
        for number in UInt64(1)...60 {
            let request = ClientMessage.Request(
                number: RequestNumber(number), lowestUnanswered: RequestNumber(number), body: .job(.list(JobQuery(limit: 1_000))))
            front.client(flooder, theirs, .request(request))
            try front.turn(2)
        }
        #expect(front.loop.outboxByteCount <= settings.outboxByteLimit)
        #expect(front.loop.machine.state.sessions.isFull(flooder))
        front.results[flooder] = .sent
        front.pass(milliseconds: 5)
        try front.turn(3)
        front.client(flooder, theirs, LoopHarness.request(100, .listFeeds()))
        try front.turn()
        let replies = try front.takeReplies(to: flooder)
        let refused = replies.values.compactMap { reply -> Duration? in
            if case .refused(let failure, let wait) = reply, failure.code == .busy { wait } else { nil }
        }
        #expect(!refused.isEmpty && refused.allSatisfy { $0 > .zero })
        #expect(replies[100].map { if case .feeds = $0 { true } else { false } } == true)
        #expect(front.loop.outboxByteCount == 0)
    }

    @Test("lists that a vanished client still waits for are not made any more")
    func vanished() throws {
        let front = try LoopHarness()
        let (mine, theirs) = (try front.open(good), try front.open(flooder))
        front.client(good, mine, LoopHarness.submit(1, 2_000))
        try front.turn()
        front.results[flooder] = .gone
        front.client(flooder, theirs, (1...200).map { LoopHarness.request($0, .job(.list(JobQuery(limit: 1_000)))) })
        let before = front.loop.machine.steps
        try front.turn(100)
        #expect(front.loop.clientInbox.isEmpty)
        // One turn of lists, and the discovery that nobody reads them.
        #expect(front.loop.machine.steps - before < 200_000)
        #expect(front.frameCounts[flooder] == 2)
    }

    @Test("while a row does not fit, thousands of heartbeats of a frame are answered once, by the newest, and end the turn's reading")
    func heldHeartbeats() throws {
        var settings = LoopSettings()
        settings.turnMessages = 1_000
        let front = try LoopHarness(loop: settings)
        let (mine, theirs) = (try front.open(good), try front.open(flooder))
        try stick(front, mine)
        let frame = (1...3_000).map { ClientMessage.heartbeat(lowestUnanswered: RequestNumber($0 < 3_000 ? 0 : 1)) }
        for _ in 0..<3 { front.client(flooder, theirs, frame) }
        front.client(good, mine, .heartbeat(lowestUnanswered: RequestNumber(1)))
        try front.turn(1)
        let answers = try front.takeMessages(to: flooder)
        #expect(answers.count == 1)
        guard case .heartbeat(let answer)? = answers.first else {
            Issue.record("no heartbeat is answered")
            return
        }
        #expect(answer.lowestUnanswered == RequestNumber(1))
        // The turn ended after one such frame: the other three lie in the socket.
        #expect(front.unread(.clients) == 3)
        try front.turn(3)
        #expect(try front.takeMessages(to: good).count == 1 && front.unread(.clients) == 0)
        #expect(try front.takeMessages(to: flooder).count == 2)
    }

    @Test("while a row does not fit, thousands of renewals of a frame are answered once, and end the turn's reading")
    func heldRenewals() throws {
        var settings = LoopSettings()
        settings.turnMessages = 1_000
        let front = try LoopHarness(loop: settings)
        let mine = try front.open(good)
        let worker = PeerID(9)
        let envelope = try front.register(3, at: worker)
        try stick(front, mine)
        for frame in UInt64(0)..<2 {
            var renewals = envelope
            renewals.messages = (1...3_000).map { .renewal(RenewalNumber(frame * 3_000 + UInt64($0)), leases: []) }
            front.worker(worker, renewals)
        }
        try front.turn(1)
        #expect(try front.takeSent(toWorker: worker) == [.renewed(RenewalNumber(3_000), cancels: [])])
        #expect(front.unread(.workers) == 1)
        try front.turn(1)
        #expect(try front.takeSent(toWorker: worker) == [.renewed(RenewalNumber(6_000), cancels: [])])
    }

    /// From now on the row under way does not fit on the disk.
    private func stick(_ front: LoopHarness, _ session: SessionID) throws {
        front.holdsRows = true
        front.client(good, session, LoopHarness.submit(1, 1))
        try front.turn()
        front.journalSays(.full)
        front.journalSays(.full)
        try front.turn(1)
        try #require(front.loop.isStuck == true)
        _ = try front.takeMessages(to: good)
    }

    @Test("a client that is always at its bound keeps another one waiting for no longer than 100 ms and a turn")
    func flood() throws {
        var settings = LoopSettings()
        (settings.turnMessages, settings.peerInboxByteLimit) = (8, 4_096)
        let front = try LoopHarness(loop: settings)
        let (mine, theirs) = (try front.open(good), try front.open(flooder))
        func refill() {
            for _ in 0..<4 {
                front.client(flooder, theirs, (0..<100).map { _ in .heartbeat(lowestUnanswered: RequestNumber(1)) })
            }
        }
        for _ in 0..<20 {
            refill()
            front.pass(milliseconds: 20)
            try front.turn(1)
        }
        front.client(good, mine, LoopHarness.request(1, .listFeeds()))
        var turns = 0
        while try front.takeReplies(to: good).isEmpty, turns < 100 {
            refill()
            front.pass(milliseconds: 20)
            try front.turn(1)
            turns += 1
        }
        #expect(turns <= 8)
        #expect(front.loop.clientInbox.byteCount < 3 * settings.peerInboxByteLimit + 100 * 200)
    }

    @Test("a frame of many small messages that is handled in part counts as what it takes in memory")
    func openFrames() throws {
        var settings = LoopSettings()
        settings.turnMessages = 8
        let front = try LoopHarness(loop: settings)
        let session = try front.open(good)
        let worker = PeerID(9)
        let envelope = try front.register(3, at: worker)
        front.client(good, session, (0..<1_000).map { _ in .heartbeat(lowestUnanswered: RequestNumber(1)) })
        var renewals = envelope
        renewals.messages = (1...1_000).map { .renewal(RenewalNumber($0), leases: []) }
        front.worker(worker, renewals)
        try front.turn(1)
        #expect(front.loop.clientInbox.byteCount >= 1_000 * MemoryLayout<ClientMessage>.stride)
        #expect(front.loop.workerInbox.byteCount >= 1_000 * MemoryLayout<WorkerMessage>.stride)
        let reports = Array(
            repeating: WorkerMessage.ProgressReport(job: JobID(1), lease: LeaseID(1), progress: JobProgress()), count: 1_000)
        #expect(WorkerMessage.progress(reports).memoryByteCount >= 1_000 * MemoryLayout<WorkerMessage.ProgressReport>.stride)
    }

    /// Forty clients with a session each.
    private func flooders(of front: LoopHarness) throws -> [(PeerID, SessionID)] {
        try (100..<140).map { number in
            let peer = PeerID(UInt64(number))
            return (peer, try front.open(peer))
        }
    }

    @Test("forty frames of 65,000 small messages each keep nobody from being heard")
    func largeFramesOfMany() async throws {
        try await onOwnThread {
            var settings = LoopSettings()
            (settings.turnMessages, settings.inboxByteLimit) = (1_000, 4 << 20)
            let front = try LoopHarness(loop: settings)
            let mine = try front.open(good)
            let flooders = try flooders(of: front)
            for (peer, session) in flooders { front.client(peer, session, Array(repeating: .unknown, count: 65_000)) }
            for number in UInt64(1)...20 {
                front.client(good, mine, LoopHarness.request(number, .job(.explain(JobID(1)))))
                var turns = 0
                while try front.takeReplies(to: good)[number] == nil {
                    front.pass(milliseconds: 5)
                    try front.turn(1)
                    turns += 1
                    try #require(turns <= 40, "request \(number) is not answered")
                    let open = front.loop.clientInbox.openByteCount
                    let most = settings.inboxByteLimit + 65_000 * (MemoryLayout<ClientMessage>.stride + 8)
                    try #require(open <= most, "\(open) bytes are open")
                }
            }
        }
    }

    @Test("forty clients that fill all the room again and again keep nobody from being heard, whose frames are of a usual size")
    func refilledRoom() async throws {
        try await onOwnThread {
            var settings = LoopSettings()
            (settings.turnMessages, settings.inboxByteLimit) = (1_000, 4 << 20)
            let front = try LoopHarness(loop: settings)
            let mine = try front.open(good)
            let flooders = try flooders(of: front)
            let flood = Array(repeating: ClientMessage.unknown, count: 20_000)
            for _ in 0..<4 { for (peer, session) in flooders { front.client(peer, session, flood) } }
            for number in UInt64(1)...5 {
                front.client(good, mine, LoopHarness.submit(number, 900))
                var turns = 0
                while try front.takeReplies(to: good)[number] == nil {
                    if turns % 8 == 0 { for (peer, session) in flooders { front.client(peer, session, flood) } }
                    front.pass(milliseconds: 5)
                    try front.turn(1)
                    turns += 1
                    try #require(turns <= 60, "request \(number) is not answered")
                }
            }
        }
    }

    @Test("a client that sends more than its bound at once loses nothing as long as it is handled in time")
    func bulk() throws {
        var settings = LoopSettings()
        (settings.turnMessages, settings.peerInboxByteLimit) = (8, 4_096)
        let front = try LoopHarness(loop: settings)
        let mine = try front.open(good)
        for number in UInt64(1)...200 { front.client(good, mine, LoopHarness.submit(number, 10)) }
        var replies = Set<UInt64>()
        for _ in 0..<100 {
            front.pass(milliseconds: 5)
            try front.turn(1)
            replies.formUnion(try front.takeReplies(to: good).keys)
        }
        #expect(replies.count == 200)
    }
}
