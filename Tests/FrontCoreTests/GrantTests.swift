//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@testable import FrontCore

@Suite("Grants that their worker can read")
struct GrantTests {
    private static let codec = WireCodec()

    private func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    /// What an action tells a worker as it comes out of the codec at the other side; throws where the worker could not read it.
    private func read(_ action: FrontAction) throws -> (message: WorkerBoundMessage, byteCount: Int, isApart: Bool)? {
        let (reported, isApart): (WorkerBoundMessage, Bool)
        switch action {
        case .sendToWorker(_, let message): (reported, isApart) = (message, false)
        case .sendToWorkerApart(_, let message): (reported, isApart) = (message, true)
        default: return nil
        }
        let bytes = Self.codec.encode(WorkerBoundEnvelope(front: FrontID(1), epoch: Epoch(5), messages: [reported]))
        let message = try #require(try Self.codec.decodeWorkerBound(bytes).messages.first)
        #expect(message == reported)
        return (message, bytes.count, isApart)
    }

    private func readAll(_ actions: [FrontAction]) throws -> [(message: WorkerBoundMessage, byteCount: Int, isApart: Bool)] {
        try actions.compactMap { try read($0) }
    }

    private func jobs(_ message: WorkerBoundMessage) -> [UInt64] { if case .grant(let grant) = message { grant.jobs } else { [] } }

    @Test("an update with an id over the bound is refused by its reply, at the bound its grant is read", arguments: [1_024, 1_025])
    func updateID(byteCount: Int) throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        let reply = front.ask(.feed(try key("todos"), .update(itemID: String(repeating: "x", count: byteCount), item: [123, 125])))
        let innocent = front.submit(1, loader: "slow")
        worker.register(with: &front)
        let granted = try readAll(front.settle()).flatMap { jobs($0.message) }
        if byteCount <= 1_024 {
            guard case .accepted(let job, false)? = reply else { return #expect(Bool(false), "\(String(describing: reply))") }
            #expect(Set(granted) == [job.rawValue, innocent.rawValue])
        } else {
            guard case .refused(let failure, .zero)? = reply else { return #expect(Bool(false), "\(String(describing: reply))") }
            #expect(failure.code == .tooLarge)
            #expect(granted == [innocent.rawValue])
        }
    }

    @Test("a feed whose settings no grant could carry is refused by its reply", arguments: [65_536, 65_537])
    func settings(byteCount: Int) throws {
        var front = FrontHarness { $0.feeds[0].settings = Array(repeating: 32, count: byteCount) }
        var worker = WorkerHarness(1)
        front.open()
        let reply = front.ask(.feed(try key("items"), .load))
        worker.register(with: &front)
        let granted = try readAll(front.settle()).flatMap { jobs($0.message) }
        var refusal: FailureCode?
        if case .refused(let failure, _)? = reply { refusal = failure.code }
        #expect(refusal == (byteCount <= 65_536 ? nil : .tooLarge))
        #expect(granted.count == (byteCount <= 65_536 ? 1 : 0))
    }

    @Test("items count into a grant's size: each message is below the largest frame, whatever it grants")
    func largeItems() throws {
        var front = FrontHarness { $0.feeds[1].parameters = [.init(name: "p", defaultValue: "a")] }
        var worker = WorkerHarness(1)
        front.open()
        let item = [UInt8](repeating: 32, count: 65_536)
        for index in 0..<24 { _ = front.ask(.feed(try key("todos?p=x\(index)"), .create(item: item))) }
        worker.register(with: &front, slots: 32)
        let reported = try readAll(front.settle())
        #expect(reported.flatMap { jobs($0.message) }.count == 24)
        #expect(reported.allSatisfy { $0.byteCount <= 600 * 1_024 })
        #expect(reported.count >= 3)
    }

    @Test("the reckoned size of a job's work is never below the encoded one")
    func reckoned() throws {
        let long = String(repeating: "ä", count: 512)
        var work = FeedWork(
            key: try key("items?parameter=" + String(repeating: "a", count: 380)), operation: .update,
            settings: Array(repeating: 1, count: 65_536), acceptedAt: WallTime(milliseconds: .min))
        let object = ObjectReference(digest: ObjectDigest(words: (.max, .max, .max, .max)), byteCount: .max, itemCount: .max)
        (work.content, work.source, work.item) = (object, object, Array(repeating: 2, count: 65_536))
        (work.view, work.filter, work.itemID) = (String(repeating: "v", count: 63), String(repeating: "f", count: 256), long)
        work.sort = SortOrder(field: String(repeating: "s", count: 63), ascending: false)
        work.isPersistent = true
        func byteCount(_ work: FeedWork?) -> Int {
            var grant = WorkerBoundMessage.Grant(registrationNumber: .none, renewal: .none, wall: WallTime(milliseconds: 0))
            if let work { grant.feedWork = [Indexed(index: .max, value: work)] }
            return Self.codec.encode(WorkerBoundEnvelope(front: .none, epoch: .none, messages: [.grant(grant)])).count
        }
        #expect(byteCount(work) - byteCount(nil) <= work.greatestByteCount)
    }

    @Test("any number of reports is settled in messages that the worker can read, at a cost that grows with it")
    func acknowledged() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        worker.register(with: &front)
        var actions: [FrontAction] = []
        for number in 1...3_000 { actions += worker.send(.ended(WorkerMessage.Ended(report: UInt64(number))), to: &front) }
        front.pass(milliseconds: 20)
        var acknowledged: [[UInt64]] = []
        for (message, _, _) in try readAll(actions + front.settle()) {
            if case .acknowledged(let reports) = message { acknowledged.append(reports) }
        }
        #expect(acknowledged.map(\.count) == [1_024, 1_024, 952])
        #expect(acknowledged.flatMap { $0 } == Array(1...3_000))
    }

    @Test("a worker registers with as many leases as its answer can judge, not with more", arguments: [32_768, 32_769])
    func heldLeases(count: Int) throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        worker.held = (0..<count).map { (UInt64($0) + 1_000, UInt64.max - UInt64($0), nil) }
        let reported = try readAll(worker.registration(with: &front))
        #expect(reported.count == 1 && reported[0].byteCount < 1 << 20)
        switch reported[0].message {
        case .registered(let registered): #expect(registered.decisions.count == 32_768)
        case .refused: #expect(count == 32_769)
        default: Issue.record("\(reported[0].message)")
        }
    }

    @Test("grants missing from two renewals are sent again, each in a frame of its own")
    func sentApart() throws {
        let front = try LoopHarness()
        let peer = PeerID(9)
        let (session, worker) = try front.begin(worker: peer, slots: 3)
        front.client(PeerID(7), session, .submit(LoopHarness.submit(3, loader: "slow")))
        try front.turn()
        #expect(try front.takeFrames(toWorker: peer).map { $0.map { jobs($0).count } } == [[3]])
        for number in UInt64(1)...2 {
            front.worker(peer, worker.saying(.renewal(RenewalNumber(number), leases: [])))
            try front.turn()
        }
        let again = try front.takeFrames(toWorker: peer).map { $0.flatMap { jobs($0) } }.filter { !$0.isEmpty }
        #expect(again == [[1], [2], [3]])
        // Not a third time: what stays unseen is judged when its lease is over.
        for number in UInt64(3)...6 {
            front.worker(peer, worker.saying(.renewal(RenewalNumber(number), leases: [])))
            try front.turn()
        }
        #expect(try front.takeFrames(toWorker: peer).allSatisfy { $0.allSatisfy { jobs($0).isEmpty } })
    }

    @Test("a grant that the worker has read past is sent again at once, one that it has not read only when a lease has passed")
    func readPast() {
        var (front, worker) = FrontHarness.serving()
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        let lease = worker.held[0].lease
        func isSentAgain(readBelow: UInt64) -> Bool {
            worker.renewal += 1
            let renewal = WorkerMessage.renewal(RenewalNumber(worker.renewal), leases: [], readBelow: LeaseID(readBelow))
            return worker.send(renewal, to: &front).contains { if case .sendToWorkerApart = $0 { true } else { false } }
        }
        #expect((1...4).map { _ in isSentAgain(readBelow: lease) } == [false, false, false, false])
        #expect(isSentAgain(readBelow: lease + 1))
        #expect(!isSentAgain(readBelow: lease + 1))
        (front, worker) = FrontHarness.serving()
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        #expect((1...5).map { _ in isSentAgain(readBelow: worker.held[0].lease) } == [false, false, false, false, true])
    }

    @Test("grants that a worker has read past leave again after one renewal, each in a frame of its own")
    func readPastApart() throws {
        let front = try LoopHarness()
        let peer = PeerID(9)
        let (session, worker) = try front.begin(worker: peer, slots: 3)
        front.client(PeerID(7), session, .submit(LoopHarness.submit(3, loader: "slow")))
        try front.turn()
        let first = try #require(try front.takeFrames(toWorker: peer).last)
        let highest = try #require(first.flatMap { leases($0) }.max())
        front.worker(peer, worker.saying(.renewal(RenewalNumber(1), leases: [], readBelow: LeaseID(highest + 1))))
        try front.turn()
        let again = try front.takeFrames(toWorker: peer).map { $0.flatMap { jobs($0) } }.filter { !$0.isEmpty }
        #expect(again == [[1], [2], [3]])
    }

    private func leases(_ message: WorkerBoundMessage) -> [UInt64] {
        if case .grant(let grant) = message { grant.leases } else { [] }
    }

    @Test("while a slow disk holds grants back none is sent again, nor counts against its job, nor is one judged by that time afterwards")
    func slowDisk() {
        var (front, worker) = FrontHarness.serving()
        let job = front.submit(1, loader: "slow")
        front.settle()
        func isSentAgain() -> Bool { worker.renew(&front).contains { if case .sendToWorkerApart = $0 { true } else { false } } }
        func holdBack() {
            for second in 1...30 {
                front.pass(milliseconds: 1_000)
                let waited = Int64(second) * 1_000
                let reading = TurnReading(
                    began: front.now.monotonic, isWorkersDone: true, isClientsDone: true, undurable: .milliseconds(waited))
                _ = front.handle(.inputRead(reading))
                #expect(!isSentAgain(), "after \(second) s")
            }
            front.settle()
        }
        holdBack()
        #expect([isSentAgain(), isSentAgain()] == [false, true])
        // One that was sent again is judged when it could have been seen for long enough.
        holdBack()
        #expect([isSentAgain(), isSentAgain()] == [false, false])
        #expect(front.job(job)?.state == .running)
        #expect(front.job(job)?.crashCount == 0)
    }

    @Test("what is kept of a worker's reason is what the journal keeps of it, however long its name and reason are")
    func longReason() throws {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        let reason = String(repeating: "x", count: MessageBounds.textByteCount)
        _ = worker.send(.refusedGrants(.init(leases: worker.held.map(\.lease), code: .invalidData, reason: reason)), to: &front)
        let failure = try #require(front.job(job)?.failure)
        #expect(failure.text.utf8.count == MessageBounds.textByteCount)
        #expect(try WireCodec().decodeEntries(WireCodec().encode(front.entries)) == front.entries)
    }

    @Test("a refused grant frees its slot at once: its job fails with the worker's code, a busy worker gets it again, a cancelled one ends")
    func refused() {
        var (front, worker) = FrontHarness.serving(slots: 4)
        let jobs = (0..<4).map { _ in front.submit(1, loader: "slow") }
        worker.take(front.settle())
        _ = front.ask(.job(.cancel(jobs[2])))
        let leases = worker.held.map(\.lease)
        func refusal(_ leases: [UInt64], _ code: FailureCode) -> WorkerMessage {
            .refusedGrants(.init(leases: leases, code: code, reason: "it is what it is"))
        }
        let actions = worker.send(refusal([leases[0], leases[2], 999], .tooLarge), to: &front)
        #expect(actions.contains(.changed(.front, key: "front")), "a lease that it does not hold is a late report")
        _ = worker.send(refusal([leases[1]], .busy), to: &front)
        worker.held.removeSubrange(0..<3)
        #expect(jobs.map { front.job($0)?.state } == [.failed, .waiting, .cancelled, .running])
        #expect(front.job(jobs[0])?.failure?.code == .tooLarge)
        #expect(front.job(jobs[0])?.failure?.text.contains("it is what it is") == true)
        #expect(front.job(jobs[1])?.attempts == 0)
        #expect(front.worker(worker.id)?.slotsTaken == 1)
        worker.take(front.settle())
        #expect(worker.held.count == 1, "not before its next renewal")
        worker.take(worker.renew(&front) + front.settle())
        #expect(worker.held.map(\.job) == [jobs[3], jobs[1]].map(\.rawValue))
    }

    @Test("a worker that could not read a frame gets each grant that it has not listed again, alone and at once")
    func unreadableFrame() {
        var (front, worker) = FrontHarness.serving(slots: 3)
        let seen = front.run(1, loader: "slow", on: &worker)
        _ = worker.renew(&front)
        let unseen = (0..<2).map { _ in front.submit(1, loader: "slow") }
        front.settle()
        let notice = WorkerMessage.refusedGrants(.init(leases: [], code: .invalidData, reason: "what?"))
        let again = worker.send(notice, to: &front).compactMap { action -> [UInt64]? in
            if case .sendToWorkerApart(_, .grant(let grant)) = action { grant.jobs } else { nil }
        }
        #expect(again == unseen.map { [$0.rawValue] })
        #expect(front.job(seen)?.state == .running)
        // However often it says so, each goes once.
        #expect(worker.send(notice, to: &front).isEmpty)
    }

    @Test("that one worker has listed a job says nothing of the next one: a frame that it cannot read is sent again")
    func listedElsewhere() {
        var front = FrontHarness()
        var (first, second) = (WorkerHarness(1), WorkerHarness(2))
        front.open()
        first.register(with: &front)
        let job = front.submit(1, loader: "slow")
        first.take(front.settle())
        _ = first.renew(&front)
        _ = first.send(.close(), to: &front)
        second.register(with: &front)
        second.take(front.settle())
        #expect(second.held.map(\.job) == [job.rawValue])
        second.held = []
        second.take(second.send(.refusedGrants(.init(leases: [], code: .invalidData, reason: "it cannot be read")), to: &front))
        #expect(second.held.map(\.job) == [job.rawValue])
    }

    @Test("only a grant that stays unseen when it is sent alone counts against its job, and its slot stays taken until its lease is over")
    func unseen() {
        var (front, worker) = FrontHarness.serving()
        let jobs = (0..<2).map { _ in front.submit(1, loader: "slow") }
        front.settle()
        _ = worker.renew(&front)
        worker.take(worker.renew(&front))
        #expect(worker.held.map(\.job) == jobs.map(\.rawValue))
        // The second one cannot be read, however often it comes.
        worker.held.removeLast()
        for second in 1...10 {
            front.pass(milliseconds: 1_000)
            worker.take(worker.renew(&front) + front.settle())
            #expect(front.worker(worker.id)?.slotsTaken == 2, "after \(second) s")
        }
        front.pass(milliseconds: 500)
        _ = worker.renew(&front)
        #expect(jobs.map { front.job($0)?.state } == [.running, .waiting])
        #expect(jobs.map { front.job($0)?.crashCount } == [0, 1])
        #expect(front.job(jobs[1])?.waitReason == .suspected)
    }

    @Test("a worker that says it has read past all it holds is sent again what one message holds, the oldest first, and the rest later")
    func readPastAll() {
        var front = FrontHarness { $0.bounds.grantJobs = 3 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, prefetch: 16)
        _ = front.submit(8, loader: "noop")
        worker.take(front.settle())
        #expect(worker.held.count == 8)
        var sent: [[UInt64]] = []
        for _ in 0..<3 {
            worker.renewal += 1
            let actions = worker.send(
                .renewal(RenewalNumber(worker.renewal), leases: [], readBelow: LeaseID(.max)), to: &front)
            sent.append(
                actions.flatMap { action -> [UInt64] in
                    if case .grant(let grant)? = worker.message(in: action) { grant.jobs } else { [] }
                })
        }
        #expect(sent == [[1, 2, 3], [4, 5, 6], [7, 8]])
    }
}
