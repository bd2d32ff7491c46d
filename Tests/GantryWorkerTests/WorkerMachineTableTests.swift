//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryWorker

@Suite("every state of a worker with everything that can happen to it")
struct WorkerMachineTableTests {
    /// Where a worker stands before. `unverified`: no renewal of its registration was answered; `running`: a job runs, under lease 5; `back`:
    /// the same, but it registers again; `draining`, `stopping`: likewise, with a job that runs; `drainingOnRequest`: as the front has asked, with a job
    /// that must not run twice; `late`: its attempt has taken its time.
    enum Start: CaseIterable {
        case registering, unverified, idle, running, late, back, draining, drainingOnRequest, stopping, ended
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
            "unverified: renew", "unverified: renew", "ended: refused", "registering", "registering: !notRegistered",
            "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered",
            "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered", "registering: !notRegistered",
            "registering: !notRegistered", "registering: !otherFront", "registering: !notRegistered", "registering: !notRegistered",
            "registering", "registering: !notRegistered", "registering: !unknownWork", "registering: !unknownWork",
            "registering: !unknownWork", "registering draining", "registering stopping", "registering", "registering",
            "registering: register", "registering: register", "registering: register",
        ],
        .unverified: [
            "registering: !alreadyRegistered", "unverified: !registrationOver", "unverified: !refusedMessage",
            "unverified: !refusedMessage", "registering", "registering", "registered", "unverified: !unknownRenewal", "unverified",
            "unverified: !registrationOver", "unverified", "unverified: !malformed, refuse invalidData", "unverified: delivered",
            "unverified: delivered", "unverified: !unknownReport", "unverified draining: draining", "unverified: refuse invalidData",
            "unverified", "unverified: !otherFront", "unverified: !unknownWork", "unverified: !unknownWork", "unverified: !unknownWork",
            "unverified draining: draining", "unverified stopping: draining", "unverified", "unverified", "unverified: renew",
            "registering: reconnect, register", "unverified: renew",
        ],
        .idle: [
            "registering: !alreadyRegistered", "registered: !registrationOver", "registered: !refusedMessage",
            "registered: !refusedMessage", "registering", "registering", "registered", "registered: !unknownRenewal",
            "registered runs: arm, start", "registered: !registrationOver", "registered runs: arm, start",
            "registered: !malformed, refuse invalidData", "registered: delivered", "registered: delivered", "registered: !unknownReport",
            "registered draining: draining", "registered: refuse invalidData", "registered", "registered: !otherFront",
            "registered: !unknownWork", "registered: !unknownWork", "registered: !unknownWork", "registered draining: draining",
            "registered stopping: draining", "registered", "registered", "registered: renew", "registering: reconnect, register",
            "registered: renew",
        ],
        .running: [
            "registering runs: !alreadyRegistered", "registered runs: !registrationOver", "registered runs: !refusedMessage",
            "registered runs: !refusedMessage", "registering runs", "registering runs", "registered runs",
            "registered runs: !unknownRenewal", "registered runs runs: start", "registered runs: !registrationOver",
            "registered runs: !knownLease", "registered runs: !malformed, refuse invalidData",
            "registered cancelled: delivered, cancel, stopping", "registered runs: delivered", "registered runs: !unknownReport",
            "registered draining runs: draining", "registered runs: refuse invalidData", "registered runs", "registered runs: !otherFront",
            "registered runs", "registered", "registered runs: !unknownWork", "registered draining runs: draining",
            "registered stopping stops: draining, cancel", "registered runs", "registered runs", "registered stops: cancel, renew",
            "registering abandoned: cancel, reconnect", "registered runs: renew",
        ],
        .late: [
            "registering late: !alreadyRegistered", "registered late: !registrationOver", "registered late: !refusedMessage",
            "registered late: !refusedMessage", "registering late", "registering late", "registered late",
            "registered late: !unknownRenewal", "registered late runs: start", "registered late: !registrationOver",
            "registered late: !knownLease", "registered late: !malformed, refuse invalidData",
            "registered cancelled: delivered, stopping", "registered late: delivered", "registered late: !unknownReport",
            "registered draining late: draining", "registered late: refuse invalidData", "registered late", "registered late: !otherFront",
            "registered late: !alreadyEnded", "registered", "registered late: !unknownWork", "registered draining late: draining",
            "registered stopping late: draining", "registered late", "registered late", "registered late: renew",
            "registering abandoned: reconnect", "registered late: renew",
        ],
        .back: [
            "unverified runs: renew", "registering runs: !registrationOver", "ended runs: refused", "registering runs",
            "registering runs: !notRegistered", "registering runs: !notRegistered", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs: !notRegistered", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs: !notRegistered", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs: !unknownReport", "registering runs: !notRegistered",
            "registering runs: !notRegistered", "registering runs", "registering runs: !notRegistered", "registering runs", "registering",
            "registering runs: !unknownWork", "registering draining runs", "registering stopping stops: cancel", "registering runs",
            "registering runs", "registering stops: cancel, register", "registering abandoned: cancel",
            "registering runs: register",
        ],
        .draining: drainingRow + ["registered draining stops: cancel, renew, draining"],
        .drainingOnRequest: drainingRow + ["registered draining runs: renew, draining"],
        .stopping: [
            "registering stopping stops: !alreadyRegistered", "registered stopping stops: !registrationOver",
            "registered stopping stops: !refusedMessage", "registered stopping stops: !refusedMessage", "registering stopping stops",
            "registering stopping stops", "registered stopping stops", "registered stopping stops: !unknownRenewal",
            "registered stopping stops", "registered stopping stops: !registrationOver", "registered stopping stops: !knownLease",
            "registered stopping stops: !malformed, refuse invalidData", "registered stopping cancelled: delivered, stopping",
            "registered stopping stops: delivered", "registered stopping stops: !unknownReport", "registered stopping stops",
            "registered stopping stops: refuse invalidData", "registered stopping stops", "registered stopping stops: !otherFront",
            "registered stopping stops: !alreadyEnded", "registered stopping", "registered stopping stops: !unknownWork",
            "registered stopping stops", "registered stopping stops", "registered stopping stops", "registered stopping stops",
            "registered stopping stops: renew, draining", "registering stopping abandoned: reconnect",
            "registered stopping stops: renew, draining",
        ],
        .ended: Event.allCases.map { $0.isMessage ? "ended stopping: !ended" : "ended stopping" },
    ]

    /// What all events but the end of the grace come to at a draining worker, whoever asked it to drain.
    private static let drainingRow = [
        "registering draining runs: !alreadyRegistered", "registered draining runs: !registrationOver",
        "registered draining runs: !refusedMessage", "registered draining runs: !refusedMessage", "registering draining runs",
        "registering draining runs", "registered draining runs", "registered draining runs: !unknownRenewal",
        "registered draining runs", "registered draining runs: !registrationOver", "registered draining runs: !knownLease",
        "registered draining runs: !malformed, refuse invalidData", "registered draining cancelled: delivered, cancel, stopping",
        "registered draining runs: delivered", "registered draining runs: !unknownReport", "registered draining runs",
        "registered draining runs: refuse invalidData", "registered draining runs", "registered draining runs: !otherFront",
        "registered draining runs", "registered draining", "registered draining runs: !unknownWork", "registered draining runs",
        "registered stopping stops: cancel", "registered draining runs", "registered draining runs",
        "registered draining stops: cancel, renew, draining", "registering draining abandoned: cancel, reconnect",
    ]

    private func bench(_ start: Start) -> Bench {
        if start == .registering {
            var bench = Bench()
            _ = bench.on(.tick, at: 0)
            return bench
        }
        if start == .unverified {
            var bench = Bench()
            _ = bench.on(.tick, at: 0)
            _ = bench.receive(.registered(Bench.registration(1)), at: 0)
            return bench
        }
        var bench = Bench.registered { $0.grace = .seconds(2) }
        if [.running, .back, .draining, .stopping].contains(start) { _ = bench.take(Bench.grant("sleep", 5), at: 0) }
        switch start {
        case .registering, .unverified, .idle, .running: break
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
        let connection = bench.machine.connection == .registered && !bench.machine.isVerified ? "unverified" : "\(bench.machine.connection)"
        let mode = bench.machine.mode == .serving ? "" : " \(bench.machine.mode)"
        let held = bench.machine.slots.compactMap { slot -> String? in
            switch slot?.state {
            case .running: " runs"
            case .cancelled: " cancelled"
            case .leaseLost: " stops"
            case .timedOut: " late"
            case .abandoned: " abandoned"
            case nil: nil
            }
        }
        let stands = connection + mode + held.joined()
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
