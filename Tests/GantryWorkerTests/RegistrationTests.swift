//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryWorker

@Suite("A worker's registration")
struct RegistrationTests {
    @Test("the worker registers at once and again every second until it is registered")
    func registersUntilRegistered() {
        var bench = Bench()
        #expect(bench.on(.tick, at: 0) == [Bench.registerAction()])
        #expect(bench.on(.tick, at: 999) == [])
        #expect(bench.machine.nextDeadline == Bench.time(1_000))
        #expect(bench.on(.tick, at: 1_000) == [Bench.registerAction()])
        #expect(bench.receive(.registered(Bench.registration(1)), at: 1_001) == [.send(.renewal(RenewalNumber(1), leases: []))])
        #expect(bench.on(.tick, at: 2_000) == [])
    }

    @Test("a renewal says how far the front's envelopes were read under this registration, and nothing while a read grant is not listed")
    func readBelow() {
        var bench = Bench.registered()
        func receive(_ message: WorkerBoundMessage, sentBelow: UInt64, at milliseconds: Int64) -> [WorkerAction] {
            let envelope = WorkerBoundEnvelope(
                front: Bench.front, epoch: bench.epoch, messages: [message], sentBelow: LeaseID(sentBelow))
            return bench.on(.received(envelope), at: milliseconds)
        }
        _ = receive(.unknown, sentBelow: 7, at: 1)
        // One that was sent earlier and comes later, and one that is not the last of its turn.
        _ = receive(.unknown, sentBelow: 6, at: 2)
        _ = receive(.unknown, sentBelow: 0, at: 3)
        // Another front, and an earlier life of this one: what they have sent says nothing.
        for (front, epoch) in [(FrontID(78), bench.epoch), (Bench.front, Epoch(9))] {
            let envelope = WorkerBoundEnvelope(front: front, epoch: epoch, messages: [.unknown], sentBelow: LeaseID(70))
            _ = bench.on(.received(envelope), at: 4)
        }
        #expect(bench.on(.tick, at: 1_000) == [.send(.renewal(RenewalNumber(2), leases: [], readBelow: LeaseID(7)))])
        _ = receive(.reregister, sentBelow: 8, at: 1_001)
        _ = bench.on(.tick, at: 1_002)
        let registered = WorkerBoundMessage.registered(Bench.registration(2))
        #expect(receive(registered, sentBelow: 9, at: 1_003).contains(.send(.renewal(RenewalNumber(3), leases: []))))
        var grant = Bench.grant("sleep", 20)
        grant.registrationNumber = RegistrationNumber(2)
        _ = receive(.grant(grant), sentBelow: 21, at: 1_004)
        #expect(bench.on(.tick, at: 2_003).contains(.send(.renewal(RenewalNumber(4), leases: []))))
    }

    @Test("a renewal with the leases held leaves every second")
    func renewals() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        #expect(bench.on(.tick, at: 999) == [])
        #expect(bench.on(.tick, at: 1_000) == [.send(.renewal(RenewalNumber(2), leases: [5]))])
        #expect(bench.machine.nextDeadline == Bench.time(2_000))
    }

    @Test("registered twice, of an older registration or an earlier life of the front, is ignored")
    func lateRegistered() {
        var bench = Bench.registered()
        #expect(bench.receive(.registered(Bench.registration(1)), at: 5) == [.ignored(.registrationOver)])
        bench.epoch = Epoch(9)
        #expect(bench.receive(.registered(Bench.registration(7)), at: 5) == [.ignored(.registrationOver)])
    }

    @Test("a registration that judged an older list of leases is not taken: the worker registers with the present one")
    func attachmentForAnOldRegistration() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        #expect(bench.receive(.registered(Bench.registration(2)), at: 5) == [.ignored(.alreadyRegistered)])
        #expect(bench.on(.tick, at: 5) == [Bench.registerAction([(105, 5)])])
    }

    @Test("an answer to an older registration is not taken: it does not judge the leases of now, and forgetting them would repeat work")
    func answerToAnOlderRegistration() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([1], nil))), at: 2)
        _ = bench.on(.turnEnds, at: 2)
        // The front reads three registrations at once and answers each with a lease of its own for the job.
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 100)
        for second in 0..<3 { #expect(bench.on(.tick, at: 100 + Int64(second) * 1_000) == [Bench.registerAction([(105, 5)])]) }
        _ = bench.receive(.registered(Bench.registration(1, [Bench.decision(5, .keep, 21)])), at: 2_500)
        #expect(
            bench.receive(.registered(Bench.registration(2, [Bench.decision(5, .keep, 22)])), at: 2_501) == [.ignored(.alreadyRegistered)])
        #expect(bench.on(.tick, at: 2_501) == [Bench.registerAction([(105, 21)])])
        #expect(
            bench.receive(.registered(Bench.registration(3, [Bench.decision(5, .keep, 23)])), at: 2_502) == [.ignored(.olderRegistration)])
        #expect(
            bench.receive(.registered(Bench.registration(4, [Bench.decision(21, .keep, 25)])), at: 2_503) == [
                .send(Bench.ended(3, .succeeded, 25, result: [1])), .send(.renewal(RenewalNumber(3), leases: [25])),
            ])
    }

    @Test("what is granted before a renewal was answered waits, also when the kernel timer is armed for what already runs")
    func grantBeforeProof() {
        var bench = Bench.registered(slots: 4)
        _ = bench.take(Bench.grant("sleep", 1), at: 1)
        _ = bench.on(.turnEnds, at: 1)
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 100)
        _ = bench.on(.tick, at: 100)
        _ = bench.receive(.registered(Bench.registration(1, [Bench.decision(1, .keep, 21)])), at: 200)
        #expect(bench.take(Bench.grant("sleep", 30, renewal: 0), at: 200) == [])
        #expect(bench.receive(.renewed(RenewalNumber(2), cancels: []), at: 300).contains(Bench.start(2, lease: 30)))
    }

    @Test("a worker that reregisters names outcomes that are gathered yet")
    func betweenTurns() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([1], nil))), at: 2)
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 2)
        let registered = bench.on(.tick, at: 2)
        let held = registered.compactMap { action -> [UInt64]? in
            if case .register(let registration) = action { registration.held.map(\.job.rawValue).sorted() } else { nil }
        }
        #expect(held == [[105, 106]])
    }

    @Test("reregister makes the worker register with everything it holds, ended jobs included")
    func reregister() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(2), .succeeded([1], nil))), at: 2)
        _ = bench.on(.turnEnds, at: 2)
        bench.epoch = Epoch(11)
        #expect(bench.receive(.reregister, at: 100) == [])
        #expect(bench.on(.tick, at: 100) == [Bench.registerAction([(105, 5), (106, 6)])])
        #expect(bench.receive(.reregister, at: 101) == [.ignored(.notRegistered)])
    }

    @Test("a front silent for a lease is left: nothing of the old connection is kept and the worker registers")
    func silence() {
        var bench = Bench.registered()
        for second in 1...4 { _ = bench.on(.tick, at: Int64(second) * 1_000) }
        #expect(bench.on(.tick, at: 4_999) == [])
        #expect(bench.on(.tick, at: 5_000) == [.reconnect, Bench.registerAction()])
    }

    @Test("decisions of the front: keep goes on under the new lease, cancel stops, drop forgets")
    func decisions() {
        var bench = Bench.registered(slots: 4)
        _ = bench.take(Bench.grant("sleep", 1, 2, 3, 4), at: 1)
        _ = bench.on(.turnEnds, at: 1)
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 100)
        _ = bench.on(.tick, at: 100)
        let decisions = [Bench.decision(1, .keep, 21), Bench.decision(2, .cancel, 22), Bench.decision(3, .drop), Bench.decision(4, .drop)]
        #expect(
            bench.receive(.registered(Bench.registration(1, decisions)), at: 200) == [
                .send(.cancelStep(LeaseID(22), .delivered)), .cancelWork(WorkToken(2), .requested),
                .send(.cancelStep(LeaseID(22), .stopping)),
                .cancelWork(WorkToken(3), .leaseLost), .cancelWork(WorkToken(4), .leaseLost),
                .send(.overdue(jobs: [103, 104])), .send(.renewal(RenewalNumber(2), leases: [21, 22])),
            ])
        #expect(bench.on(.turnEnds, at: 200) == [])
        #expect(
            bench.on(.reported(.ended(WorkToken(3), .succeeded([], nil))), at: 300) == [
                .send(.overdue(jobs: [104])), .ignored(.unknownWork),
            ])
        _ = bench.on(.reported(.ended(WorkToken(2), .cancelled)), at: 300)
        #expect(bench.on(.turnEnds, at: 300) == [.send(Bench.ended(1, .cancelled, 22))])
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 400)
        #expect(bench.on(.turnEnds, at: 400) == [.send(Bench.ended(2, .succeeded, 21))])
    }

    @Test("outcomes that were not durable are judged too and reported under the new lease and a new number")
    func keptOutcomesAreJudged() {
        var bench = Bench.registered(slots: 4)
        _ = bench.take(Bench.grant("sleep", 1, 2, 3), at: 1)
        for token in 1...3 { _ = bench.on(.reported(.ended(WorkToken(UInt64(token)), .succeeded([9], nil))), at: 2) }
        #expect(
            bench.on(.turnEnds, at: 2) == [
                .send(Bench.ended(1, .succeeded, 1, 2, 3, result: [9])), .disarmKillTimer,
            ])
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 100)
        _ = bench.on(.tick, at: 100)
        let decisions = [Bench.decision(1, .drop), Bench.decision(2, .keep, 22), Bench.decision(3, .keep, 23)]
        #expect(
            bench.receive(.registered(Bench.registration(1, decisions)), at: 200) == [
                .send(Bench.ended(2, .succeeded, 22, 23, result: [9])), .send(.renewal(RenewalNumber(2), leases: [22, 23])),
            ])
        #expect(bench.receive(.acknowledged(reports: [1]), at: 201) == [.ignored(.unknownReport)])
        #expect(bench.receive(.acknowledged(reports: [2]), at: 202) == [])
        #expect(bench.on(.tick, at: 1_200) == [.send(.renewal(RenewalNumber(3), leases: []))])
    }

    @Test("a bulk job in the line that is to be cancelled is reported so under its new lease")
    func cancelledInLine() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("noop", 1, 2), at: 1)
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 100)
        _ = bench.on(.tick, at: 100)
        let decisions = [Bench.decision(1, .cancel, 21), Bench.decision(2, .keep, 22)]
        #expect(
            bench.receive(.registered(Bench.registration(1, decisions)), at: 200) == [
                .send(Bench.ended(1, .cancelled, 21)), .armKillTimer(at: Bench.time(5_300)),
                .send(.renewal(RenewalNumber(2), leases: [22, 21])),
            ])
    }

    @Test("a worker that is refused for a while reregisters after it")
    func refusedForAWhile() {
        var bench = Bench()
        _ = bench.on(.tick, at: 0)
        #expect(bench.receive(.refused(Refused(reason: "full", code: .busy, retryAfter: .seconds(5))), at: 10) == [])
        #expect(bench.machine.nextDeadline == Bench.time(5_010))
        #expect(bench.machine.refusal?.reason == "full")
        #expect(bench.on(.tick, at: 5_010) == [Bench.registerAction()])
        _ = bench.receive(.registered(Bench.registration(1)), at: 5_011)
        #expect(bench.machine.refusal == nil)
    }

    @Test("a registered worker goes on when the front could not take one of its messages")
    func refusedMessage() {
        var bench = Bench.registered()
        #expect(bench.receive(.refused(Refused(reason: "what is that?", code: .invalidData)), at: 10) == [.ignored(.refusedMessage)])
        #expect(bench.take(Bench.grant("sleep", 5), at: 11).last == Bench.start(1, lease: 5))
    }

    @Test("a refused worker ends with the reason")
    func refused() {
        var bench = Bench()
        #expect(bench.receive(.refused(Refused(reason: "version 9 needed")), at: 0) == [.refused(reason: "version 9 needed")])
        #expect(bench.on(.tick, at: 1_000) == [])
        #expect(bench.machine.hasEnded)
    }

    @Test("words of another front and of an earlier life are ignored, granted jobs too")
    func otherFront() {
        var bench = Bench.registered()
        bench.epoch = Epoch(9)
        #expect(bench.receive(.grant(Bench.grant("sleep", 5)), at: 1) == [.ignored(.otherFront)])
        #expect(bench.receive(.renewed(RenewalNumber(1), cancels: []), at: 1) == [.ignored(.otherFront)])
        #expect(bench.receive(.reregister, at: 1) == [.ignored(.otherFront)])
    }
}
