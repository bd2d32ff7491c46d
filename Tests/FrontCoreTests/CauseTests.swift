//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@testable import FrontCore

@Suite("Actions and the events that caused them")
struct CauseTests {
    @Test("every action carries the number of its event, also where one buffer holds those of many")
    func causes() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        _ = front.submit(3, loader: "slow")
        var events: [FrontEvent] = [.inputRead(upTo: front.now.monotonic), .topicObserved(.jobs, true), .storageFull(true)]
        events += [
            .peerFull(front.client, true), .storageFull(false), .peerLost(worker.peer),
            .processEnded(ProcessIdentity(namespace: "boot/1", number: 4, start: 4)),
        ]
        var (apart, together) = (front.machine, front.machine)
        var expected: [(cause: EventID, action: FrontAction)] = []
        var actions = FrontActions()
        for event in events {
            var own: [FrontAction] = []
            apart.handle(event, at: front.now, into: &own)
            expected += own.map { (apart.lastEvent, $0) }
            together.handle(event, at: front.now, into: &actions)
        }
        let found = Array(actions)
        #expect(found.map(\.action) == expected.map(\.action) && found.map(\.cause) == expected.map(\.cause))
        #expect(Set(found.map(\.cause)).count > 3, "several events decide something")
        #expect(found.map(\.cause) == found.map(\.cause).sorted() && actions.count == found.count)
        actions.removeAll()
        #expect(actions.isEmpty && Array(actions).isEmpty)
    }

    @Test("what a buffer held before it was emptied is no cause of what it holds later")
    func emptied() {
        var actions = FrontActions()
        for number in UInt64(1)...2 {
            actions.begin(EventID(number))
            actions.append(.unwatch(ProcessIdentity(namespace: "boot/1", number: 4, start: 4)))
        }
        while actions.takeFirst() != nil {}
        actions.begin(EventID(3))
        actions.append(.unwatch(ProcessIdentity(namespace: "boot/1", number: 4, start: 4)))
        #expect(actions.takeFirst()?.cause == EventID(3))
    }

    @Test("events count from 1 in each life, and what its start decides has number 0")
    func numbers() {
        var front = FrontHarness()
        #expect(front.machine.lastEvent == .start)
        front.settle()
        // The harness says after each event that all was sent.
        #expect(front.machine.lastEvent == EventID(2))
        var restarted = FrontMachine(settings: front.settings, now: front.now)
        var actions = FrontActions()
        restarted.start(at: front.now, into: &actions)
        #expect(!actions.isEmpty && actions.allSatisfy { $0.cause == .start })
    }

    @Test("who follows a loop's decisions is told of the beginning first, which no event has caused")
    func beginning() throws {
        let harness = try LoopHarness()
        try harness.turn()
        let epoch = harness.epoch.advanced()
        let settings = FrontSettings(front: FrontID(1), epoch: epoch, sessionKey: SessionKey(1, epoch.rawValue))
        var loop = FrontLoop(
            front: settings, loop: LoopSettings(), transport: harness, journal: harness, clock: harness, codec: WireCodec())
        var told: [(event: FrontEvent?, count: Int)] = []
        loop.onDecision = { event, actions in told.append((event, actions.count)) }
        try loop.restore()
        #expect(told.count { $0.event == nil } == 1 && told.first.map { $0.event == nil && $0.count > 0 } == true)
        try loop.turn()
        #expect(told.count > 1 && told.last?.event != nil)
    }

    /// What the loop says for a log, and the events of which it was told.
    private final class Log {
        var notes: [LoopNote] = []
        var events: [EventID: FrontEvent] = [:]

        init(_ front: LoopHarness) {
            front.loop.onNote = { [unowned self] in notes.append($0) }
            var last = front.loop.machine.lastEvent
            front.loop.onDecision = { [unowned self] event, _ in
                last = last.advanced()
                events[last] = event
            }
        }

        /// The events behind the notes of a kind.
        func causes(where isWanted: (LoopNote.Kind) -> Bool) -> [FrontEvent?] {
            notes.filter { isWanted($0.kind) }.map { events[$0.cause] }
        }
    }

    @Test("a refused frame names its event")
    func refused() throws {
        let front = try LoopHarness()
        let log = Log(front)
        front.send([0x0A, 0x7F, 1], from: PeerID(9), on: .clients)
        front.send([1, 2], from: .none, on: .subscriptions)
        try front.turn()
        #expect(log.notes.map(\.peer) == [PeerID(9), nil])
        for (note, channel) in zip(log.notes, [FrontChannel.clients, .subscriptions]) {
            guard case .malformedFrame(_, channel, let error)? = log.events[note.cause] else {
                Issue.record("\(note) is not about the event \(String(describing: log.events[note.cause]))")
                continue
            }
            #expect(note.kind == .frameRefused(channel, error) && note.text.contains(error.description))
        }
    }

    @Test("a frame that finds nobody, or no room, names the request that it answers")
    func unsent() throws {
        var settings = LoopSettings()
        settings.outboxByteLimit = 80
        let front = try LoopHarness(loop: settings)
        let (gone, slow) = (PeerID(7), PeerID(8))
        var sessions: [PeerID: SessionID] = [:]
        for peer in [gone, slow] { sessions[peer] = try front.open(peer) }
        let log = Log(front)
        (front.results[gone], front.results[slow]) = (.gone, .full)
        for peer in [gone, slow] {
            front.client(peer, sessions[peer] ?? .none, LoopHarness.request(1, .job(.explain(JobID(4_000)))))
            try front.turn()
        }
        for _ in 0..<2 {
            front.client(slow, sessions[slow] ?? .none, LoopHarness.submit(2, 1))
            try front.turn()
        }
        func isSaying(_ event: FrontEvent?, _ peer: PeerID) -> Bool {
            if case .clientSent(peer, _, _, _, _)? = event { true } else { false }
        }
        let lost = log.causes { if case .peerGone = $0 { true } else { false } }
        let dropped = log.causes { if case .frameDropped = $0 { true } else { false } }
        #expect(lost.count == 1 && lost.allSatisfy { isSaying($0, gone) }, "\(log.notes)")
        #expect(!dropped.isEmpty && dropped.allSatisfy { isSaying($0, slow) }, "\(log.notes)")
    }

    @Test("a worker that is given up names the turn that found its lease over")
    func givenUp() throws {
        let front = try LoopHarness()
        let (_, worker) = try front.begin(worker: PeerID(3))
        let log = Log(front)
        front.pass(milliseconds: 20_000)
        try front.turn()
        front.pass(milliseconds: 20_000)
        try front.turn()
        let given = log.notes.filter { $0.kind == .workerGivenUp(worker.id) }
        #expect(given.count == 1)
        guard let cause = given.first?.cause, case .inputRead? = log.events[cause] else {
            Issue.record("\(log.notes)")
            return
        }
    }
}
