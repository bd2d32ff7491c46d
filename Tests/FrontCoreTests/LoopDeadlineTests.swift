//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Who is late")
struct LoopDeadlineTests {
    private func reading(_ front: FrontHarness, workers: Bool = true, clients: Bool = true, isHeld: Bool = false) -> FrontEvent {
        .inputRead(TurnReading(began: front.now.monotonic, isWorkersDone: workers, isClientsDone: clients, isHeld: isHeld))
    }

    /// Turns that leave something of workers unread, 100 ms apart.
    private func turns(_ count: Int, of front: inout FrontHarness, isHeld: Bool = false) {
        for _ in 0..<count {
            front.pass(milliseconds: 100)
            front.handle(reading(front, workers: false, isHeld: isHeld))
        }
    }

    /// A front with one worker that holds a job.
    private func running() -> (FrontHarness, JobID) {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        return (front, job)
    }

    @Test("a second after its end a lease is looked at whatever is still unread")
    func gracePeriod() {
        var (front, job) = running()
        front.pass(milliseconds: 5_499)
        turns(10, of: &front)
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 10)
        front.handle(reading(front, workers: false))
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("what came while the front stood still, or while a commit did not end, is read before a lease is judged by what is unread")
    func gracePeriodAfterPause() {
        for isHeld in [false, true] {
            var (front, job) = running()
            if isHeld {
                front.pass(milliseconds: 5_500)
                turns(100, of: &front, isHeld: true)
            } else {
                front.pass(milliseconds: 60_000)
                front.handle(.loopPaused(.seconds(60)))
            }
            turns(9, of: &front)
            #expect(front.job(job)?.state == .running)
            turns(1, of: &front)
            #expect(front.job(job)?.state == .waiting)
        }
    }

    @Test("slow turns, one after the other, give a dead worker's lease at most one lease in all")
    func slowTurns() {
        var (front, job) = running()
        for _ in 0..<10 {
            front.pass(milliseconds: 1_000)
            front.handle(.loopPaused(.seconds(1)))
            front.handle(reading(front))
        }
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 500)
        front.handle(reading(front))
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("a pause of the whole machine ends no session and no attachment")
    func suspended() throws {
        var front = FrontHarness()
        front.open()
        let key = try #require(FeedKey(text: "lazy"))
        _ = front.ask(.feed(key, .attach(view: "shared")))
        front.settle()
        front.pass(milliseconds: 3_600_000)
        front.handle(.loopPaused(.seconds(3_600)))
        let actions = front.handle(reading(front))
        #expect(!actions.contains { if case .record(.sessionEnded) = $0 { true } else { false } })
        #expect(front.machine.state.feeds[key]?.attachmentCount == 1)
    }

    @Test("sessions are not judged while something of clients is unread")
    func unreadClients() {
        var front = FrontHarness()
        front.open()
        front.pass(milliseconds: 700_000)
        #expect(!front.handle(reading(front, clients: false)).contains { if case .record = $0 { true } else { false } })
        #expect(front.machine.nextDeadline.map { $0 > front.now.monotonic } == true)
        front.pass(milliseconds: 100)
        #expect(front.handle(reading(front)).contains(.record(.sessionEnded(JournalEntry.SessionEnded(front.session)))))
    }

    @Test("a session whose own words are read and not handled is not judged")
    func waitingWords() {
        var front = FrontHarness()
        front.open()
        front.pass(milliseconds: 700_000)
        let waiting = TurnReading(began: front.now.monotonic, isWorkersDone: true, isClientsDone: true, waitingClients: [front.client])
        #expect(!front.handle(.inputRead(waiting)).contains { if case .record = $0 { true } else { false } })
        front.pass(milliseconds: 100)
        #expect(front.handle(reading(front)).contains(.record(.sessionEnded(JournalEntry.SessionEnded(front.session)))))
    }

    @Test("one client that always has something unread keeps nobody else's attachments alive")
    func talker() throws {
        var settings = LoopSettings()
        settings.turnMessages = 1
        let front = try LoopHarness(loop: settings)
        let (talker, quiet) = (PeerID(7), PeerID(8))
        let (talking, silent) = (try front.open(talker), try front.open(quiet))
        let key = try #require(FeedKey(text: "items"))
        front.client(quiet, silent, LoopHarness.request(1, .feed(key, .attach(view: "shared"))))
        try front.turn()
        #expect(front.loop.machine.state.feeds[key]?.attachmentCount == 1)
        front.client(talker, talking, (1...200).map { LoopHarness.request($0, .job(.explain(JobID(1)))) })
        for _ in 0..<60 {
            front.pass(milliseconds: 100)
            try front.turn(1)
        }
        #expect(front.loop.clientInbox.isEmpty == false)
        #expect(front.loop.machine.state.feeds[key]?.attachmentCount == 0)
    }

    @Test("while a commit keeps what clients say from being handled no session is late: one may have come back over a new connection")
    func slowCommit() throws {
        var settings = LoopSettings()
        settings.gatherByteLimit = 2_000
        let front = try LoopHarness(loop: settings)
        let (away, busy) = (PeerID(8), PeerID(7))
        let (session, other) = (try front.open(away), try front.open(busy))
        let key = try #require(FeedKey(text: "items"))
        front.client(away, session, LoopHarness.request(1, .feed(key, .attach(view: "shared"))))
        try front.turn()
        front.holdsRows = true
        front.client(busy, other, LoopHarness.submit(1, 1))
        try front.turn(1)
        front.client(busy, other, LoopHarness.submit(2, 2_000))
        try front.turn(1)
        #expect(front.loop.isHolding == true)
        // It comes back while nothing is handled.
        front.client(PeerID(9), session, .hello(ClientMessage.Hello(label: "test")), LoopHarness.request(2, .job(.explain(JobID(1)))))
        for _ in 0..<80 {
            front.pass(milliseconds: 100)
            try front.turn(1)
        }
        #expect(front.loop.machine.state.feeds[key]?.attachmentCount == 1)
        front.holdsRows = false
        front.release()
        for _ in 0..<70 {
            try front.turn(1)
            front.pass(milliseconds: 100)
        }
        #expect(front.loop.machine.state.feeds[key]?.attachmentCount == 0)
    }

    @Test("time in which nobody reads what clients say makes no session late")
    func givenBack() {
        var front = FrontHarness()
        front.open()
        front.pass(milliseconds: 594_000)
        front.handle(reading(front, clients: false))
        front.pass(milliseconds: 5_000)
        front.handle(reading(front))
        front.pass(milliseconds: 2_000)
        #expect(!front.settle().contains(.record(.sessionEnded(JournalEntry.SessionEnded(front.session)))))
        front.pass(milliseconds: 5_000)
        #expect(front.settle().contains(.record(.sessionEnded(JournalEntry.SessionEnded(front.session)))))
    }

    @Test("a session whose words lie in the socket is not judged for 10 s; by then the socket has given everybody a turn")
    func unreadSocket() throws {
        var settings = LoopSettings()
        // Of the socket one frame is read in each turn, and handled at once.
        settings.readByteBudget = 1
        let front = try LoopHarness(loop: settings)
        let (talker, quiet) = (PeerID(7), PeerID(8))
        let (talking, silent) = (try front.open(talker), try front.open(quiet))
        let word = ClientMessage.heartbeat(lowestUnanswered: RequestNumber(1))
        front.pass(milliseconds: 599_000)
        try front.turn()
        for _ in 0..<20 { front.client(talker, talking, word) }
        front.client(quiet, silent, word)
        while front.unread(.clients) > 0 {
            front.pass(milliseconds: 450)
            try front.turn(1)
        }
        try front.turn()
        #expect(front.loop.machine.state.sessions.count == 2)
        // Who talks on keeps nobody else's session.
        for _ in 0..<1_500 where front.loop.machine.state.sessions.count == 2 {
            for _ in 0..<2 { front.client(talker, talking, word) }
            front.pass(milliseconds: 450)
            try front.turn(1)
        }
        #expect(front.loop.machine.state.sessions.count == 1)
    }

    @Test("thousands of sessions that end at once end in several turns")
    func manyEnds() {
        var front = FrontHarness()
        for number in UInt64(0)..<1_000 {
            let hello = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "x"))])
            front.handle(.clientSent(PeerID(10_000 + number), Principal.everything, hello))
        }
        front.pass(milliseconds: 700_000)
        var turns = 0
        while front.machine.state.sessions.count > 0 {
            let ended = front.settle().filter { if case .record(.sessionEnded) = $0 { true } else { false } }
            #expect(ended.count <= 256 && !ended.isEmpty)
            turns += 1
        }
        #expect(turns == 4)
    }

    @Test("a report that is to be settled looks at workers, not at thousands of sessions")
    func settling() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        for number in UInt64(0)..<3_000 {
            let hello = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "x"))])
            front.handle(.clientSent(PeerID(10_000 + number), Principal.everything, hello))
        }
        front.open()
        worker.register(with: &front)
        let job = front.run(1, loader: "slow", on: &worker)
        worker.end(job.rawValue, in: &front)
        front.pass(milliseconds: 20)
        let before = front.machine.steps
        let actions = front.settle()
        #expect(actions.contains(.sendToWorker(worker.peer, .acknowledged(reports: [1]))))
        #expect(front.machine.steps - before < 100)
    }

    @Test("a vanished connection costs what it carried, however many others there are, and nothing is kept for it")
    func peerLost() {
        var front = FrontHarness()
        for number in UInt64(0)..<3_000 {
            let hello = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "x"))])
            front.handle(.clientSent(PeerID(10_000 + number), Principal.everything, hello))
        }
        front.open()
        let before = front.machine.steps
        #expect(front.handle(.peerLost(front.client)) == [.forget(front.client)])
        #expect(front.machine.steps - before < 10)
        #expect(front.machine.state.sessions[front.session]?.peer == PeerID.none)
        #expect(front.machine.state.sessions.connectionCount == 3_000)
    }

    @Test("counts are published at most 20 times a second, the last ones too")
    func counts() {
        var front = FrontHarness()
        front.open()
        front.settle()
        front.pass(milliseconds: 1_000)
        var published = 0
        for _ in 0..<1_000 {
            _ = front.submit(1, loader: "slow")
            if front.settle().contains(.changed(.jobs, key: "counts")) { published += 1 }
            front.pass(milliseconds: 1)
        }
        #expect((19...21).contains(published))
        front.pass(milliseconds: 50)
        #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic } == true)
        #expect(front.settle().contains(.changed(.jobs, key: "counts")))
        #expect(!front.settle().contains(.changed(.jobs, key: "counts")))
    }

    @Test("a crowd is told the counts less often: no more than 5,000 copies of them go out in a second", arguments: [300, 2_000])
    func countsOfACrowd(clients: UInt64) {
        var front = FrontHarness()
        for number in 0..<clients {
            let hello = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "x"))])
            front.handle(.clientSent(PeerID(10_000 + number), Principal.everything, hello))
        }
        front.open()
        front.settle()
        front.pass(milliseconds: 1_000)
        var published = 0
        for _ in 0..<1_000 {
            _ = front.submit(1, loader: "slow")
            if front.settle().contains(.changed(.jobs, key: "counts")) { published += 1 }
            front.pass(milliseconds: 1)
        }
        let most = min(20, 5_000 / Int(clients))
        #expect((most - 1...most + 1).contains(published))
        front.pass(milliseconds: 500)
        #expect(front.settle().contains(.changed(.jobs, key: "counts")), "the last ones too")
    }

    @Test("the loop sleeps no longer than to the next bookmark of a topic, nor to what the machine has to do before")
    func nearestDeadline() throws {
        let front = try LoopHarness()
        _ = try front.open()
        front.subscribe(.jobs)
        try front.turn(5)
        let (now, deadline) = (front.now().monotonic, front.loop.machine.nextDeadline)
        let machine = try #require(deadline)
        // Of a session that was heard just now.
        #expect(machine > now.advanced(by: .milliseconds(2_000)))
        #expect(try #require(front.deadline) <= now.advanced(by: .milliseconds(1_000)))
    }

    @Test("a session goes on whose words lie unread at its end, or are read and not handled", arguments: [false, true])
    func wordsAtTheEnd(areRead: Bool) throws {
        var settings = LoopSettings()
        if areRead { settings.turnMessages = 1 } else { settings.readByteBudget = 1 }
        let front = try LoopHarness(loop: settings) { $0.sessionGracePeriod = .seconds(5) }
        let (quiet, talker) = (PeerID(8), PeerID(7))
        let (silent, talking) = (try front.open(quiet), try front.open(talker))
        for _ in 0..<12 {
            front.pass(milliseconds: 400)
            front.client(talker, talking, .heartbeat(lowestUnanswered: RequestNumber(1)))
            try front.turn(1)
        }
        for _ in 0..<5 { front.client(talker, talking, .heartbeat(lowestUnanswered: RequestNumber(1))) }
        front.client(quiet, silent, .heartbeat(lowestUnanswered: RequestNumber(1)))
        front.pass(milliseconds: 300)
        try front.turn(1)
        #expect(front.loop.machine.state.sessions[silent] != nil)
        try front.turn(20)
        #expect(front.loop.machine.state.sessions[silent] != nil)
        for _ in 0..<20 {
            front.pass(milliseconds: 400)
            try front.turn(1)
        }
        #expect(front.loop.machine.state.sessions[silent] == nil)
    }
}
