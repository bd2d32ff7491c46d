//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import GantryWorker

@Suite("Leases and grants")
struct LeaseTests {
    @Test("a grant arms the kernel timer, then the clock is read, then the job starts; an idle worker is left alone")
    func grantArmsFirst() {
        var bench = Bench.registered()
        #expect(bench.receive(.grant(Bench.grant("sleep", 5)), at: 10) == [.armKillTimer(at: Bench.time(5_200))])
        #expect(bench.on(.killTimerArmed, at: 11) == [Bench.start(1, lease: 5)])
        #expect(bench.on(.turnEnds, at: 11) == [])
        #expect(bench.on(.reported(.ended(WorkToken(1), .succeeded([7], nil))), at: 12) == [])
        #expect(bench.on(.turnEnds, at: 12) == [.send(Bench.ended(1, .succeeded, 5, result: [7])), .disarmKillTimer])
    }

    @Test("a worker that was stopped between arming and reading the clock gives the grant back")
    func stoppedAfterArming() {
        var bench = Bench.registered()
        _ = bench.receive(.grant(Bench.grant("sleep", 5)), at: 10)
        #expect(bench.on(.killTimerArmed, at: 3_001) == [])
        #expect(bench.on(.turnEnds, at: 3_001) == [.send(Bench.ended(1, .returned, 5)), .disarmKillTimer])
    }

    @Test("the lease of a grant counts from the renewal that it names, though later ones were answered")
    func grantOfAnOldRenewal() {
        var bench = Bench.registered()
        for second in 1...4 {
            _ = bench.on(.tick, at: Int64(second) * 1_000)
            _ = bench.receive(.renewed(RenewalNumber(UInt64(second) + 1), cancels: []), at: Int64(second) * 1_000)
        }
        #expect(bench.take(Bench.grant("sleep", 5, renewal: 1), at: 4_000) == [.armKillTimer(at: Bench.time(9_200))])
        #expect(bench.on(.turnEnds, at: 4_000) == [.send(Bench.ended(1, .returned, 5)), .disarmKillTimer])
        #expect(bench.take(Bench.grant("sleep", 6, renewal: 5), at: 4_000).last == Bench.start(1, lease: 6))
    }

    @Test("a grant naming no renewal counts from the first registration that the front may have read")
    func grantFromTheRegistration() {
        var bench = Bench()
        for second in 0...2 { _ = bench.on(.tick, at: Int64(second) * 1_000) }
        _ = bench.receive(.registered(Bench.registration(1)), .renewed(RenewalNumber(1), cancels: []), at: 2_100)
        #expect(bench.take(Bench.grant("sleep", 5, renewal: 0), at: 2_999).last == Bench.start(1, lease: 5))
        _ = bench.on(.turnEnds, at: 2_999)
        _ = bench.take(Bench.grant("sleep", 6, renewal: 0), at: 3_001)
        #expect(bench.on(.turnEnds, at: 3_001) == [.send(Bench.ended(1, .returned, 6))])
    }

    @Test("a registration that could not be sent does not count")
    func unsentRegistration() {
        var bench = Bench()
        for second in 0...9 {
            _ = bench.on(.tick, at: Int64(second) * 1_000)
            if second < 9 { _ = bench.on(.registerUnsent, at: Int64(second) * 1_000) }
        }
        _ = bench.receive(.registered(Bench.registration(1)), .renewed(RenewalNumber(1), cancels: []), at: 9_000)
        #expect(bench.take(Bench.grant("sleep", 5, renewal: 0), at: 11_999).last == Bench.start(1, lease: 5))
    }

    @Test("after a long search for the front nothing starts before a renewal is answered, and no timer of the past is armed")
    func longSearch() {
        var bench = Bench()
        for second in 0...20 { _ = bench.on(.tick, at: Int64(second) * 1_000) }
        _ = bench.receive(.registered(Bench.registration(1)), at: 20_000)
        #expect(bench.receive(.grant(Bench.grant("sleep", 5, renewal: 0)), at: 20_001) == [])
        #expect(bench.on(.turnEnds, at: 20_001) == [])
        #expect(bench.receive(.renewed(RenewalNumber(1), cancels: []), at: 20_010) == [.armKillTimer(at: Bench.time(25_200))])
        #expect(bench.on(.killTimerArmed, at: 20_010) == [])
        #expect(bench.on(.turnEnds, at: 20_010) == [.send(Bench.ended(1, .returned, 5)), .disarmKillTimer])
        #expect(bench.take(Bench.grant("sleep", 6, renewal: 1), at: 20_020).last == Bench.start(1, lease: 6))
    }

    @Test("a grant waits for the first answer under its registration, and is forgotten when the front registered the worker once more")
    func grantBeforeTheFirstAnswer() {
        var bench = Bench()
        _ = bench.on(.tick, at: 0)
        _ = bench.receive(.registered(Bench.registration(1)), .grant(Bench.grant("sleep", 5, renewal: 0)), at: 1)
        #expect(bench.on(.turnEnds, at: 1) == [])
        _ = bench.receive(.registered(Bench.registration(2)), at: 2)
        #expect(bench.on(.tick, at: 2) == [Bench.registerAction()])
        _ = bench.receive(.registered(Bench.registration(3)), .grant(Bench.grant("sleep", 6, registrationNumber: 3, renewal: 0)), at: 3)
        #expect(bench.receive(.renewed(RenewalNumber(2), cancels: []), at: 4) == [.armKillTimer(at: Bench.time(5_203))])
        #expect(bench.on(.killTimerArmed, at: 4) == [Bench.start(1, lease: 6)])
    }

    @Test("an answered renewal moves lease and kernel timer to its sending plus the lease; an old one moves nothing")
    func echoMovesTheLease() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 10)
        _ = bench.on(.tick, at: 1_000)
        #expect(bench.receive(.renewed(RenewalNumber(2), cancels: []), at: 1_900) == [.armKillTimer(at: Bench.time(6_200))])
        #expect(bench.receive(.renewed(RenewalNumber(1), cancels: []), at: 1_901) == [])
        #expect(bench.receive(.renewed(RenewalNumber(9), cancels: []), at: 1_902) == [.ignored(.unknownRenewal)])
    }

    @Test("2 s before the lease ends all work is told to stop, and reported as cancelled though nobody asked")
    func stopsBeforeTheEnd() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 10)
        _ = bench.on(.turnEnds, at: 10)
        for second in 1...2 { _ = bench.on(.tick, at: Int64(second) * 1_000) }
        #expect(bench.machine.nextDeadline == Bench.time(3_000))
        #expect(
            bench.on(.tick, at: 3_000) == [
                .cancelWork(WorkToken(1), .leaseLost), .cancelWork(WorkToken(2), .leaseLost),
                .send(.renewal(RenewalNumber(4), leases: [5, 6])),
            ])
        #expect(bench.receive(.grant(Bench.grant("sleep", 7, renewal: 3)), at: 3_001) == [])
        _ = bench.on(.reported(.ended(WorkToken(1), .cancelled)), at: 3_100)
        _ = bench.on(.reported(.ended(WorkToken(2), .succeeded([1], nil))), at: 3_100)
        guard case .send(.ended(let ended))? = bench.on(.turnEnds, at: 3_100).first else {
            Issue.record("no report")
            return
        }
        #expect(ended.leases == [7, 5, 6])
        #expect(ended.outcomes == [.returned, .cancelled, .succeeded])
    }

    @Test("of any lease two fifths are left to stop work in, but 2 s at most", arguments: [(1_000, 600), (20_000, 18_000)])
    func margin(lease: UInt32, stop: Int64) {
        var bench = Bench()
        _ = bench.on(.tick, at: 0)
        let registered = WorkerBoundMessage.Registered(
            registrationNumber: RegistrationNumber(1), lease: .milliseconds(lease), renewal: .milliseconds(200), decisions: [])
        _ = bench.receive(.registered(registered), at: 0)
        _ = bench.receive(.renewed(RenewalNumber(1), cancels: []), at: 0)
        #expect(bench.machine.stopAt == Bench.time(stop))
    }

    @Test("at the end of the lease work is forgotten, but only when it has really ended the worker registers; outcomes are offered again")
    func endOfTheLease() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 10)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([1], nil))), at: 20)
        _ = bench.on(.turnEnds, at: 20)
        for second in 1...4 { _ = bench.on(.tick, at: Int64(second) * 1_000) }
        #expect(bench.on(.tick, at: 5_000) == [.reconnect])
        #expect(bench.on(.turnEnds, at: 5_000) == [])
        #expect(bench.on(.reported(.ended(WorkToken(2), .cancelled)), at: 5_100) == [.ignored(.unknownWork)])
        #expect(bench.on(.tick, at: 5_100) == [Bench.registerAction([(105, 5)])])
        #expect(bench.on(.turnEnds, at: 5_100) == [.disarmKillTimer])
    }

    @Test("work that the front has dropped is named until it ends; nothing starts beside it, and the kernel's grace period does not grow")
    func droppedWork() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 10)
        _ = bench.on(.turnEnds, at: 10)
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 1_000)
        _ = bench.on(.tick, at: 1_000)
        let registered = WorkerBoundMessage.registered(Bench.registration(1, [Bench.decision(5, .drop)]))
        #expect(
            bench.receive(registered, .renewed(RenewalNumber(2), cancels: []), at: 1_001) == [
                .cancelWork(WorkToken(1), .leaseLost), .send(.overdue(jobs: [105])), .send(.renewal(RenewalNumber(2), leases: [])),
            ])
        #expect(bench.receive(.grant(Bench.grant("sleep", 7, 8, renewal: 2)), at: 1_002) == [])
        #expect(bench.on(.turnEnds, at: 1_002) == [.send(Bench.ended(1, .returned, 7, 8))])
        #expect(
            bench.on(.tick, at: 2_001) == [.send(.overdue(jobs: [105])), .send(.renewal(RenewalNumber(3), leases: [7, 8]))])
        #expect(
            bench.on(.reported(.ended(WorkToken(1), .cancelled)), at: 2_002) == [.send(.overdue(jobs: [])), .ignored(.unknownWork)])
        #expect(bench.on(.turnEnds, at: 2_002) == [.disarmKillTimer])
    }

    @Test("a grant of an older registration is dropped without an answer")
    func grantOfOlderRegistration() {
        var bench = Bench.registered()
        #expect(bench.receive(.grant(Bench.grant("sleep", 5, registrationNumber: 0)), at: 1) == [.ignored(.registrationOver)])
        #expect(bench.on(.turnEnds, at: 1) == [])
    }

    @Test("a repeated grant does not run twice: while it runs, when its outcome is kept, and after it is durable")
    func repeatedGrant() {
        var bench = Bench.registered()
        let grant = Bench.grant("sleep", 5)
        _ = bench.take(grant, at: 1)
        #expect(bench.receive(.grant(grant), at: 2) == [.ignored(.knownLease)])
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 3)
        _ = bench.on(.turnEnds, at: 3)
        #expect(bench.take(grant, at: 4) == [.armKillTimer(at: Bench.time(5_200)), .ignored(.knownLease)])
        _ = bench.on(.turnEnds, at: 4)
        _ = bench.receive(.acknowledged(reports: [1]), at: 5)
        #expect(bench.take(grant, at: 6) == [.armKillTimer(at: Bench.time(5_200)), .ignored(.knownLease)])
        #expect(bench.on(.turnEnds, at: 6) == [.disarmKillTimer])
    }

    @Test("a malformed grant, one for an unknown loader, one without a free slot")
    func oddGrants() {
        var bench = Bench.registered(slots: 1)
        var grant = Bench.grant("sleep", 5)
        grant.arguments.appendEmpty()
        let refused = WorkerMessage.RefusedGrants(
            leases: [5], code: .invalidData, reason: "the columns of the grant do not fit each other")
        #expect(bench.receive(.grant(grant), at: 1) == [.ignored(.malformed), .send(.refusedGrants(refused))])
        _ = bench.take(Bench.grant("sleep", 6, 7), at: 2)
        #expect(bench.on(.turnEnds, at: 2) == [.send(Bench.ended(1, .returned, 7))])
        #expect(bench.receive(.grant(Bench.grant("paint", 8)), at: 3) == [])
        guard case .send(.ended(let ended))? = bench.on(.turnEnds, at: 3).first else {
            Issue.record("no report")
            return
        }
        #expect(ended.failures.map(\.value.code) == [.unknownLoader])
    }

    @Test("a grant that names a lease twice starts its job once, be it short or not", arguments: ["noop", "sleep"])
    func namedTwice(loader: String) {
        var bench = Bench.registered()
        let actions = bench.take(Bench.grant(loader, 5, 5), at: 1)
        #expect(actions.count { $0 == .ignored(.knownLease) } == 1)
        #expect(bench.on(.tick, at: 1_000).contains(.send(.renewal(RenewalNumber(2), leases: [5]))))
    }
}
