//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every duty of a worker with everything that it reports")
struct WorkerDutyTableTests {
    /// What the front knows of it before. `…Before`: it has renewed since it named dropped work; `…HeldBack`: it gave a grant back;
    /// `drainAsked…`: somebody asked that it drain, and it has not said that it does.
    enum Start: CaseIterable {
        case unregistered, working, heldBack, overdue, overdueBefore, overdueHeldBack, overdueBeforeHeldBack
        case draining, drainingOverdue, drainingBefore, drainAsked, drainAskedOverdue, drainAskedBefore, leaving
    }

    /// What happens then. `register…`: it registers, as it was, or asked to drain meanwhile; `overdue`: it names dropped work that has not
    /// ended.
    enum Event: CaseIterable {
        case renew, overdue, allEnded, draining, drainAsked, holdBack
        case register, registerAsked, epoch, waitingRenewal, leave
    }

    /// The events that lead to each start.
    static let paths: [Start: [Event]] = [
        .unregistered: [],
        .working: [.register],
        .heldBack: [.register, .holdBack],
        .overdue: [.register, .overdue],
        .overdueBefore: [.register, .overdue, .renew],
        .overdueHeldBack: [.register, .holdBack, .overdue],
        .overdueBeforeHeldBack: [.register, .overdue, .renew, .holdBack],
        .draining: [.register, .draining],
        .drainingOverdue: [.register, .draining, .overdue],
        .drainingBefore: [.register, .draining, .overdue, .renew],
        .drainAsked: [.register, .drainAsked],
        .drainAskedOverdue: [.register, .drainAsked, .overdue],
        .drainAskedBefore: [.register, .drainAsked, .overdue, .renew],
        .leaving: [.register, .leave],
    ]

    /// What becomes of each start by the first six events, in the order of `Event`.
    static let table: [Start: String] = [
        .unregistered: "unregistered | unregistered | unregistered | unregistered | unregistered | unregistered",
        .working: "working | overdue | working | draining | drainAsked | heldBack",
        .heldBack: "working | overdueHeldBack | heldBack | draining | drainAsked | heldBack",
        .overdue: "overdueBefore | overdue | working | drainingOverdue | drainAskedOverdue | overdueHeldBack",
        .overdueBefore: "working | overdue | working | drainingBefore | drainAskedBefore | overdueBeforeHeldBack",
        .overdueHeldBack: "overdueBefore | overdueHeldBack | heldBack | drainingOverdue | drainAskedOverdue | overdueHeldBack",
        .overdueBeforeHeldBack: "working | overdueHeldBack | heldBack | drainingBefore | drainAskedBefore | overdueBeforeHeldBack",
        .draining: "draining | drainingOverdue | draining | draining | draining | draining",
        .drainingOverdue: "drainingBefore | drainingOverdue | draining | drainingOverdue | drainingOverdue | drainingOverdue",
        .drainingBefore: "draining | drainingOverdue | draining | drainingBefore | drainingBefore | drainingBefore",
        .drainAsked: "drainAsked | drainAskedOverdue | drainAsked | draining | drainAsked | drainAsked",
        .drainAskedOverdue:
            "drainAskedBefore | drainAskedOverdue | drainAsked | drainingOverdue | drainAskedOverdue | drainAskedOverdue",
        .drainAskedBefore: "drainAsked | drainAskedOverdue | drainAsked | drainingBefore | drainAskedBefore | drainAskedBefore",
        .leaving: "leaving | leaving | leaving | leaving | leaving | leaving",
    ]

    /// What the other events make of each start alike, and of those whose worker was asked to drain; nil: it stays.
    static let others: [(event: Event, then: Start?, whereAsked: Start?)] = [
        (.register, .working, .drainAsked), (.registerAsked, .drainAsked, .drainAsked), (.epoch, .unregistered, .unregistered),
        (.waitingRenewal, nil, nil), (.leave, .leaving, .leaving),
    ]

    /// What each start says where its connection is there, lost, or its process has ended: whether jobs are given to it and may wait for
    /// it, whether it is asked again to drain, and what observers see.
    static let questions: [Start: String] = [
        .unregistered: "silent | silent | silent",
        .working: "takes offers live | offers silent | offers silent",
        .heldBack: "offers live | offers silent | offers silent",
        .overdue: "offers overdue | offers silent | offers silent",
        .overdueBefore: "offers overdue | offers silent | offers silent",
        .overdueHeldBack: "offers overdue | offers silent | offers silent",
        .overdueBeforeHeldBack: "offers overdue | offers silent | offers silent",
        .draining: "draining | draining | draining",
        .drainingOverdue: "draining | draining | draining",
        .drainingBefore: "draining | draining | draining",
        .drainAsked: "asked draining | asked draining | draining",
        .drainAskedOverdue: "asked draining | asked draining | draining",
        .drainAskedBefore: "asked draining | asked draining | draining",
        .leaving: "silent | silent | silent",
    ]

    private static func duty(_ start: Start) -> WorkerSession.Duty {
        switch start {
        case .unregistered: .unregistered
        case .working: .working(isHeldBack: false)
        case .heldBack: .working(isHeldBack: true)
        case .overdue: .overdue(.named, isHeldBack: false)
        case .overdueBefore: .overdue(.before, isHeldBack: false)
        case .overdueHeldBack: .overdue(.named, isHeldBack: true)
        case .overdueBeforeHeldBack: .overdue(.before, isHeldBack: true)
        case .draining: .draining(nil, isReported: true)
        case .drainingOverdue: .draining(.named, isReported: true)
        case .drainingBefore: .draining(.before, isReported: true)
        case .drainAsked: .draining(nil, isReported: false)
        case .drainAskedOverdue: .draining(.named, isReported: false)
        case .drainAskedBefore: .draining(.before, isReported: false)
        case .leaving: .leaving
        }
    }

    static let peer = PeerID(1)

    private static func registered(drains: Bool) -> JournalEntry.WorkerRegistered {
        let registration = WorkerMessage.Registration(name: "w1", processID: 1, slots: 2, prefetch: 4, loaders: WorkerHarness.loaders)
        return JournalEntry.WorkerRegistered(WorkerID(1), RegistrationNumber(1), registration, drains: drains)
    }

    private func worker(_ start: Start) throws -> WorkerSession {
        var worker = WorkerSession(Self.registered(drains: false), epoch: Epoch(5))
        for event in try #require(Self.paths[start]) { meet(event, &worker) }
        #expect(worker.duty == Self.duty(start))
        // Jobs 1 and 2 were taken from it.
        worker.drop([1, 2]) { _ in true }
        return worker
    }

    private func meet(_ event: Event, _ worker: inout WorkerSession) {
        switch event {
        case .renew: worker.renew(RenewalNumber(worker.renewal.rawValue + 1))
        case .overdue: worker.noteOverdue([1, 9])
        case .allEnded: worker.noteOverdue([])
        case .draining: worker.drain(isReported: true)
        case .drainAsked, .registerAsked:
            worker.apply(Self.registered(drains: true), epoch: Epoch(5), stored: nil)
            if event == .drainAsked { worker.drain(isReported: false) } else { worker.begin(peer: Self.peer, sentUnder: .none) }
        case .holdBack: worker.holdBack()
        case .register: worker.begin(peer: Self.peer, sentUnder: .none)
        case .epoch: worker.beginEpoch(leaseEnd: .distantFuture)
        case .waitingRenewal: worker.renewEarly(RenewalNumber(worker.renewal.rawValue + 1))
        case .leave: worker.leave()
        }
    }

    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try Event.allCases.prefix(6).map { event in
            var worker = try worker(start)
            meet(event, &worker)
            // What was dropped counts as long as it may not have ended there, and it can only make it less.
            let dropped: Set<UInt64> =
                switch event {
                case .renew where !worker.isOverdue: []
                case .overdue where worker.isRegistered: [1]
                case .allEnded where worker.isRegistered: []
                default: [1, 2]
                }
            #expect(worker.dropped == dropped, "\(start) and \(event)")
            return Start.allCases.first { Self.duty($0) == worker.duty }.map { "\($0)" } ?? "\(worker.duty)"
        }
        #expect(row == Self.cells(try #require(Self.table[start])), "\(start)")
    }

    @Test("each start with what changes all alike", arguments: Start.allCases)
    func others(start: Start) throws {
        for (event, then, whereAsked) in Self.others {
            var worker = try worker(start)
            let expected = worker.isDrainAsked ? whereAsked : then
            meet(event, &worker)
            #expect(worker.duty == Self.duty(expected ?? start), "\(start) and \(event)")
            #expect(worker.dropped == [1, 2], "\(start) and \(event)")
        }
    }

    @Test("what each start says with each connection", arguments: Start.allCases)
    func questions(start: Start) throws {
        let row = try Connection.allCases.map { connection in
            var worker = try worker(start)
            if connection == .silent { worker.lose(Self.peer) }
            if connection == .ended { worker.end(Self.unread(until: 5)) }
            let words = [worker.readiness == .taking ? "takes" : "", worker.isOffering ? "offers" : "", worker.awaitsDrain ? "asked" : ""]
            return (words + ["\(worker.shown)"]).filter { !$0.isEmpty }.joined(separator: " ")
        }
        #expect(row == Self.cells(try #require(Self.questions[start])), "\(start)")
    }
}

extension WorkerDutyTableTests {
    enum Connection: CaseIterable {
        case here, silent, ended
    }

    /// What is left to be read of a process is read until then, in seconds.
    private static func unread(until seconds: Int64) -> WorkerSession.Unread {
        WorkerSession.Unread(readUntil: MonotonicTime(nanoseconds: seconds * 1_000_000_000), loopPauseBefore: .zero)
    }

    /// How each connection stands after the worker registers by connection 2, connection 1 or 2 is lost, its process ends, or it is lost. A
    /// process that ended is read until the fifth second, and one that ends now until the ninth.
    static let connections: [(before: String, then: [String])] = [
        ("silent", ["here 2", "silent", "silent", "ended 0 until 9", "silent"]),
        ("here 1", ["here 2", "silent", "here 1", "ended 1 until 9", "silent"]),
        ("ended 1 until 5", ["here 2", "ended 0 until 5", "ended 1 until 5", "ended 1 until 5", "ended 1 until 5"]),
        ("ended 0 until 5", ["here 2", "ended 0 until 5", "ended 0 until 5", "ended 0 until 5", "ended 0 until 5"]),
    ]

    private func text(_ connection: WorkerSession.Connection) -> String {
        switch connection {
        case .silent: "silent"
        case .here(let peer): "here \(peer.rawValue)"
        case .ended(let peer, let unread): "ended \(peer.rawValue) until \(unread.readUntil.nanoseconds / 1_000_000_000)"
        }
    }

    @Test("each connection with everything that happens to it", arguments: connections.indices)
    func connection(row: Int) {
        let (before, then) = Self.connections[row]
        var worker = WorkerSession(Self.registered(drains: false), epoch: Epoch(5))
        if before != "silent" { worker.begin(peer: Self.peer, sentUnder: .none) }
        if before.hasPrefix("ended") { worker.end(Self.unread(until: 5)) }
        if before.hasPrefix("ended 0") { worker.lose(Self.peer) }
        #expect(text(worker.connection) == before)
        let met = (0..<then.count).map { event in
            var worker = worker
            switch event {
            case 0: worker.begin(peer: PeerID(2), sentUnder: .none)
            case 1: worker.lose(Self.peer)
            case 2: worker.lose(PeerID(2))
            case 3: worker.end(Self.unread(until: 9))
            default: worker.leave()
            }
            return text(worker.connection)
        }
        #expect(met == then, "\(before)")
    }
}
