//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// As `WorkerSessionTableTests`, of what happens around a worker: pauses, a full disk, a front that was away or has not read all.
@Suite("every state of a worker with everything that happens around it")
struct WorkerCircumstanceTableTests {
    private typealias Base = WorkerSessionTableTests

    /// What happens. `…Paused`: its name is paused then; `…Full`: the disk is; `leaseTimeUnread`: something of workers is unread;
    /// `renewalWaits`: its frame has to wait for the journal.
    enum Event: CaseIterable {
        case paused, resumed, registerPaused, diskFull, registerFull, closeFull, leaseTimeFull
        case loopPaused, leaseTimeAfterLoopPause, leaseTimeUnread, renewalWaits, oldRenewalWaits, notUnderstood
    }

    /// What becomes of each start with each of its connections by each event, in the order of `Event`, as in the other table; `*`: it may
    /// be given jobs then, `~`: jobs may wait for it, and it is given none.
    static let table: [WorkerSessionTableTests.Start: [String]] = [
        .unknown: [
            "gone | = | = | working+: registered | = | working+*: registered | =: again | = | = | = | = | = | = | =: refused"
        ],
        .lostAsked: [
            "gone | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | = | = | = | = | = | "
                + "= | =: refused"
        ],
        .unregistered: [
            "unregistered- | = | = | working+: registered | = | working+*: registered | =: again | gone: lost | = | = | = | = | "
                + "= | =: refused",
            "unregisteredx | = | = | working+: registered | = | working+*: registered | =: again | gone: lost | = | gone: lost | "
                + "= | = | = | =: refused",
        ],
        .unregisteredAsked: [
            "unregistered!- | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | "
                + "gone: lost | = | = | = | = | = | =: refused",
            "unregistered!x | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | "
                + "gone: lost | = | gone: lost | = | = | = | =: refused",
        ],
        // What a process that has ended had sent is read for as long as the front was away, and no longer: its lease is not waited for.
        .working: [
            "working+ | = | =* | =: registered | =* | =*: registered | gone: lost | gone: lost | =* | =* | =* | =*: renewed | =* | "
                + "=*: refused",
            "working- | = | =~ | working+: registered | =~ | working+*: registered | =~: again | gone: lost | =~ | =~ | =~ | =~ | "
                + "=~ | =~: refused",
            "workingx | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | =~ | gone: lost | "
                + "=~ | =~: renewed | =~ | =~: refused",
            "workingx | = | =~ | working+: registered | =~ | working+*: registered | =~: again | gone: lost | =~ | gone: lost | "
                + "=~ | =~ | =~ | =~: refused",
        ],
        // A renewal that waits is answered; what it says is handled later.
        .heldBack: [
            "held back+ | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | =~ | =~ | =~ | "
                + "=~: renewed | =~ | =~: refused",
            "held back- | = | =~ | working+: registered | =~ | working+*: registered | =~: again | gone: lost | =~ | =~ | =~ | "
                + "=~ | =~ | =~: refused",
            "held backx | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | =~ | gone: lost | "
                + "=~ | =~: renewed | =~ | =~: refused",
        ],
        .overdue: [
            "overdue (named)+ | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | =~ | =~ | "
                + "=~ | =~: renewed | =~ | =~: refused",
            "overdue (named)- | = | =~ | working+: registered | =~ | working+*: registered | =~: again | gone: lost | =~ | =~ | "
                + "=~ | =~ | =~ | =~: refused",
            "overdue (named)x | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | =~ | "
                + "gone: lost | =~ | =~: renewed | =~ | =~: refused",
        ],
        .overdueBefore: [
            "overdue (before)+ | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | =~ | =~ | "
                + "=~ | =~: renewed | =~ | =~: refused",
            "overdue (before)- | = | =~ | working+: registered | =~ | working+*: registered | =~: again | gone: lost | =~ | =~ | "
                + "=~ | =~ | =~ | =~: refused",
            "overdue (before)x | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | =~ | "
                + "gone: lost | =~ | =~: renewed | =~ | =~: refused",
        ],
        .overdueHeldBack: [
            "overdue (named, held back)+ | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | "
                + "=~ | =~ | =~ | =~: renewed | =~ | =~: refused",
            "overdue (named, held back)- | = | =~ | working+: registered | =~ | working+*: registered | =~: again | gone: lost | "
                + "=~ | =~ | =~ | =~ | =~ | =~: refused",
            "overdue (named, held back)x | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | "
                + "=~ | gone: lost | =~ | =~: renewed | =~ | =~: refused",
        ],
        .overdueBeforeHeldBack: [
            "overdue (before, held back)+ | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | "
                + "=~ | =~ | =~ | =~: renewed | =~ | =~: refused",
            "overdue (before, held back)- | = | =~ | working+: registered | =~ | working+*: registered | =~: again | gone: lost | "
                + "=~ | =~ | =~ | =~ | =~ | =~: refused",
            "overdue (before, held back)x | = | =~ | working+: registered | =~ | working+*: registered | gone: lost | gone: lost | "
                + "=~ | gone: lost | =~ | =~: renewed | =~ | =~: refused",
        ],
        .draining: [
            "draining+ | = | = | working+: registered | = | working+*: registered | gone: lost | gone: lost | = | = | = | "
                + "=: renewed | = | =: refused",
            "draining- | = | = | working+: registered | = | working+*: registered | =: again | gone: lost | = | = | = | = | = | "
                + "=: refused",
            "drainingx | = | = | working+: registered | = | working+*: registered | gone: lost | gone: lost | = | gone: lost | = | "
                + "=: renewed | = | =: refused",
        ],
        .drainingOverdue: [
            "draining (named)+ | = | = | working+: registered | = | working+*: registered | gone: lost | gone: lost | = | = | = | "
                + "=: renewed | = | =: refused",
            "draining (named)- | = | = | working+: registered | = | working+*: registered | =: again | gone: lost | = | = | = | "
                + "= | = | =: refused",
            "draining (named)x | = | = | working+: registered | = | working+*: registered | gone: lost | gone: lost | = | "
                + "gone: lost | = | =: renewed | = | =: refused",
        ],
        .drainingBefore: [
            "draining (before)+ | = | = | working+: registered | = | working+*: registered | gone: lost | gone: lost | = | = | = | "
                + "=: renewed | = | =: refused",
            "draining (before)- | = | = | working+: registered | = | working+*: registered | =: again | gone: lost | = | = | = | "
                + "= | = | =: refused",
            "draining (before)x | = | = | working+: registered | = | working+*: registered | gone: lost | gone: lost | = | "
                + "gone: lost | = | =: renewed | = | =: refused",
        ],
        .drainAsked: [
            "drain asked+ | = | = | =: registered, drain | = | =: registered, drain | gone: lost | gone: lost | = | = | = | "
                + "=: renewed | = | =: refused",
            "drain asked- | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | "
                + "gone: lost | = | = | = | = | = | =: refused",
            "drain askedx | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | gone: lost | "
                + "gone: lost | = | gone: lost | = | =: renewed | = | =: refused",
        ],
        .drainAskedOverdue: [
            "drain asked (named)+ | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | gone: lost | "
                + "gone: lost | = | = | = | =: renewed | = | =: refused",
            "drain asked (named)- | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | "
                + "gone: lost | = | = | = | = | = | =: refused",
            "drain asked (named)x | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | gone: lost | "
                + "gone: lost | = | gone: lost | = | =: renewed | = | =: refused",
        ],
        .drainAskedBefore: [
            "drain asked (before)+ | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | gone: lost | "
                + "gone: lost | = | = | = | =: renewed | = | =: refused",
            "drain asked (before)- | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | "
                + "gone: lost | = | = | = | = | = | =: refused",
            "drain asked (before)x | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | gone: lost | "
                + "gone: lost | = | gone: lost | = | =: renewed | = | =: refused",
        ],
        // What it held is taken from it whatever the time.
        .leaving: [
            "leaving- | = | = | working+: registered | = | working+*: registered | =: again | gone: lost | = | gone: lost | "
                + "gone: lost | = | = | =: refused",
            "leavingx | = | = | working+: registered | = | working+*: registered | =: again | gone: lost | = | gone: lost | "
                + "gone: lost | = | = | =: refused",
        ],
        .leavingAsked: [
            "leaving!- | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | gone: lost | "
                + "= | gone: lost | gone: lost | = | = | =: refused",
            "leaving!x | = | = | drain asked+: registered, drain | = | drain asked+: registered, drain | =: again | gone: lost | "
                + "= | gone: lost | gone: lost | = | = | =: refused",
        ],
    ]

    private func pause(_ worker: WorkerHarness, _ isPaused: Bool, _ front: inout FrontHarness) {
        if front.session == .none { front.open() }
        let target = PauseTarget.worker("w\(worker.id)")
        let reply = front.ask(.pause(isPaused ? .begin(target, reason: "", length: nil) : .end(target)))
        #expect(reply == .done(version: 0))
    }

    private func meet(_ event: Event, _ front: inout FrontHarness, _ worker: WorkerHarness) -> [FrontAction] {
        var speaker = worker
        let whole = (front.settings.lease + front.settings.grace).wholeMilliseconds
        func waits(_ renewal: UInt64) -> FrontEvent {
            let messages = [WorkerMessage.renewal(RenewalNumber(renewal), leases: [])]
            return .workerWaits(
                worker.peer,
                WorkerEnvelope(
                    worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber, messages: messages))
        }
        switch event {
        case .paused, .resumed:
            pause(worker, true, &front)
            if event == .resumed { pause(worker, false, &front) }
            return []
        case .registerPaused:
            pause(worker, true, &front)
            return speaker.registration(with: &front)
        case .diskFull: return front.handle(.storageFull(true))
        case .registerFull:
            front.handle(.storageFull(true))
            return speaker.registration(with: &front)
        case .closeFull:
            front.handle(.storageFull(true))
            return speaker.send(.close(), to: &front)
        case .leaseTimeFull:
            front.handle(.storageFull(true))
            front.pass(milliseconds: whole)
            return front.settle()
        case .loopPaused: return front.handle(.loopPaused(.seconds(1)))
        case .leaseTimeAfterLoopPause:
            front.handle(.loopPaused(front.settings.lease))
            front.pass(milliseconds: whole)
            return front.settle()
        case .leaseTimeUnread:
            front.pass(milliseconds: whole)
            return front.handle(.inputRead(TurnReading(began: front.now.monotonic, isWorkersDone: false, isClientsDone: true)))
        case .renewalWaits: return front.handle(waits(worker.renewal + 1))
        case .oldRenewalWaits: return front.handle(waits(worker.renewal))
        case .notUnderstood: return speaker.send(.unknown, to: &front)
        }
    }

    /// As the other table says it, and behind where it stands whether it may be given jobs, or jobs may wait for it.
    private func text(_ front: FrontHarness, _ worker: WorkerHarness, _ actions: [FrontAction]) -> String {
        let (stands, answers) = (Base().text(front, worker), Base().answers(actions))
        let jobs = front.machine.state.jobs
        let known = front.machine.state.workers.index(of: worker.id)
        guard let room = known.flatMap({ jobs.holding(of: $0) })?.room(in: jobs.slab), room.isOffering || room.isTaking else {
            return stands + answers
        }
        return stands + (room.isTaking ? room.isOffering ? "*" : "?" : "~") + answers
    }

    @Test("each start with each event", arguments: WorkerSessionTableTests.Start.allCases)
    func rows(start: WorkerSessionTableTests.Start) throws {
        let rows = try #require(Self.table[start])
        #expect(rows.count == start.connections.count)
        for (connection, row) in zip(start.connections, rows) {
            let (before, cells) = try Base.cells(row)
            #expect(cells.count == Event.allCases.count, "\(start), \(connection)")
            for (event, expected) in zip(Event.allCases, cells) {
                var (front, worker) = Base().world(start, connection)
                #expect(Base().text(front, worker) == before, "\(start), \(connection)")
                let actions = meet(event, &front, worker)
                #expect(text(front, worker, actions) == expected, "\(start), \(connection) and \(event)")
                #expect(front.machine.state.jobs.scheduler.refusals == 0, "\(start), \(connection) and \(event)")
            }
        }
    }
}
