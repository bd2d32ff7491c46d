//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@Suite("The front's loop")
struct LoopTests {
    private let peer = PeerID(7)

    private func open(_ front: LoopHarness, largestFrame: UInt32 = 1 << 20) throws -> SessionID {
        var hello = ClientMessage.Hello(label: "test")
        hello.largestFrame = largestFrame
        front.client(peer, .none, .hello(hello))
        try front.turn()
        return try #require(try front.takeSent(to: peer).first?.envelope.session)
    }

    @Test("topics without items publish a bookmark when they are subscribed and later, with the checksum of nothing")
    func emptyTopics() throws {
        let topic = Topic.workers
        let front = try LoopHarness()
        let session = try open(front)
        front.subscribe(topic)
        try front.turn()
        #expect(front.takePublished().count == 1)
        front.client(peer, session, .snapshot(topic: topic))
        try front.turn()
        guard case .snapshot(let part)? = try front.takeSent(to: peer).first?.envelope.messages.first else {
            Issue.record("no snapshot")
            return
        }
        #expect(part.items.isEmpty && part.partCount == 1 && part.checksum == TopicChecksum())
        let bookmark = Publication.bookmark(.init(front: FrontID(1), epoch: Epoch(5), sequence: part.sequence, checksum: TopicChecksum()))
        #expect(front.takePublished() == [bookmark])
        front.pass(milliseconds: 1_000)
        try front.turn()
        #expect(front.takePublished() == [bookmark])
    }

    @Test("what one client is told in a turn is split at the largest frame that it takes")
    func largestFrame() throws {
        let front = try LoopHarness()
        let session = try open(front, largestFrame: 131_072)
        let unknown = (0..<24_000).map { JobID(1_000_000 + $0) }
        front.client(
            peer, session, .request(.init(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), body: .job(.outcomes(unknown)))))
        try front.turn()
        let sent = try front.takeSent(to: peer)
        #expect(sent.count > 1)
        #expect(sent.allSatisfy { $0.byteCount <= 131_072 })
        var reported: [UInt64] = []
        for message in sent.flatMap(\.envelope.messages) {
            if case .answers(let answers) = message { reported += answers.unknown }
        }
        #expect(reported == unknown.map(\.rawValue))
    }

    @Test("what one worker is told in a turn is split at the largest frame, and only the last part says that all was sent")
    func largestWorkerFrame() throws {
        let worker = PeerID(9)
        let cancels = (UInt64(1)...4).map { WorkerBoundMessage.cancel(leases: [$0]) }
        let half = WorkerBoundEnvelope(front: FrontID(1), epoch: Epoch(5), messages: Array(cancels[..<2]), sentBelow: LeaseID(5))
        var settings = LoopSettings()
        settings.largestFrame = WireCodec().encode(half).count
        let front = try LoopHarness(loop: settings)
        let (session, _) = try front.begin(worker: worker, slots: 4)
        front.client(peer, session, LoopHarness.submit(1, 4))
        try front.turn()
        // A message that is larger by itself goes as it is.
        var leases: [UInt64] = []
        for case .grant(let grant) in try front.takeSent(toWorker: worker) { leases += grant.leases }
        #expect(leases == [1, 2, 3, 4])
        front.client(peer, session, (UInt64(1)...4).map { LoopHarness.request($0 + 1, .job(.cancel(JobID($0)))) })
        try front.turn()
        let sent = try front.takeEnvelopes(toWorker: worker)
        #expect(sent.map(\.messages) == [Array(cancels[..<2]), Array(cancels[2...])])
        #expect(sent.map(\.sentBelow) == [.none, LeaseID(5)])
    }

    @Test("however long a restore takes, leases of an unknown boot count from its end, and what waited meanwhile is answered at once")
    func slowRestore() throws {
        let worker = PeerID(9)
        let first = try LoopHarness()
        let session = try open(first)
        var registration = WorkerMessage.Registration(
            name: "w", processID: 1, slots: 2, prefetch: 0, loaders: [LoaderDeclaration(name: "slow")])
        registration.secret = Array(repeating: 3, count: 32)
        first.worker(worker, WorkerEnvelope(worker: WorkerID(3), messages: [.register(registration)]))
        try first.turn()
        let submit = ClientMessage.Submit(
            number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "slow", reportsOutcomes: true,
            arguments: [[]])
        first.client(peer, session, .submit(submit))
        try first.turn()
        let registrationNumber = RegistrationNumber(1)
        for case .grant(let grant) in try first.takeSent(toWorker: worker) {
            registration.held = [WorkerMessage.HeldLease(job: JobID(grant.jobs[0]), lease: LeaseID(grant.leases[0]))]
        }
        #expect(registration.held.count == 1)
        let next = try LoopHarness(after: first, millisecondsToReadRow: 3_000)
        #expect(next.now().monotonic.duration(since: first.now().monotonic).wholeMilliseconds > 5_500)
        let known = WorkerEnvelope(
            worker: WorkerID(3), epoch: Epoch(5), registrationNumber: registrationNumber,
            messages: [.renewal(RenewalNumber(7), leases: [1])])
        next.worker(worker, known)
        try next.turn()
        #expect(try next.takeSent(toWorker: worker) == [.reregister])
        next.worker(
            worker,
            WorkerEnvelope(
                worker: WorkerID(3), epoch: Epoch(5), registrationNumber: registrationNumber, messages: [.register(registration)]))
        try next.turn()
        guard case .registered(let registered)? = try next.takeSent(toWorker: worker).first else {
            Issue.record("not attached")
            return
        }
        #expect(registered.decisions.map(\.decision) == [.keep])
        let renewal = WorkerEnvelope(
            worker: WorkerID(3), epoch: Epoch(6), registrationNumber: registered.registrationNumber,
            messages: [.renewal(RenewalNumber(8), leases: [])])
        next.worker(worker, renewal)
        try next.turn(1)
        #expect(try next.takeSent(toWorker: worker) == [.renewed(RenewalNumber(8), cancels: [])])
    }

    @Test("the first row of a life says which it is, behind those of the lives before")
    func firstRow() throws {
        let first = try LoopHarness()
        try first.turn(1)
        let next = try LoopHarness(after: first)
        try next.turn(1)
        let epochs = try next.rows.flatMap { try WireCodec().decodeEntries($0.entries) }.compactMap { entry in
            if case .epochBegan(let began) = entry { began.epoch } else { nil }
        }
        #expect(next.rows.count == 2 && epochs == [first.epoch, next.epoch])
    }

    @Test("a frame that a full socket does not take is kept, and tried again 5 ms later; nobody is told that it is dropped")
    func fullSocket() throws {
        let front = try LoopHarness()
        let session = try open(front)
        var notes: [LoopNote] = []
        front.loop.onNote = { notes.append($0) }
        front.results[peer] = .full
        front.client(peer, session, LoopHarness.request(1, .listFeeds(after: nil)))
        try front.turn()
        #expect(front.deadline == front.now().monotonic.advanced(by: .milliseconds(5)))
        #expect(try front.takeReplies().isEmpty)
        front.results[peer] = nil
        front.pass(milliseconds: 5)
        try front.turn(1)
        #expect(try front.takeReplies().count == 1 && notes.isEmpty)
    }

    @Test("a damaged object is dealt with at once, though nothing else happens")
    func damage() throws {
        let front = try LoopHarness()
        try front.turn()
        front.loop.noteDamage(of: ObjectDigest(words: (1, 2, 3, 4)))
        try front.turn(1)
        #expect(front.deadline == front.now().monotonic)
        try front.turn(1)
        #expect(front.deadline != front.now().monotonic)
    }

    @Test("who observes a topic is sent what has changed, numbered without a hole, and needs to ask for nothing")
    func changes() throws {
        let front = try LoopHarness()
        let session = try open(front)
        front.subscribe(.jobs)
        try front.turn()
        _ = front.takePublished()
        for number in UInt64(1)...3 {
            front.client(peer, session, LoopHarness.submit(number, 1))
            front.pass(milliseconds: 200)
            try front.turn()
        }
        let changes = front.takePublished().compactMap { publication -> Publication.Change? in
            if case .change(let change) = publication { change } else { nil }
        }
        let first = try #require(changes.first).bookmark.sequence.rawValue
        #expect(changes.count >= 3 && changes.map(\.bookmark.sequence.rawValue) == Array(first..<first + UInt64(changes.count)))
        #expect(changes.flatMap(\.puts).count >= 3)
    }

    @Test("a topic that changes in the turn that has a bookmark and a snapshot of it is verified once, by the change")
    func changedAndSubscribed() throws {
        let front = try LoopHarness()
        let session = try open(front)
        front.subscribe(.workers)
        try front.turn()
        #expect(front.takePublished().count == 1)
        front.subscribe(.workers)
        front.client(peer, session, .snapshot(topic: .workers))
        _ = try front.register(3, at: PeerID(9))
        let published = front.takePublished()
        guard case .change(let change)? = published.first, case .snapshot(let part)? = try front.takeMessages().first else {
            Issue.record("there is no change, or no snapshot")
            return
        }
        #expect(published.count == 1 && part.sequence == change.bookmark.sequence && part.items == change.puts)
    }

    @Test("whoever has its turn has a share of messages handled, and then the next one")
    func shares() throws {
        var settings = LoopSettings()
        settings.shareMessages = 2
        let front = try LoopHarness(loop: settings)
        let clients = [PeerID(7), PeerID(8)]
        let sessions = try clients.map { try front.open($0) }
        let workers = [PeerID(17), PeerID(18)]
        let senders = [try front.register(3, at: workers[0]), try front.register(4, at: workers[1])]
        var handled: [PeerID] = []
        front.loop.onDecision = { event, _ in
            switch event {
            case .clientSent(let peer, _, _, _, _), .workerSent(let peer, _, _, _, _): handled.append(peer)
            default: break
            }
        }
        let word = ClientMessage.heartbeat(lowestUnanswered: RequestNumber(1))
        for (peer, session) in zip(clients, sessions) { front.client(peer, session, word, word, word) }
        for (peer, sender) in zip(workers, senders) { front.worker(peer, sender.saying(.progress([]), .progress([]), .progress([]))) }
        try front.turn(1)
        func inShares(_ peers: [PeerID]) -> [PeerID] { peers.flatMap { [$0, $0] } + peers }
        #expect(handled.filter(workers.contains) == inShares(workers))
        #expect(handled.filter(clients.contains) == inShares(clients))
    }
}
