//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("The loop while the disk is full")
struct FullDiskRuleTests {
    private let client = PeerID(7)
    private let worker = PeerID(9)

    /// A front with a session, whose row does not fit on the disk.
    private func stuck(_ settings: LoopSettings = LoopSettings()) throws -> (LoopHarness, SessionID, WorkerEnvelope) {
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        let envelope = try front.register(3, at: worker)
        front.holdsRows = true
        front.client(client, session, LoopHarness.submit(1, 1))
        try front.turn()
        front.journalSays(.full)
        front.journalSays(.full)
        try front.turn(1)
        #expect(front.loop.isStuck == true)
        return (front, session, envelope)
    }

    @Test("a front that starts without room for its reserve welcomes clients, answers them, and refuses new work by name")
    func littleSpace() throws {
        let front = try LoopHarness()
        front.journalSays(.full)
        try front.turn()
        let session = try front.open()
        let rows = front.rows.count
        front.client(client, session, LoopHarness.submit(1, 1))
        let key = try #require(FeedKey(text: "items"))
        for number in UInt64(2)...20 { front.client(client, session, LoopHarness.request(number, .feed(key, .load))) }
        front.client(client, session, LoopHarness.request(21, .job(.cancel(JobID(77)))))
        front.client(client, session, LoopHarness.request(30, .listFeeds()))
        try front.turn()
        let replies = try front.takeReplies()
        for number in UInt64(1)...20 {
            guard case .refused(let failure, let wait)? = replies[number] else {
                Issue.record("request \(number) was not refused")
                continue
            }
            #expect(failure.code == .storageFull && wait > .zero)
        }
        if case .refused(let failure, _)? = replies[21] { #expect(failure.code == .unknownItem) } else { Issue.record("not refused") }
        #expect(replies[30] != nil)
        // The refusals are not written to the full disk.
        #expect(front.rows.count == rows)
        front.journalSays(.roomAgain)
        front.client(client, session, LoopHarness.submit(31, 1))
        try front.turn()
        guard case .jobsAccepted? = try front.takeReplies()[31] else {
            Issue.record("not accepted once there was room")
            return
        }
        // Their copies on the way do nothing: who was told of the refusal has asked again under other numbers.
        let accepted = front.rows.count
        front.client(client, session, LoopHarness.submit(1, 1))
        front.client(client, session, LoopHarness.request(2, .feed(key, .load)))
        try front.turn()
        let copies = try front.takeReplies()
        for number in UInt64(1)...2 {
            guard case .refused(let failure, _)? = copies[number] else {
                Issue.record("request \(number) was carried out after its refusal")
                continue
            }
            #expect(failure.code == .busy)
        }
        #expect(front.rows.count == accepted)
    }

    @Test("heartbeats are answered while a row does not fit, and say so; everything else is dropped as if lost, and holds no memory")
    func heartbeats() throws {
        let (front, session, _) = try stuck()
        let gathered = front.loop.gathered.byteCount
        for second in UInt64(1)...600 {
            front.pass(milliseconds: 1_000)
            front.client(client, session, .heartbeat(lowestUnanswered: RequestNumber(1)), LoopHarness.submit(1, 100))
            front.client(PeerID(70), .none, .hello(ClientMessage.Hello(label: "new")))
            try front.turn(1)
            let reported = try front.takeMessages()
            let answer = FrontMessage.HeartbeatAnswer(
                lowestUnanswered: RequestNumber(1), isStorageFull: true, undurable: .seconds(second))
            try #require(reported == [.heartbeat(answer)])
        }
        // The worker that said nothing was lost meanwhile: that is decided, 600 submits are not.
        #expect(front.loop.clientInbox.isEmpty && front.loop.gathered.byteCount < gathered + 10_000)
        // Ten minutes later there is room: the session is still there.
        front.holdsRows = false
        front.release()
        front.journalSays(.roomAgain)
        try front.turn()
        front.client(client, session, LoopHarness.request(2, .listFeeds()))
        try front.turn()
        let reported = try front.takeMessages()
        #expect(!reported.contains(.sessionEnded))
        #expect(reported.contains { if case .reply(RequestNumber(2), _, _) = $0 { true } else { false } })
    }

    @Test("a client that could not be heard because its socket was not read gets its time back")
    func unheard() throws {
        let (front, session, _) = try stuck()
        // It cannot say hello, so it says nothing for an hour.
        for _ in 0..<3_600 {
            front.pass(milliseconds: 1_000)
            try front.turn(1)
        }
        front.holdsRows = false
        front.release()
        try front.turn()
        _ = try front.takeMessages()
        front.client(client, session, LoopHarness.request(2, .listFeeds()))
        try front.turn()
        #expect(try front.takeReplies()[2] != nil)
    }

    @Test("renewals are answered while a row does not fit, and what workers report is held in bounded memory and in order")
    func reports() throws {
        var settings = LoopSettings()
        settings.peerInboxByteLimit = 1 << 20
        let (front, _, envelope) = try stuck(settings)
        var ended = WorkerMessage.Ended(report: 1)
        ended.jobs = [99]
        ended.leases = [1]
        ended.outcomes = [.succeeded]
        ended.results = [Array(repeating: 1, count: 60_000)]
        for second in UInt64(1)...240 {
            front.pass(milliseconds: 1_000)
            front.worker(worker, envelope.saying(.renewal(RenewalNumber(second), leases: []), .ended(ended)))
            try front.turn(1)
            try #require(try front.takeSent(toWorker: worker) == [.renewed(RenewalNumber(second), cancels: [])])
            try #require(front.loop.workerInbox.byteCount <= settings.peerInboxByteLimit + 70_000)
        }
        #expect(front.loop.machine.turn.context.summary.lateReports == 0)
        front.holdsRows = false
        front.release()
        try front.turn(10)
        #expect(front.loop.workerInbox.isEmpty && front.loop.machine.turn.context.summary.lateReports > 0)
    }

    @Test("no slice of a checkpoint is written while the disk is full, and the loop does not spin for it")
    func slices() throws {
        var settings = LoopSettings()
        settings.checkpointByteCount = 1
        settings.sliceChunks = 1
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        front.client(client, session, LoopHarness.submit(1, 2_000))
        try front.turn(2)
        #expect(front.loop.checkpoint.hasSlice)
        front.journalSays(.full)
        try front.turn(2)
        let rows = front.rows.count
        try front.turn(20)
        #expect(front.rows.count == rows)
        #expect(front.deadline != front.now().monotonic)
        // What must be kept all the same goes without one.
        let slices = front.slices.count
        front.client(
            client, session, .request(.init(number: RequestNumber(2), lowestUnanswered: RequestNumber(2), body: .job(.cancel(JobID(1))))))
        try front.turn(4)
        #expect(front.rows.count > rows && front.slices.count == slices)
        front.journalSays(.roomAgain)
        try front.turn(40)
        #expect(front.slices.count > slices)
    }

    @Test("what a worker said before it left comes first, though much was held")
    func order() throws {
        var settings = LoopSettings()
        settings.gatherByteLimit = 2_000
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        var envelope = try front.register(3, at: worker)
        front.client(client, session, LoopHarness.submit(1, 1))
        try front.turn()
        var lease: UInt64 = 0
        for case .grant(let grant) in try front.takeSent(toWorker: worker) { lease = grant.leases[0] }
        // The row under way takes its time, and so much is gathered that everything is held.
        front.holdsRows = true
        front.client(client, session, LoopHarness.submit(2, 1))
        try front.turn(1)
        front.client(client, session, LoopHarness.submit(3, 2_000))
        try front.turn(1)
        #expect(front.loop.isHolding == true)
        var ended = WorkerMessage.Ended(report: 1)
        (ended.jobs, ended.leases, ended.outcomes, ended.results) = ([1], [lease], [.succeeded], [[]])
        envelope = envelope.saying(.renewal(RenewalNumber(1), leases: [lease]))
        front.worker(worker, envelope)
        front.worker(worker, envelope.saying(.ended(ended)))
        try front.turn(1)
        front.worker(worker, envelope.saying(.close()))
        front.release()
        front.holdsRows = false
        try front.turn(10)
        guard case .job(let job)? = front.loop.item("job", of: .job(JobID(1))) else {
            Issue.record("the job is not known")
            return
        }
        #expect(job.state == .succeeded)
    }

    @Test("what collection must spare is told while turns are under way and the disk is full, and has what was named before and is now")
    func collectable() throws {
        let (front, _, _) = try stuck()
        let now = front.now().wall
        let (named, bound) = front.loop.collectable(now: now)
        #expect(named.isEmpty)
        #expect(bound <= now.advanced(by: .milliseconds(-600_000)))
        front.loop.durableNames?.named = [ObjectDigest(words: (1, 2, 3, 4))]
        #expect(front.loop.collectable(now: now).named == [ObjectDigest(words: (1, 2, 3, 4))])
    }

    @Test("names count for collection once the turn that they were noted in is durable")
    func names() throws {
        let front = try LoopHarness()
        let session = try front.open()
        front.pass(milliseconds: 300_000)
        front.holdsRows = true
        front.client(client, session, LoopHarness.submit(1, 1))
        try front.turn()
        let before = front.loop.collectable(now: front.now().wall).olderThan
        front.release()
        try front.turn(1)
        #expect(front.loop.collectable(now: front.now().wall).olderThan == before.advanced(by: .milliseconds(300_000)))
    }

    @Test("a disk that is said to be full twice holds nothing up while no row is under way")
    func nothingUnderWay() throws {
        let front = try LoopHarness()
        _ = try front.open()
        for _ in 0..<2 {
            front.journalSays(.full)
            try front.turn()
        }
        #expect(front.loop.storageIsFull == true && front.loop.isStuck == false)
    }
}
