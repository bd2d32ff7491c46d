//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryWorker

@Suite("every state of a worker with everything that can happen to it")
struct WorkerMachineTableTests {
    /// Where a worker stands before. `unconfirmed`: no renewal of its registration was answered; `running`: a job runs, under lease 5; `back`:
    /// the same, but it registers again; `draining`, `stopping`: likewise, with a job that runs; `drainingOnRequest`: as the front has asked, with a job
    /// that must not run twice; `late`: its attempt has taken its time.
    enum Start: CaseIterable {
        case registering, unconfirmed, idle, running, late, back, draining, drainingOnRequest, stopping, ended
    }

    /// What happens then.
    enum Event: CaseIterable {
        case registered, registeredBefore, refused, refusedForNow, reregister, reregisterByOther, renewed, renewedUnknown
        case granted, grantedBefore, grantedAgain, malformed, cancelled, cancelledUnknown, acknowledged, drainAsked, unreadable, unknown,
            byOther
        case progress, ended, endedUnknown, drain, stop, unsent, turnEnds, stopTime, leaseEnds, graceEnds

        /// Whether the front says it.
        var isMessage: Bool {
            switch self {
            case .progress, .ended, .endedUnknown, .drain, .stop, .unsent, .turnEnds, .stopTime, .leaseEnds, .graceEnds: false
            default: true
            }
        }
    }

    /// What becomes of each start by each event, in the order of `Event`: how the worker stands then, and what it says and has done; what comes
    /// late or cannot be is named by its reason behind `!`.
    static let table: [Start: [String]] = [
        .registering: [
            "unconfirmed: renew", "unconfirmed: renew", "ended: refused", "registering", "registering: !notRegistered",
            "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered",
            "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered",
            "registering: !notRegistered", "registering: !otherFront", "registering: !notRegistered", "registering: !notRegistered",
            "registering", "registering: !notRegistered", "registering: !unknownWork", "registering: !unknownWork",
            "registering: !unknownWork", "registering draining", "registering stopping", "registering", "registering",
            "registering: register", "registering: register", "registering: register",
        ],
        .unconfirmed: [
            "registering: !alreadyRegistered", "unconfirmed: !registrationOver", "unconfirmed: !refusedMessage",
            "unconfirmed: !refusedMessage", "registering", "registering", "confirmed", "unconfirmed: !unknownRenewal", "unconfirmed",
            "unconfirmed: !registrationOver", "unconfirmed", "unconfirmed: !malformed, refuse invalidData", "unconfirmed: delivered",
            "unconfirmed: delivered", "unconfirmed: !unknownReport", "unconfirmed draining: draining", "unconfirmed: refuse invalidData",
            "unconfirmed", "unconfirmed: !otherFront", "unconfirmed: !unknownWork", "unconfirmed: !unknownWork",
            "unconfirmed: !unknownWork", "unconfirmed draining: draining", "unconfirmed stopping: draining", "unconfirmed", "unconfirmed",
            "unconfirmed: renew", "registering: reconnect, register", "unconfirmed: renew",
        ],
        .idle: [
            "registering: !alreadyRegistered", "confirmed: !registrationOver", "confirmed: !refusedMessage",
            "confirmed: !refusedMessage", "registering", "registering", "confirmed", "confirmed: !unknownRenewal",
            "confirmed runs: arm, start", "confirmed: !registrationOver", "confirmed runs: arm, start",
            "confirmed: !malformed, refuse invalidData", "confirmed: delivered", "confirmed: delivered", "confirmed: !unknownReport",
            "confirmed draining: draining", "confirmed: refuse invalidData", "confirmed", "confirmed: !otherFront",
            "confirmed: !unknownWork", "confirmed: !unknownWork", "confirmed: !unknownWork", "confirmed draining: draining",
            "confirmed stopping: draining", "confirmed", "confirmed", "confirmed: renew", "registering: reconnect, register",
            "confirmed: renew",
        ],
        .running: [
            "registering runs: !alreadyRegistered", "confirmed runs: !registrationOver", "confirmed runs: !refusedMessage",
            "confirmed runs: !refusedMessage", "registering runs", "registering runs", "confirmed runs",
            "confirmed runs: !unknownRenewal", "confirmed runs runs: start", "confirmed runs: !registrationOver",
            "confirmed runs: !knownLease", "confirmed runs: !malformed, refuse invalidData",
            "confirmed cancelled: delivered, cancel, stopping", "confirmed runs: delivered", "confirmed runs: !unknownReport",
            "confirmed draining runs: draining", "confirmed runs: refuse invalidData", "confirmed runs", "confirmed runs: !otherFront",
            "confirmed runs", "confirmed", "confirmed runs: !unknownWork", "confirmed draining runs: draining",
            "confirmed stopping stops: draining, cancel", "confirmed runs", "confirmed runs", "confirmed stops: cancel, renew",
            "registering abandoned: cancel, reconnect", "confirmed runs: renew",
        ],
        .late: [
            "registering late: !alreadyRegistered", "confirmed late: !registrationOver", "confirmed late: !refusedMessage",
            "confirmed late: !refusedMessage", "registering late", "registering late", "confirmed late",
            "confirmed late: !unknownRenewal", "confirmed late runs: start", "confirmed late: !registrationOver",
            "confirmed late: !knownLease", "confirmed late: !malformed, refuse invalidData",
            "confirmed cancelled: delivered, stopping", "confirmed late: delivered", "confirmed late: !unknownReport",
            "confirmed draining late: draining", "confirmed late: refuse invalidData", "confirmed late", "confirmed late: !otherFront",
            "confirmed late: !alreadyEnded", "confirmed", "confirmed late: !unknownWork", "confirmed draining late: draining",
            "confirmed stopping late: draining", "confirmed late", "confirmed late", "confirmed late: renew",
            "registering abandoned: reconnect", "confirmed late: renew",
        ],
        .back: [
            "unconfirmed runs: renew", "registering runs: !registrationOver", "ended runs: refused", "registering runs",
            "registering runs: !notRegistered", "registering runs: !notRegistered", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs: !notRegistered", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs: !notRegistered", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs: !unknownReport", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs", "registering runs: !notRegistered", "registering runs", "registering",
            "registering runs: !unknownWork", "registering draining runs", "registering stopping stops: cancel", "registering runs",
            "registering runs", "registering stops: cancel, register", "registering abandoned: cancel",
            "registering runs: register",
        ],
        .draining: drainingRow + ["confirmed draining stops: cancel, renew, draining"],
        .drainingOnRequest: drainingRow + ["confirmed draining runs: renew, draining"],
        .stopping: [
            "registering stopping stops: !alreadyRegistered", "confirmed stopping stops: !registrationOver",
            "confirmed stopping stops: !refusedMessage", "confirmed stopping stops: !refusedMessage", "registering stopping stops",
            "registering stopping stops", "confirmed stopping stops", "confirmed stopping stops: !unknownRenewal",
            "confirmed stopping stops", "confirmed stopping stops: !registrationOver", "confirmed stopping stops: !knownLease",
            "confirmed stopping stops: !malformed, refuse invalidData", "confirmed stopping cancelled: delivered, stopping",
            "confirmed stopping stops: delivered", "confirmed stopping stops: !unknownReport", "confirmed stopping stops",
            "confirmed stopping stops: refuse invalidData", "confirmed stopping stops", "confirmed stopping stops: !otherFront",
            "confirmed stopping stops: !alreadyEnded", "confirmed stopping", "confirmed stopping stops: !unknownWork",
            "confirmed stopping stops", "confirmed stopping stops", "confirmed stopping stops", "confirmed stopping stops",
            "confirmed stopping stops: renew, draining", "registering stopping abandoned: reconnect",
            "confirmed stopping stops: renew, draining",
        ],
        .ended: Event.allCases.map { $0.isMessage ? "ended stopping: !ended" : "ended stopping" },
    ]

    /// What all events but the end of the grace come to at a draining worker, whoever asked it to drain.
    private static let drainingRow = [
        "registering draining runs: !alreadyRegistered", "confirmed draining runs: !registrationOver",
        "confirmed draining runs: !refusedMessage", "confirmed draining runs: !refusedMessage", "registering draining runs",
        "registering draining runs", "confirmed draining runs", "confirmed draining runs: !unknownRenewal",
        "confirmed draining runs", "confirmed draining runs: !registrationOver", "confirmed draining runs: !knownLease",
        "confirmed draining runs: !malformed, refuse invalidData", "confirmed draining cancelled: delivered, cancel, stopping",
        "confirmed draining runs: delivered", "confirmed draining runs: !unknownReport", "confirmed draining runs",
        "confirmed draining runs: refuse invalidData", "confirmed draining runs", "confirmed draining runs: !otherFront",
        "confirmed draining runs", "confirmed draining", "confirmed draining runs: !unknownWork", "confirmed draining runs",
        "confirmed stopping stops: cancel", "confirmed draining runs", "confirmed draining runs",
        "confirmed draining stops: cancel, renew, draining", "registering draining abandoned: cancel, reconnect",
    ]

    private func bench(_ start: Start) -> Bench {
        if start == .registering {
            var bench = Bench()
            _ = bench.on(.tick, at: 0)
            return bench
        }
        if start == .unconfirmed {
            var bench = Bench()
            _ = bench.on(.tick, at: 0)
            _ = bench.receive(.registered(Bench.registration(1)), at: 0)
            return bench
        }
        var bench = Bench.registered { $0.grace = .seconds(2) }
        if [.running, .back, .draining, .stopping].contains(start) { _ = bench.take(Bench.grant("sleep", 5), at: 0) }
        switch start {
        case .registering, .unconfirmed, .idle, .running: break
        case .late:
            _ = bench.take(Bench.grant("sleep", 5, timeout: 4), at: 0)
            _ = bench.on(.tick, at: 4)
        case .back:
            _ = bench.receive(.reregister, at: 0)
            _ = bench.on(.tick, at: 0)
        case .draining: _ = bench.on(.reported(.drain), at: 0)
        case .drainingOnRequest:
            _ = bench.take(Bench.grant("post", 5), at: 0)
            _ = bench.receive(.drain, at: 0)
        case .stopping: _ = bench.on(.reported(.stop), at: 0)
        case .ended:
            _ = bench.on(.reported(.stop), at: 0)
            _ = bench.on(.turnEnds, at: 0)
        }
        return bench
    }

    private func meet(_ event: Event, _ bench: inout Bench) -> [WorkerAction] {
        let isHeld = bench.machine.slots.contains { $0 != nil }
        func byOther(_ message: WorkerBoundMessage) -> [WorkerAction] {
            bench.on(.received(WorkerBoundEnvelope(front: FrontID(78), epoch: bench.epoch, messages: [message])), at: 10)
        }
        var uneven = Bench.grant("sleep", 7)
        uneven.attempts = []
        switch event {
        case .registered:
            return bench.receive(.registered(Bench.registration(2, isHeld ? [Bench.decision(5, .keep, 25)] : [])), at: 10)
        case .registeredBefore: return bench.receive(.registered(Bench.registration(0)), at: 10)
        case .refused: return bench.receive(.refused(Refused(reason: "no")), at: 10)
        case .refusedForNow: return bench.receive(.refused(Refused(reason: "wait", retryAfter: .seconds(3))), at: 10)
        case .reregister: return bench.receive(.reregister, at: 10)
        case .reregisterByOther: return byOther(.reregister)
        case .renewed: return bench.receive(.renewed(RenewalNumber(1), cancels: []), at: 10)
        case .renewedUnknown: return bench.receive(.renewed(RenewalNumber(9), cancels: []), at: 10)
        case .granted: return bench.take(Bench.grant("sleep", 6), at: 10)
        case .grantedBefore: return bench.take(Bench.grant("sleep", 6, registrationNumber: 0), at: 10)
        case .grantedAgain: return bench.take(Bench.grant("sleep", 5), at: 10)
        case .malformed: return bench.receive(.grant(uneven), at: 10)
        case .cancelled: return bench.receive(.cancel(leases: [5]), at: 10)
        case .cancelledUnknown: return bench.receive(.cancel(leases: [8]), at: 10)
        case .acknowledged: return bench.receive(.acknowledged(reports: [3]), at: 10)
        case .drainAsked: return bench.receive(.drain, at: 10)
        case .unreadable: return bench.receive(.unreadable(CodecError(what: "a grant", reason: "is damaged"), leases: [7]), at: 10)
        case .unknown: return bench.receive(.unknown, at: 10)
        case .byOther: return byOther(.drain)
        case .progress: return bench.on(.reported(.progress(WorkToken(1), JobProgress(percent: 50))), at: 10)
        case .ended: return bench.on(.reported(.ended(WorkToken(1), .succeeded([1], nil))), at: 10)
        case .endedUnknown: return bench.on(.reported(.ended(WorkToken(9), .succeeded([1], nil))), at: 10)
        case .drain: return bench.on(.reported(.drain), at: 10)
        case .stop: return bench.on(.reported(.stop), at: 10)
        case .unsent: return bench.on(.registerUnsent, at: 10)
        case .turnEnds: return bench.on(.turnEnds, at: 10)
        case .stopTime: return bench.on(.tick, at: 3_000)
        case .leaseEnds: return bench.on(.tick, at: 5_000)
        case .graceEnds: return bench.on(.tick, at: 2_000)
        }
    }

    private func text(_ bench: Bench, _ actions: [WorkerAction]) -> String {
        let mode = bench.machine.mode == .serving ? "" : " \(bench.machine.mode)"
        let held = bench.machine.slots.compactMap { slot -> String? in
            switch slot?.state {
            case .running: " runs"
            case .cancelled: " cancelled"
            case .interrupted: " stops"
            case .timedOut: " late"
            case .abandoned: " abandoned"
            case nil: nil
            }
        }
        let stands = "\(bench.machine.connection)" + mode + held.joined()
        return actions.isEmpty ? stands : "\(stands): \(actions.map(Self.text).joined(separator: ", "))"
    }

    private static func text(_ action: WorkerAction) -> String {
        switch action {
        case .send(.renewal): "renew"
        case .send(.cancelStep(_, let step)): "\(step)"
        case .send(.draining): "draining"
        case .send(.close): "close"
        case .send(.refusedGrants(let refused)): "refuse \(refused.code)"
        case .send(.ended(let ended)): "report \(ended.outcomes.map { "\($0)" }.joined(separator: " "))"
        case .send(.progress): "progress"
        case .send(.overdue(let jobs)): "overdue \(jobs.count)"
        case .send: "other"
        case .register: "register"
        case .reconnect: "reconnect"
        case .start: "start"
        case .cancelWork: "cancel"
        case .killWork: "kill"
        case .runBulk: "bulk"
        case .armKillTimer: "arm"
        case .disarmKillTimer: "disarm"
        case .ignored(let reason): "!\(reason)"
        case .finish: "finish"
        case .refused: "refused"
        }
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = Event.allCases.map { event in
            var bench = bench(start)
            let actions = meet(event, &bench)
            return text(bench, actions)
        }
        #expect(row == Self.table[start], "\(start)")
    }
}
