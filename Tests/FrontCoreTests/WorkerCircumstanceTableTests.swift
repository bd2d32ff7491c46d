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

    /// What becomes of each start by each event, in the order of `Event`, as in the other table; `*`: it may be given jobs then, `~`: jobs may
    /// wait for it, and it is given none.
    static let table: [WorkerSessionTableTests.Start: String] = [
        .unknown: """
        gone | gone | working+: registered | gone | working+*: registered | gone: again | gone | gone | gone | gone | gone \
        | gone | gone: refused
        """,
        .earlierLife: """
        unregistered- | unregistered- | working+: registered | unregistered- | working+*: registered | unregistered-: again \
        | gone: lost | unregistered- | unregistered- | unregistered- | unregistered- | unregistered- | unregistered-: refused
        """,
        .live: """
        working+ | working+* | working+: registered | working+* | working+*: registered | gone: lost | gone: lost | working+* \
        | working+* | working+* | working+*: renewed | working+* | working+*: refused
        """,
        .overdue: """
        overdue+ | overdue+~ | working+: registered | overdue+~ | working+*: registered | gone: lost | gone: lost | overdue+~ \
        | overdue+~ | overdue+~ | overdue+~: renewed | overdue+~ | overdue+~: refused
        """,
        .draining: """
        draining+ | draining+ | working+: registered | draining+ | working+*: registered | gone: lost | gone: lost | draining+ \
        | draining+ | draining+ | draining+: renewed | draining+ | draining+: refused
        """,
        .drainingOverdue: """
        draining (overdue)+ | draining (overdue)+ | working+: registered | draining (overdue)+ | working+*: registered \
        | gone: lost | gone: lost | draining (overdue)+ | draining (overdue)+ | draining (overdue)+ \
        | draining (overdue)+: renewed | draining (overdue)+ | draining (overdue)+: refused
        """,
        .silent: """
        working- | working-~ | working+: registered | working-~ | working+*: registered | working-~: again | gone: lost \
        | working-~ | working-~ | working-~ | working-~ | working-~ | working-~: refused
        """,
        // What it had sent is read for as long as the front was away, and no longer: its lease is not waited for.
        .ended: """
        workingx | workingx~ | working+: registered | workingx~ | working+*: registered | gone: lost | gone: lost | workingx~ \
        | gone: lost | workingx~ | workingx~: renewed | workingx~ | workingx~: refused
        """,
        // What it held is taken from it whatever the time.
        .leaving: """
        leaving- | leaving- | working+: registered | leaving- | working+*: registered | leaving-: again | gone: lost \
        | leaving- | gone: lost | gone: lost | leaving- | leaving- | leaving-: refused
        """,
        // A renewal that waits is answered; what it says is handled later.
        .heldBack: """
        held back+ | held back+~ | working+: registered | held back+~ | working+*: registered | gone: lost | gone: lost \
        | held back+~ | held back+~ | held back+~ | held back+~: renewed | held back+~ | held back+~: refused
        """,
        .drainAsked: """
        draining+ | draining+ | draining+: registered, told | draining+ | draining+: registered, told | gone: lost \
        | gone: lost | draining+ | draining+ | draining+ | draining+: renewed | draining+ | draining+: refused
        """,
        .drainAskedLost: """
        gone | gone | draining+: registered, told | gone | draining+: registered, told | gone: again | gone | gone | gone \
        | gone | gone | gone | gone: refused
        """,
        .overdueSilent: """
        overdue- | overdue-~ | working+: registered | overdue-~ | working+*: registered | overdue-~: again | gone: lost \
        | overdue-~ | overdue-~ | overdue-~ | overdue-~ | overdue-~ | overdue-~: refused
        """,
        .drainingSilent: """
        draining- | draining- | working+: registered | draining- | working+*: registered | draining-: again | gone: lost \
        | draining- | draining- | draining- | draining- | draining- | draining-: refused
        """,
        .overdueEnded: """
        overduex | overduex~ | working+: registered | overduex~ | working+*: registered | gone: lost | gone: lost | overduex~ \
        | gone: lost | overduex~ | overduex~: renewed | overduex~ | overduex~: refused
        """,
        .drainingEnded: """
        drainingx | drainingx | working+: registered | drainingx | working+*: registered | gone: lost | gone: lost | drainingx \
        | gone: lost | drainingx | drainingx: renewed | drainingx | drainingx: refused
        """,
        .earlierEnded: """
        unregisteredx | unregisteredx | working+: registered | unregisteredx | working+*: registered | unregisteredx: again \
        | gone: lost | unregisteredx | gone: lost | unregisteredx | unregisteredx | unregisteredx | unregisteredx: refused
        """,
        .leavingEnded: """
        leavingx | leavingx | working+: registered | leavingx | working+*: registered | leavingx: again | gone: lost \
        | leavingx | gone: lost | gone: lost | leavingx | leavingx | leavingx: refused
        """,
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
            return speaker.send(.close, to: &front)
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
        let text = Base().text(front, worker, actions)
        let jobs = front.machine.state.jobs
        let known = front.machine.state.workers.index(of: worker.id)
        guard let room = known.flatMap({ jobs.holding(of: $0) })?.room(in: jobs.slab), room.isOffering || room.isTaking else { return text }
        let stands = text.prefix { $0 != ":" }
        return stands + (room.isTaking ? room.isOffering ? "*" : "?" : "~") + text.dropFirst(stands.count)
    }

    @Test("each start with each event", arguments: WorkerSessionTableTests.Start.allCases)
    func rows(start: WorkerSessionTableTests.Start) throws {
        let row = try #require(Self.table[start]).split(separator: "|").map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var (front, worker) = Base().world(start)
            let actions = meet(event, &front, worker)
            #expect(text(front, worker, actions) == expected, "\(start) and \(event)")
            #expect(front.machine.state.jobs.scheduler.refusals == 0, "\(start) and \(event)")
        }
    }
}
