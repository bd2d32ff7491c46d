//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@testable import GantryWorker

@Suite("The worker's turn")
struct LoopTests {
    typealias Loop = WorkerLoop<FakeTransport, FakeRunner, FakeClock, WireCodec>

    let codec = WireCodec()

    func makeLoop(bounds: WorkerLoopBounds = WorkerLoopBounds()) -> Loop {
        let settings = WorkerSettings(
            worker: WorkerID(1), name: "w", processID: 9, slots: 2, prefetch: 2_000, loaders: Bench.loaders)
        return Loop(
            settings: settings, transport: FakeTransport(), runner: FakeRunner(), clock: FakeClock(), codec: codec, bounds: bounds)
    }

    func frame(_ messages: WorkerBoundMessage...) -> [UInt8] {
        codec.encode(WorkerBoundEnvelope(front: Bench.front, epoch: Epoch(10), messages: messages))
    }

    /// Turns once at `milliseconds` and returns what was sent.
    func turn(_ loop: inout Loop, at milliseconds: Int64, hearing frames: [UInt8]...) throws -> [WorkerEnvelope] {
        loop.clock.milliseconds = milliseconds
        loop.transport.arrived = frames
        loop.transport.sent = []
        _ = try loop.turn()
        return try loop.transport.sent.map { try codec.decodeWorker($0) }
    }

    func attach(_ loop: inout Loop) throws {
        _ = try turn(&loop, at: 0)
        _ = try turn(&loop, at: 0, hearing: frame(.registered(Bench.registration(1))))
        _ = try turn(&loop, at: 0, hearing: frame(.renewed(RenewalNumber(1), cancels: [])))
    }

    @Test("registers alone in a frame, then speaks under its registration")
    func attaching() throws {
        var loop = makeLoop()
        let first = try turn(&loop, at: 0)
        #expect(first.count == 1)
        #expect(first.first?.registrationNumber == RegistrationNumber.none)
        let second = try turn(&loop, at: 1, hearing: frame(.registered(Bench.registration(1))))
        #expect(
            second == [
                WorkerEnvelope(
                    worker: WorkerID(1), epoch: Epoch(10), registrationNumber: RegistrationNumber(1),
                    messages: [.renewal(RenewalNumber(1), leases: [])])
            ])
        #expect(loop.machine.nextDeadline == Bench.time(1_001))
    }

    @Test("bulk jobs are granted, run and reported in one turn and one frame, with the kernel timer on meanwhile")
    func bulkJobs() throws {
        var loop = makeLoop()
        try attach(&loop)
        var grant = Bench.grant("noop")
        for lease in 1...500 {
            grant.jobs.append(UInt64(lease))
            grant.leases.append(UInt64(lease))
            grant.loaderIndexes.append(0)
            grant.attempts.append(1)
            grant.arguments.append([7, UInt8(truncatingIfNeeded: lease)])
        }
        let sent = try turn(&loop, at: 10, hearing: frame(.grant(grant)))
        #expect(sent.count == 1)
        guard case .ended(let ended)? = sent.first?.messages.first else {
            Issue.record("no report")
            return
        }
        #expect(ended.leases == grant.leases)
        #expect(ended.results == grant.arguments)
        #expect(loop.clock.armedAt == nil)
        #expect(loop.counters.bulkJobs == 500)
    }

    @Test("the clock is read after the timer was armed: a process stopped there starts nothing")
    func stoppedWhileArming() throws {
        var loop = makeLoop()
        try attach(&loop)
        loop.clock.armingTakes = 3_500
        let sent = try turn(&loop, at: 10, hearing: frame(.grant(Bench.grant("sleep", 5))))
        #expect(loop.runner.started.isEmpty)
        #expect(sent.first?.messages.contains(Bench.ended(1, .returned, 5)) == true)
    }

    @Test("everything that arrived is read before deadlines: the answer that waited keeps the work alive")
    func readsBeforeDeadlines() throws {
        var loop = makeLoop()
        try attach(&loop)
        _ = try turn(&loop, at: 10, hearing: frame(.grant(Bench.grant("sleep", 5))))
        for second in 1...2 { _ = try turn(&loop, at: Int64(second) * 1_000) }
        _ = try turn(&loop, at: 4_000, hearing: frame(.renewed(RenewalNumber(3), cancels: [])))
        #expect(loop.runner.cancelled.isEmpty)
        #expect(loop.clock.armedAt == Bench.time(7_200))
        _ = try turn(&loop, at: 5_000)
        #expect(loop.runner.cancelled == [WorkToken(1)])
    }

    @Test("a registration that nobody takes is not kept for later, and is tried again soon")
    func unsentRegistration() throws {
        var loop = makeLoop()
        loop.transport.isConnected = false
        #expect(try turn(&loop, at: 0) == [])
        #expect(!loop.isBacklogged)
        #expect(loop.machine.nextDeadline == Bench.time(100))
        loop.transport.isConnected = true
        #expect(try turn(&loop, at: 100).count == 1)
    }

    @Test("frames that the transport does not take wait in order, up to a bound")
    func backlog() throws {
        var bounds = WorkerLoopBounds()
        bounds.outboxByteCount = 60
        var loop = makeLoop(bounds: bounds)
        try attach(&loop)
        loop.transport.isConnected = false
        for second in 1...4 {
            _ = try turn(&loop, at: Int64(second) * 1_000, hearing: frame(.renewed(RenewalNumber(1), cancels: [])))
        }
        #expect(loop.isBacklogged)
        #expect(loop.counters.unsentFrames > 0)
        loop.transport.isConnected = true
        let sent = try turn(&loop, at: 4_001)
        #expect(sent.first?.messages == [.renewal(RenewalNumber(2), leases: [])])
        #expect(!loop.isBacklogged)
    }

    @Test("a turn's messages are split where the front's largest frame ends")
    func splits() throws {
        var bounds = WorkerLoopBounds()
        bounds.frameByteCount = 400
        var loop = makeLoop(bounds: bounds)
        try attach(&loop)
        _ = try turn(&loop, at: 1, hearing: frame(.grant(Bench.grant("sleep", 5, 6))))
        loop.runner.reports = [.ended(WorkToken(1), .succeeded([UInt8](repeating: 1, count: 300), nil))]
        let sent = try turn(
            &loop, at: 2, hearing: frame(.cancel(leases: [6])), frame(.grant(Bench.grant("noop", 7))))
        #expect(sent.count > 1)
        #expect(sent.flatMap(\.messages).count == 4)
        #expect(loop.transport.sent.allSatisfy { $0.count <= 500 })
    }

    @Test("a frame that cannot be read is counted, harms nothing, and the front is told of it")
    func rubbish() throws {
        var loop = makeLoop()
        try attach(&loop)
        let sent = try turn(&loop, at: 5, hearing: [0xff, 0xff, 0xff, 0x01], frame(.grant(Bench.grant("sleep", 5))))
        guard case .refusedGrants(let refused)? = sent.first?.messages.first else {
            Issue.record("the front is not told: \(sent)")
            return
        }
        #expect(refused.leases.isEmpty && refused.code == .invalidData)
        #expect(loop.counters.malformed == 1)
        #expect(loop.runner.started.count == 1)
    }

    @Test("late words are counted by their reason")
    func counted() throws {
        var loop = makeLoop()
        try attach(&loop)
        _ = try turn(&loop, at: 5, hearing: frame(.acknowledged(reports: [9]), .grant(Bench.grant("noop", 1, registrationNumber: 0))))
        #expect(loop.counters.ignored == [.unknownReport: 1, .registrationOver: 1])
    }
}
