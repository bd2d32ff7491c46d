//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a worker with everything that can happen to it")
struct WorkerSessionTableTests {
    /// Where a worker stands before.
    enum Start: CaseIterable {
        case unknown, earlierLife, live, overdue, draining, drainingOverdue, silent, ended, leaving
        // It gave a grant back; somebody asked that it drain, and it has not said that it does; the same, and it was lost since.
        case heldBack, drainAsked, drainAskedLost
        case overdueSilent, drainingSilent, overdueEnded, drainingEnded, earlierEnded, leavingEnded
    }

    /// What happens then. `…Elsewhere`: another connection says it. `late…`: under the attachment before.
    enum Event: CaseIterable {
        case register, registerElsewhere, wrongSecret, renewal, repeatedRenewal, renewalElsewhere, lateRenewal
        case overdue, allEnded, draining, close, lost, processEnded, leaseTime, drainAsked
    }

    /// What becomes of each start by each event, in the order of `Event`: its duty, its presence (`-`: silent, `+`: here, `x`: its process has
    /// ended) and what is said.
    static let table: [Start: [String]] = [
        .unknown: [
            "working+: registered", "working+: registered", "working+: registered", "gone: again", "gone: again", "gone: again",
            "gone: again",
            "gone: again", "gone: again", "gone: again", "gone: again", "gone", "gone", "gone",
            "gone",
        ],
        .earlierLife: [
            "working+: registered", "working+: registered", "unregistered-: refused", "unregistered-: again", "unregistered-: again",
            "unregistered-: again", "unregistered-: again", "unregistered-: again", "unregistered-: again", "unregistered-: again",
            "unregistered-: again", "unregistered-", "unregisteredx", "gone: lost",
            "unregistered-",
        ],
        .live: [
            "working+: registered", "working+: registered", "working+: refused", "working+: renewed", "working+: late", "working+: again",
            "working+: again", "overdue+", "working+", "draining+", "gone: lost", "working-", "workingx", "gone: lost",
            "draining+: told",
        ],
        .overdue: [
            "working+: registered", "working+: registered", "overdue+: refused", "overdue+: renewed", "overdue+: late", "overdue+: again",
            "overdue+: again", "overdue+", "working+", "draining (overdue)+", "gone: lost", "overdue-", "overduex", "gone: lost",
            "draining (overdue)+: told",
        ],
        .draining: [
            "working+: registered", "working+: registered", "draining+: refused", "draining+: renewed", "draining+: late",
            "draining+: again",
            "draining+: again", "draining (overdue)+", "draining+", "draining+", "gone: lost", "draining-", "drainingx", "gone: lost",
            "draining+",
        ],
        .drainingOverdue: [
            "working+: registered", "working+: registered", "draining (overdue)+: refused", "draining (overdue)+: renewed",
            "draining (overdue)+: late", "draining (overdue)+: again", "draining (overdue)+: again", "draining (overdue)+", "draining+",
            "draining (overdue)+", "gone: lost", "draining (overdue)-", "draining (overdue)x", "gone: lost",
            "draining (overdue)+",
        ],
        .silent: [
            "working+: registered", "working+: registered", "working-: refused", "working-: again", "working-: again", "working-: again",
            "working-: again", "working-: again", "working-: again", "working-: again", "working-: again", "working-", "workingx",
            "gone: lost",
            "draining-",
        ],
        .ended: [
            "working+: registered", "working+: registered", "workingx: refused", "workingx: renewed", "workingx: late", "workingx: again",
            "workingx: again", "overduex", "workingx", "drainingx", "gone: lost", "workingx", "workingx", "gone: lost",
            "drainingx",
        ],
        // One that reregisters is taken for what it says; else the next turn takes from it what it held.
        .leaving: [
            "working+: registered", "working+: registered", "leaving-: refused", "leaving-: again", "leaving-: again", "leaving-: again",
            "leaving-: again", "leaving-: again", "leaving-: again", "leaving-: again", "leaving-: again", "leaving-", "leavingx",
            "gone: lost",
            "leaving-",
        ],
        // It gets others with its next renewal.
        .heldBack: [
            "working+: registered", "working+: registered", "held back+: refused", "working+: renewed", "held back+: late",
            "held back+: again", "held back+: again", "overdue+", "held back+", "draining+", "gone: lost", "working-", "workingx",
            "gone: lost", "draining+: told",
        ],
        // It is told with each renewal until it says so, and drains when it comes back.
        .drainAsked: [
            "draining+: registered, told", "draining+: registered, told", "draining+: refused", "draining+: renewed, told",
            "draining+: late", "draining+: again", "draining+: again", "draining (overdue)+", "draining+", "draining+", "gone: lost",
            "draining-", "drainingx", "gone: lost", "draining+",
        ],
        .drainAskedLost: [
            "draining+: registered, told", "draining+: registered, told", "draining+: registered, told", "gone: again", "gone: again",
            "gone: again", "gone: again", "gone: again", "gone: again", "gone: again", "gone: again", "gone", "gone", "gone", "gone",
        ],
        .overdueSilent: [
            "working+: registered", "working+: registered", "overdue-: refused", "overdue-: again", "overdue-: again",
            "overdue-: again", "overdue-: again", "overdue-: again", "overdue-: again", "overdue-: again", "overdue-: again",
            "overdue-", "overduex", "gone: lost", "draining (overdue)-",
        ],
        .drainingSilent: [
            "working+: registered", "working+: registered", "draining-: refused", "draining-: again", "draining-: again",
            "draining-: again", "draining-: again", "draining-: again", "draining-: again", "draining-: again", "draining-: again",
            "draining-", "drainingx", "gone: lost", "draining-",
        ],
        .overdueEnded: [
            "working+: registered", "working+: registered", "overduex: refused", "overduex: renewed", "overduex: late",
            "overduex: again", "overduex: again", "overduex", "workingx", "draining (overdue)x", "gone: lost", "overduex", "overduex",
            "gone: lost", "draining (overdue)x",
        ],
        .drainingEnded: [
            "working+: registered", "working+: registered", "drainingx: refused", "drainingx: renewed", "drainingx: late",
            "drainingx: again", "drainingx: again", "draining (overdue)x", "drainingx", "drainingx", "gone: lost", "drainingx",
            "drainingx", "gone: lost", "drainingx",
        ],
        .earlierEnded: [
            "working+: registered", "working+: registered", "unregisteredx: refused", "unregisteredx: again", "unregisteredx: again",
            "unregisteredx: again", "unregisteredx: again", "unregisteredx: again", "unregisteredx: again", "unregisteredx: again",
            "unregisteredx: again", "unregisteredx", "unregisteredx", "gone: lost", "unregisteredx",
        ],
        .leavingEnded: [
            "working+: registered", "working+: registered", "leavingx: refused", "leavingx: again", "leavingx: again",
            "leavingx: again", "leavingx: again", "leavingx: again", "leavingx: again", "leavingx: again", "leavingx: again",
            "leavingx", "leavingx", "gone: lost", "leavingx",
        ],
    ]

    static let elsewhere = PeerID(5_000)
    private let process = ProcessIdentity(namespace: "test", number: 4_711, start: 7)

    func world(_ start: Start) -> (FrontHarness, WorkerHarness) {
        var (front, worker) = (FrontHarness { $0.bounds.lostJobs = 1 }, WorkerHarness(1))
        (worker.process, worker.seen) = (process, process)
        // Twice, so that there is an attachment before; the second answer was heard.
        worker.register(with: &front)
        worker.register(with: &front)
        _ = worker.renew(&front)
        bring(&front, &worker, to: start)
        return (front, worker)
    }

    private func bring(_ front: inout FrontHarness, _ worker: inout WorkerHarness, to start: Start) {
        switch start {
        case .unknown: _ = worker.send(.close, to: &front)
        case .earlierLife: front = front.restarted()
        case .live: break
        case .overdue: _ = worker.send(.overdue(jobs: [99]), to: &front)
        case .draining: _ = worker.send(.draining, to: &front)
        case .drainingOverdue:
            _ = worker.send(.overdue(jobs: [99]), to: &front)
            _ = worker.send(.draining, to: &front)
        case .silent: front.handle(.peerLost(worker.peer))
        case .ended: front.handle(.processEnded(process))
        case .leaving:
            front.open()
            _ = front.run(2, loader: "slow", on: &worker)
            _ = worker.send(.close, to: &front)
            front.settle()
        case .heldBack:
            front.open()
            _ = front.run(1, loader: "slow", on: &worker)
            let leases = worker.held.map(\.lease)
            _ = worker.send(.refusedGrants(.init(leases: leases, code: .busy, reason: "no room")), to: &front)
            worker.held = []
        case .drainAsked, .drainAskedLost:
            _ = meet(.drainAsked, &front, worker)
            if start == .drainAskedLost { _ = meet(.leaseTime, &front, worker) }
        case .overdueSilent: bring(&front, &worker, from: .overdue, by: .lost)
        case .drainingSilent: bring(&front, &worker, from: .draining, by: .lost)
        case .overdueEnded: bring(&front, &worker, from: .overdue, by: .processEnded)
        case .drainingEnded: bring(&front, &worker, from: .draining, by: .processEnded)
        case .earlierEnded: bring(&front, &worker, from: .earlierLife, by: .processEnded)
        case .leavingEnded: bring(&front, &worker, from: .leaving, by: .processEnded)
        }
    }

    private func bring(_ front: inout FrontHarness, _ worker: inout WorkerHarness, from start: Start, by event: Event) {
        bring(&front, &worker, to: start)
        _ = meet(event, &front, worker)
    }

    private func meet(_ event: Event, _ front: inout FrontHarness, _ worker: WorkerHarness) -> [FrontAction] {
        var speaker = worker
        switch event {
        case .registerElsewhere, .renewalElsewhere: speaker.peer = Self.elsewhere
        case .wrongSecret: speaker.secret = Array(repeating: 9, count: 32)
        case .repeatedRenewal: speaker.renewal -= 1
        case .lateRenewal: speaker.registrationNumber = RegistrationNumber(worker.registrationNumber.rawValue - 1)
        default: break
        }
        switch event {
        case .register, .registerElsewhere, .wrongSecret: return speaker.registration(with: &front)
        case .renewal, .repeatedRenewal, .renewalElsewhere, .lateRenewal: return speaker.renew(&front)
        case .overdue: return speaker.send(.overdue(jobs: [99]), to: &front)
        case .allEnded: return speaker.send(.overdue(jobs: []), to: &front)
        case .draining: return speaker.send(.draining, to: &front)
        case .close: return speaker.send(.close, to: &front)
        case .lost: return front.handle(.peerLost(worker.peer))
        case .processEnded: return front.handle(.processEnded(process))
        case .leaseTime:
            front.pass(milliseconds: (front.settings.lease + front.settings.grace).wholeMilliseconds)
            return front.settle()
        case .drainAsked:
            if front.session == .none { front.open() }
            let number = RequestNumber(front.nextRequest)
            front.nextRequest += 1
            return front.send(.request(.init(number: number, lowestUnanswered: number, body: .drainWorker(worker.id))))
        }
    }

    func text(_ front: FrontHarness, _ worker: WorkerHarness, _ actions: [FrontAction], late: Bool = false) -> String {
        var answered = actions.compactMap { action -> String? in
            switch action {
            case .sendToWorker(_, .registered): "registered"
            case .sendToWorker(_, .reregister): "again"
            case .sendToWorker(_, .drain): "told"
            case .sendToWorker(_, .refused): "refused"
            case .answerRenewal: "renewed"
            case .record(.workerLost): "lost"
            default: nil
            }
        }
        if late { answered.append("late") }
        var stands = "gone"
        if let known = front.machine.state.workers.index(of: worker.id).flatMap({ front.machine.state.workers[$0] }) {
            stands =
                switch known.duty {
                case .unregistered: "unregistered"
                case .working: known.peer == .none || known.hasEnded || known.isTaking ? "working" : "held back"
                case .overdue: "overdue"
                case .draining(let overdue, _): overdue != nil ? "draining (overdue)" : "draining"
                case .leaving: "leaving"
                }
            switch known.connection {
            case .silent: stands += "-"
            case .here: stands += "+"
            case .ended: stands += "x"
            }
        }
        return answered.isEmpty ? stands : "\(stands): \(answered.joined(separator: ", "))"
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try #require(Self.table[start])
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var (front, worker) = world(start)
            let late = front.machine.turn.context.ignoredCounts
            let actions = meet(event, &front, worker)
            // What changes nothing is counted under its name.
            let counted = { (reason: FrontIgnoredReason) in (front.machine.turn.context.ignoredCounts[reason] ?? 0) - (late[reason] ?? 0) }
            #expect(text(front, worker, actions, late: counted(.oldRenewal) > 0) == expected, "\(start) and \(event)")
            #expect(counted(.notRegistered) == (expected.hasSuffix(": again") ? 1 : 0), "\(start) and \(event)")
            let known = front.machine.state.workers.index(of: worker.id)
            let isTaking = known.flatMap { front.machine.state.workers[$0]?.isTaking } ?? false
            #expect(isTaking == expected.hasPrefix("working+"), "\(start) and \(event)")
        }
    }
}
