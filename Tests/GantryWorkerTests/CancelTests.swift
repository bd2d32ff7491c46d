//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryWorker

@Suite("Cancels")
struct CancelTests {
    @Test("a running job: delivered, told to stop, stopping; its slot is free only when the work has really ended")
    func running() {
        var bench = Bench.registered(slots: 1)
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.turnEnds, at: 1)
        #expect(
            bench.receive(.cancel(leases: [5]), at: 2) == [
                .send(.cancelStep(LeaseID(5), .delivered)), .cancelWork(WorkToken(1), .requested),
                .send(.cancelStep(LeaseID(5), .stopping)),
            ])
        #expect(bench.receive(.grant(Bench.grant("sleep", 6)), at: 3) == [])
        #expect(bench.on(.turnEnds, at: 3) == [.send(Bench.ended(1, .returned, 6))])
        #expect(bench.on(.reported(.ended(WorkToken(1), .succeeded([1], nil))), at: 4) == [])
        #expect(bench.on(.turnEnds, at: 4) == [.send(Bench.ended(2, .cancelled, 5)), .disarmKillTimer])
    }

    @Test("a cancel repeated in a renewal answer tells the task once and says stopping again")
    func repeated() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.receive(.cancel(leases: [5]), at: 2)
        #expect(bench.receive(.renewed(RenewalNumber(1), cancels: [5]), at: 3) == [.send(.cancelStep(LeaseID(5), .stopping))])
    }

    @Test("a cancel that overtakes its grant ends the job as cancelled when the grant comes, once")
    func beforeTheGrant() {
        var bench = Bench.registered()
        #expect(bench.receive(.cancel(leases: [5]), at: 1) == [.send(.cancelStep(LeaseID(5), .delivered))])
        #expect(bench.receive(.cancel(leases: [5]), at: 2) == [])
        #expect(
            bench.take(Bench.grant("sleep", 5, 6), at: 3) == [
                .armKillTimer(at: Bench.time(5_200)), .send(.cancelStep(LeaseID(5), .stopping)), Bench.start(1, lease: 6),
            ])
        #expect(bench.on(.turnEnds, at: 3) == [.send(Bench.ended(1, .cancelled, 5))])
    }

    @Test("remembered cancels are bounded and forgotten in time")
    func bounded() {
        var bench = Bench.registered { $0.rememberedCancels = 2 }
        _ = bench.receive(.cancel(leases: [5, 6, 7]), at: 1)
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 2)
        #expect(bench.on(.turnEnds, at: 2) == [.send(Bench.ended(1, .cancelled, 6))])
        for second in 1...11 {
            _ = bench.on(.tick, at: Int64(second) * 1_000)
            _ = bench.receive(.renewed(RenewalNumber(UInt64(second) + 1), cancels: []), at: Int64(second) * 1_000)
        }
        #expect(bench.take(Bench.grant("sleep", 7, renewal: 12), at: 11_001).last == Bench.start(2, lease: 7))
    }

    @Test("a bulk job in the line is taken out")
    func inTheLine() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("noop", 5, 6), at: 1)
        #expect(
            bench.receive(.cancel(leases: [5]), at: 2) == [
                .send(.cancelStep(LeaseID(5), .delivered)), .send(.cancelStep(LeaseID(5), .stopping)),
            ])
        #expect(bench.on(.turnEnds, at: 2) == [.send(Bench.ended(1, .cancelled, 5))])
    }

    @Test("one message cancels jobs in slots, in the line and not yet granted, each once and in its order")
    func together() {
        var bench = Bench.registered(slots: 1)
        _ = bench.take(Bench.grant("sleep", 4), at: 1)
        _ = bench.take(Bench.grant("noop", 5, 6, 7), at: 1)
        #expect(
            bench.receive(.cancel(leases: [7, 4, 99, 5]), at: 2) == [
                .send(.cancelStep(LeaseID(7), .delivered)), .send(.cancelStep(LeaseID(7), .stopping)),
                .send(.cancelStep(LeaseID(4), .delivered)), .cancelWork(WorkToken(1), .requested),
                .send(.cancelStep(LeaseID(4), .stopping)),
                .send(.cancelStep(LeaseID(99), .delivered)), .send(.cancelStep(LeaseID(5), .delivered)),
                .send(.cancelStep(LeaseID(5), .stopping)),
            ])
        #expect(bench.machine.lineCount == 1)
    }

    @Test("a cancel of a job that has ended is ignored: its report is on the way")
    func afterTheEnd() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 2)
        #expect(bench.receive(.cancel(leases: [5]), at: 3) == [.ignored(.alreadyEnded)])
    }
}
