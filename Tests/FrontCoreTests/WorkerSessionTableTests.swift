//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a worker with everything that can happen to it")
struct WorkerSessionTableTests {
    /// What a worker has said before. `…Before`: it has renewed since it named dropped work; `…HeldBack`: it gave a grant back; `…Asked`:
    /// somebody asked that it drain, and it has not said that it does; `unregistered…`: it is known from an earlier epoch; `lostAsked`: its
    /// lease is over.
    enum Start: CaseIterable {
        case unknown, lostAsked, unregistered, unregisteredAsked
        case working, heldBack, overdue, overdueBefore, overdueHeldBack, overdueBeforeHeldBack
        case draining, drainingOverdue, drainingBefore, drainAsked, drainAskedOverdue, drainAskedBefore
        case leaving, leavingAsked

        /// How its connection can stand, in the order of the rows of the table.
        var connections: [Connection] {
            switch self {
            case .unknown, .lostAsked: [.silent]
            case .unregistered, .unregisteredAsked, .leaving, .leavingAsked: [.silent, .ended]
            case .working: Connection.allCases
            case .heldBack, .overdue, .overdueBefore, .overdueHeldBack, .overdueBeforeHeldBack, .draining, .drainingOverdue,
                .drainingBefore, .drainAsked, .drainAskedOverdue, .drainAskedBefore:
                [.here, .silent, .ended]
            }
        }
    }

    /// How its connection stands before: it is there, it is lost, its process has ended, or both.
    enum Connection: CaseIterable {
        case here, silent, ended, endedSilent
    }

    /// What happens then. `…Elsewhere`: another connection says it. `late…`: under the registration before.
    enum Event: CaseIterable {
        case register, registerElsewhere, wrongSecret, renewal, repeatedRenewal, renewalElsewhere, lateRenewal
        case overdue, allEnded, draining, close, lost, processEnded, leaseTime, drainAsked, restart
    }

    /// A row for each start with each of its connections: how the worker stands before, and what becomes of it by each event, in the order
    /// of `Event`; `=`: it stands as before.
    ///
    /// That is its duty with all that belongs to it, its connection (`-`: silent, `+`: here, `x`: its process has ended), and what is sent
    /// and recorded. `named`, `before`: it named dropped work that has not ended since its latest renewal, or before it. `drain asked`: it
    /// drains and has not said so; `!`: somebody asked for that where its duty does not show it.
    static let table: [Start: [String]] = [
        .unknown: [
            "gone | working+: registered | working+: registered | working+: registered | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | = | = | = | = | ="
        ],
        .lostAsked: [
            "gone | drain asked+: registered, drain | drain asked+: registered, drain | drain asked+: registered, drain | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | =: again | =: again | = | = | = | = | ="
        ],
        .unregistered: [
            "unregistered- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | = | unregisteredx | gone: lost | unregistered!- | =",
            "unregisteredx | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | = | = | gone: lost | unregistered!x | unregistered-",
        ],
        .unregisteredAsked: [
            "unregistered!- | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | =: again | = | unregistered!x | gone: lost | = | =",
            "unregistered!x | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | =: again | = | = | gone: lost | = | unregistered!-",
        ],
        .working: [
            "working+ | =: registered | =: registered | =: refused | =: renewed | =: late | =: again | =: again | "
                + "overdue (named)+ | = | draining+ | gone: lost | working- | workingx | gone: lost | drain asked+: drain | unregistered-",
            "working- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | = | workingx | gone: lost | drain asked- | unregistered-",
            "workingx | working+: registered | working+: registered | =: refused | =: renewed | =: late | =: again | =: again | "
                + "overdue (named)x | = | drainingx | gone: lost | = | = | gone: lost | drain askedx | unregistered-",
            "workingx | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | = | = | gone: lost | drain askedx | unregistered-",
        ],
        // It gets others with its next renewal.
        .heldBack: [
            "held back+ | working+: registered | working+: registered | =: refused | working+: renewed | =: late | =: again | "
                + "=: again | overdue (named, held back)+ | = | draining+ | gone: lost | held back- | held backx | gone: lost | "
                + "drain asked+: drain | unregistered-",
            "held back- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | = | held backx | gone: lost | drain asked- | unregistered-",
            "held backx | working+: registered | working+: registered | =: refused | workingx: renewed | =: late | =: again | "
                + "=: again | overdue (named, held back)x | = | drainingx | gone: lost | = | = | gone: lost | drain askedx | "
                + "unregistered-",
        ],
        .overdue: [
            "overdue (named)+ | working+: registered | working+: registered | =: refused | overdue (before)+: renewed | =: late | "
                + "=: again | =: again | = | working+ | draining (named)+ | gone: lost | overdue (named)- | overdue (named)x | "
                + "gone: lost | drain asked (named)+: drain | unregistered-",
            "overdue (named)- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | = | overdue (named)x | gone: lost | drain asked (named)- | "
                + "unregistered-",
            "overdue (named)x | working+: registered | working+: registered | =: refused | overdue (before)x: renewed | =: late | "
                + "=: again | =: again | = | workingx | draining (named)x | gone: lost | = | = | gone: lost | drain asked (named)x | "
                + "unregistered-",
        ],
        .overdueBefore: [
            "overdue (before)+ | working+: registered | working+: registered | =: refused | working+: renewed | =: late | "
                + "=: again | =: again | overdue (named)+ | working+ | draining (before)+ | gone: lost | overdue (before)- | "
                + "overdue (before)x | gone: lost | drain asked (before)+: drain | unregistered-",
            "overdue (before)- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | = | overdue (before)x | gone: lost | drain asked (before)- | "
                + "unregistered-",
            "overdue (before)x | working+: registered | working+: registered | =: refused | workingx: renewed | =: late | "
                + "=: again | =: again | overdue (named)x | workingx | draining (before)x | gone: lost | = | = | gone: lost | "
                + "drain asked (before)x | unregistered-",
        ],
        .overdueHeldBack: [
            "overdue (named, held back)+ | working+: registered | working+: registered | =: refused | overdue (before)+: renewed | "
                + "=: late | =: again | =: again | = | held back+ | draining (named)+ | gone: lost | overdue (named, held back)- | "
                + "overdue (named, held back)x | gone: lost | drain asked (named)+: drain | unregistered-",
            "overdue (named, held back)- | working+: registered | working+: registered | =: refused | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | = | overdue (named, held back)x | gone: lost | "
                + "drain asked (named)- | unregistered-",
            "overdue (named, held back)x | working+: registered | working+: registered | =: refused | overdue (before)x: renewed | "
                + "=: late | =: again | =: again | = | held backx | draining (named)x | gone: lost | = | = | gone: lost | "
                + "drain asked (named)x | unregistered-",
        ],
        .overdueBeforeHeldBack: [
            "overdue (before, held back)+ | working+: registered | working+: registered | =: refused | working+: renewed | "
                + "=: late | =: again | =: again | overdue (named, held back)+ | held back+ | draining (before)+ | gone: lost | "
                + "overdue (before, held back)- | overdue (before, held back)x | gone: lost | drain asked (before)+: drain | "
                + "unregistered-",
            "overdue (before, held back)- | working+: registered | working+: registered | =: refused | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | = | overdue (before, held back)x | gone: lost | "
                + "drain asked (before)- | unregistered-",
            "overdue (before, held back)x | working+: registered | working+: registered | =: refused | workingx: renewed | "
                + "=: late | =: again | =: again | overdue (named, held back)x | held backx | draining (before)x | gone: lost | = | = | "
                + "gone: lost | drain asked (before)x | unregistered-",
        ],
        .draining: [
            "draining+ | working+: registered | working+: registered | =: refused | =: renewed | =: late | =: again | =: again | "
                + "draining (named)+ | = | = | gone: lost | draining- | drainingx | gone: lost | draining!+ | unregistered-",
            "draining- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | = | drainingx | gone: lost | draining!- | unregistered-",
            "drainingx | working+: registered | working+: registered | =: refused | =: renewed | =: late | =: again | =: again | "
                + "draining (named)x | = | = | gone: lost | = | = | gone: lost | draining!x | unregistered-",
        ],
        .drainingOverdue: [
            "draining (named)+ | working+: registered | working+: registered | =: refused | draining (before)+: renewed | "
                + "=: late | =: again | =: again | = | draining+ | = | gone: lost | draining (named)- | draining (named)x | gone: lost | "
                + "draining (named)!+ | unregistered-",
            "draining (named)- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | = | draining (named)x | gone: lost | draining (named)!- | "
                + "unregistered-",
            "draining (named)x | working+: registered | working+: registered | =: refused | draining (before)x: renewed | "
                + "=: late | =: again | =: again | = | drainingx | = | gone: lost | = | = | gone: lost | draining (named)!x | "
                + "unregistered-",
        ],
        .drainingBefore: [
            "draining (before)+ | working+: registered | working+: registered | =: refused | draining+: renewed | =: late | "
                + "=: again | =: again | draining (named)+ | draining+ | = | gone: lost | draining (before)- | draining (before)x | "
                + "gone: lost | draining (before)!+ | unregistered-",
            "draining (before)- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | = | draining (before)x | gone: lost | draining (before)!- | "
                + "unregistered-",
            "draining (before)x | working+: registered | working+: registered | =: refused | drainingx: renewed | =: late | "
                + "=: again | =: again | draining (named)x | drainingx | = | gone: lost | = | = | gone: lost | draining (before)!x | "
                + "unregistered-",
        ],
        // It is asked with each renewal until it says so, and drains when it comes back.
        .drainAsked: [
            "drain asked+ | =: registered, drain | =: registered, drain | =: refused | =: renewed, drain | =: late | =: again | "
                + "=: again | drain asked (named)+ | = | draining!+ | gone: lost | drain asked- | drain askedx | gone: lost | = | "
                + "unregistered!-",
            "drain asked- | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | = | drain askedx | gone: lost | = | unregistered!-",
            "drain askedx | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: renewed | "
                + "=: late | =: again | =: again | drain asked (named)x | = | draining!x | gone: lost | = | = | gone: lost | = | "
                + "unregistered!-",
        ],
        .drainAskedOverdue: [
            "drain asked (named)+ | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | "
                + "drain asked (before)+: renewed, drain | =: late | =: again | =: again | = | drain asked+ | draining (named)!+ | "
                + "gone: lost | drain asked (named)- | drain asked (named)x | gone: lost | = | unregistered!-",
            "drain asked (named)- | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | =: again | = | drain asked (named)x | gone: lost | "
                + "= | unregistered!-",
            "drain asked (named)x | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | "
                + "drain asked (before)x: renewed | =: late | =: again | =: again | = | drain askedx | draining (named)!x | gone: lost | "
                + "= | = | gone: lost | = | unregistered!-",
        ],
        .drainAskedBefore: [
            "drain asked (before)+ | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | "
                + "drain asked+: renewed, drain | =: late | =: again | =: again | drain asked (named)+ | drain asked+ | "
                + "draining (before)!+ | gone: lost | drain asked (before)- | drain asked (before)x | gone: lost | = | unregistered!-",
            "drain asked (before)- | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | =: again | = | drain asked (before)x | gone: lost | "
                + "= | unregistered!-",
            "drain asked (before)x | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | "
                + "drain askedx: renewed | =: late | =: again | =: again | drain asked (named)x | drain askedx | draining (before)!x | "
                + "gone: lost | = | = | gone: lost | = | unregistered!-",
        ],
        // One that reregisters is taken for what it says; else the next turn takes from it what it held.
        .leaving: [
            "leaving- | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | = | leavingx | gone: lost | = | =",
            "leavingx | working+: registered | working+: registered | =: refused | =: again | =: again | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | = | = | gone: lost | = | leaving-",
        ],
        .leavingAsked: [
            "leaving!- | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | = | leaving!x | gone: lost | = | =",
            "leaving!x | drain asked+: registered, drain | drain asked+: registered, drain | =: refused | =: again | =: again | "
                + "=: again | =: again | =: again | =: again | =: again | =: again | = | = | gone: lost | = | leaving!-",
        ],
    ]

    static let elsewhere = PeerID(5_000)
    private let process = ProcessIdentity(namespace: "test", number: 4_711, start: 7)

    func world(_ start: Start, _ connection: Connection) -> (FrontHarness, WorkerHarness) {
        var (front, worker) = (FrontHarness { $0.bounds.lostJobs = 1 }, WorkerHarness(1))
        (worker.process, worker.seen) = (process, process)
        // Twice, so that there is a registration before; the second answer was read.
        worker.register(with: &front)
        worker.register(with: &front)
        _ = worker.renew(&front)
        bring(&front, &worker, to: start)
        if connection == .ended || connection == .endedSilent { _ = meet(.processEnded, &front, worker) }
        if connection == .silent || connection == .endedSilent { _ = meet(.lost, &front, worker) }
        return (front, worker)
    }

    private func bring(_ front: inout FrontHarness, _ worker: inout WorkerHarness, to start: Start) {
        switch start {
        case .unknown: _ = worker.send(.close(), to: &front)
        case .lostAsked: bring(&front, worker, by: .drainAsked, .leaseTime)
        case .unregistered: bring(&front, worker, by: .restart)
        case .unregisteredAsked: bring(&front, worker, by: .drainAsked, .restart)
        case .working: break
        case .heldBack:
            grant(1, &front, &worker)
            giveBack(&front, &worker)
        case .overdue: bring(&front, worker, by: .overdue)
        case .overdueBefore: renew(&front, &worker, after: .overdue)
        case .overdueHeldBack:
            bring(&front, &worker, to: .heldBack)
            bring(&front, worker, by: .overdue)
        case .overdueBeforeHeldBack:
            grant(1, &front, &worker)
            renew(&front, &worker, after: .overdue)
            giveBack(&front, &worker)
        case .draining: bring(&front, worker, by: .draining)
        case .drainingOverdue: bring(&front, worker, by: .draining, .overdue)
        case .drainingBefore: renew(&front, &worker, after: .draining, .overdue)
        case .drainAsked: bring(&front, worker, by: .drainAsked)
        case .drainAskedOverdue: bring(&front, worker, by: .drainAsked, .overdue)
        case .drainAskedBefore: renew(&front, &worker, after: .drainAsked, .overdue)
        case .leaving, .leavingAsked:
            grant(2, &front, &worker)
            if start == .leavingAsked { bring(&front, worker, by: .drainAsked) }
            bring(&front, worker, by: .close)
            front.settle()
        }
    }

    private func bring(_ front: inout FrontHarness, _ worker: WorkerHarness, by events: Event...) {
        for event in events { _ = meet(event, &front, worker) }
    }

    /// The worker renews after it has said that.
    private func renew(_ front: inout FrontHarness, _ worker: inout WorkerHarness, after events: Event...) {
        for event in events { _ = meet(event, &front, worker) }
        _ = worker.renew(&front)
    }

    private func grant(_ count: Int, _ front: inout FrontHarness, _ worker: inout WorkerHarness) {
        front.open()
        _ = front.run(count, loader: "slow", on: &worker)
    }

    /// The worker gives back what it was granted.
    private func giveBack(_ front: inout FrontHarness, _ worker: inout WorkerHarness) {
        let leases = worker.held.map(\.lease)
        _ = worker.send(.refusedGrants(.init(leases: leases, code: .busy, reason: "no room")), to: &front)
        worker.held = []
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
        case .close: return speaker.send(.close(), to: &front)
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
        case .restart:
            front = front.restarted()
            return front.started
        }
    }

    private func text(_ duty: WorkerSession.Duty) -> String {
        func named(_ overdue: WorkerSession.Overdue) -> String { overdue == .named ? "named" : "before" }
        return switch duty {
        case .unregistered: "unregistered"
        case .working(let isHeldBack): isHeldBack ? "held back" : "working"
        case .overdue(let overdue, let isHeldBack): "overdue (\(named(overdue))\(isHeldBack ? ", held back" : ""))"
        case .draining(let overdue, let isReported):
            (isReported ? "draining" : "drain asked") + (overdue.map { " (\(named($0)))" } ?? "")
        case .leaving: "leaving"
        }
    }

    /// How the worker stands.
    func text(_ front: FrontHarness, _ worker: WorkerHarness) -> String {
        let workers = front.machine.state.workers
        guard let known = workers.index(of: worker.id).flatMap({ workers[$0] }) else { return "gone" }
        let isShown = if case .draining(_, isReported: false) = known.duty { true } else { !known.isDrainAsked }
        let connection =
            switch known.connection {
            case .silent: "-"
            case .here: "+"
            case .ended: "x"
            }
        return text(known.duty) + (isShown ? "" : "!") + connection
    }

    /// What is sent and recorded; `late`: that a renewal came late is counted.
    func answers(_ actions: [FrontAction], late: Bool = false) -> String {
        let answers = actions.compactMap { action -> String? in
            switch action {
            case .sendToWorker(_, .registered): "registered"
            case .sendToWorker(_, .reregister): "again"
            case .sendToWorker(_, .drain): "drain"
            case .sendToWorker(_, .refused): "refused"
            case .answerRenewal: "renewed"
            case .record(.workerLost): "lost"
            default: nil
            }
        }
        let all = answers + (late ? ["late"] : [])
        return all.isEmpty ? "" : ": " + all.joined(separator: ", ")
    }

    /// How a worker stands before, and the cells of its row.
    static func cells(_ row: String) throws -> (before: String, cells: [String]) {
        let parts = row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
        let before = try #require(parts.first)
        return (before, parts.dropFirst().map { $0.hasPrefix("=") ? before + $0.dropFirst() : $0 })
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let rows = try #require(Self.table[start])
        #expect(rows.count == start.connections.count)
        for (connection, row) in zip(start.connections, rows) {
            let (before, cells) = try Self.cells(row)
            #expect(cells.count == Event.allCases.count, "\(start), \(connection)")
            for (event, cell) in zip(Event.allCases, cells) {
                var (front, worker) = world(start, connection)
                #expect(text(front, worker) == before, "\(start), \(connection)")
                let late = front.late
                let actions = meet(event, &front, worker)
                // What changes nothing is counted under its name.
                let counted = { [now = front.late] (reason: FrontIgnoredReason) in (now[reason] ?? 0) - (late[reason] ?? 0) }
                let met = text(front, worker) + answers(actions, late: counted(.oldRenewal) > 0)
                #expect(met == cell, "\(start), \(connection) and \(event)")
                #expect(counted(.notRegistered) == (met.hasSuffix(": again") ? 1 : 0), "\(start), \(connection) and \(event)")
                let known = front.machine.state.workers.index(of: worker.id)
                let isTaking = known.flatMap { front.machine.state.workers[$0] }?.readiness == .taking
                #expect(isTaking == met.hasPrefix("working+"), "\(start), \(connection) and \(event)")
            }
        }
    }
}
