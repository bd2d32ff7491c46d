//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of an action with many jobs with everything that can happen to it")
struct BulkActionTableTests {
    /// How far action 1 has come, which repeats three failed jobs, one a turn, the newest first.
    ///
    /// `asked`: no turn has come yet; `onFullDisk`, `onFullQueue`: what it waits for; `reading`: its jobs are in bundles, and it waits for that of the
    /// newest one; `readingNext`: that could not be read, and it waits for that of the two others; `cancels`: it cancels three waiting jobs instead, and has
    /// cancelled one.
    enum Start: CaseIterable {
        case absent, asked, going, onFullDisk, onFullQueue, reading, readingNext, cancels, finished
    }

    /// What happens then. `later`: a turn when a pause is over; `queueEmpties`: the same, once nothing waits in the queue; `…Restart`: and a turn.
    enum Event: CaseIterable {
        case turn, later, diskFull, roomAgain, queueEmpties, bundleRead, bundleUnreadable, sameRequest, restart, turnAfterRestart
    }

    /// Behind each event, for each start in the order of `Start`: what the action does, and how many jobs it has done and passed over; `+2`: action 2
    /// stands beside it.
    static let table: [Event: String] = [
        .turn: "absent | goes 1 0 | goes 2 0 | disk 1 0 | queue 0 0 | reads 0 0 | reads 0 1 | goes 2 0 | finished 3 0",
        .later: "absent | goes 1 0 | goes 2 0 | disk 1 0 | queue 0 0 | reads 0 0 | reads 0 1 | goes 2 0 | finished 3 0",
        // A cancel needs no room on the disk, and does nothing with what somebody else has cancelled.
        .diskFull: "absent | disk 0 0 | disk 1 0 | disk 1 0 | queue 0 0 | reads 0 0 | reads 0 1 | goes 2 0 | finished 3 0",
        .roomAgain: "absent | goes 1 0 | goes 2 0 | goes 2 0 | queue 0 0 | reads 0 0 | reads 0 1 | goes 2 0 | finished 3 0",
        .queueEmpties: "absent | goes 1 0 | goes 2 0 | disk 1 0 | goes 1 0 | reads 0 0 | reads 0 1 | finished 1 0 | finished 3 0",
        .bundleRead: "absent | goes 0 0 | goes 1 0 | disk 1 0 | queue 0 0 | goes 1 0 | goes 1 1 | goes 1 0 | finished 3 0",
        .bundleUnreadable: "absent | goes 0 0 | goes 1 0 | disk 1 0 | queue 0 0 | reads 0 1 | finished 0 3 | goes 1 0 | finished 3 0",
        .sameRequest:
            "goes 0 0 | goes 0 0 +2 | goes 1 0 +2 | disk 1 0 | queue 0 0 +2 | reads 0 0 +2 | reads 0 1 +2 | goes 1 0 +2 | finished 3 0 +2",
        // What it waits for, and what has ended, is of one epoch.
        .restart: "absent | goes 0 0 | goes 1 0 | goes 1 0 | goes 0 0 | goes 0 0 | goes 0 1 | goes 1 0 | absent",
        .turnAfterRestart: "absent | goes 1 0 | goes 2 0 | goes 2 0 | queue 0 0 | reads 0 0 | reads 0 1 | goes 2 0 | absent",
    ]

    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    }

    private func ask(_ start: Start, _ front: inout BundledFront) -> Reply? {
        let request = start == .cancels ? BulkRequest(.cancel, JobQuery(loader: "idle")) : BulkRequest(.retry, JobQuery(state: .failed))
        return front.front.ask(.job(.bulk(request)))
    }

    private func world(_ start: Start) -> BundledFront {
        var front = BundledFront {
            ($0.bounds.bulkActionJobs, $0.bounds.bundleJobs) = (1, 2)
            if start == .onFullQueue { $0.bounds.queuedJobs = 2 }
        }
        for _ in 0..<3 { _ = front.fail() }
        // What is repeated waits from now on.
        front.keep(front.worker.send(.close(), to: &front.front))
        if start == .onFullQueue { _ = front.front.submit(2, loader: "idle") }
        if start == .cancels { _ = front.front.submit(3, loader: "idle") }
        if start == .reading || start == .readingNext { #expect(front.bundle() == 2) }
        guard start != .absent else { return front }
        #expect(ask(start, &front) == .selected(bulk: Self.first, jobs: 0, next: nil))
        switch start {
        case .absent, .asked: break
        case .going, .onFullQueue, .reading, .cancels: turn(&front)
        case .onFullDisk:
            turn(&front)
            meet(.diskFull, start, &front)
        case .readingNext:
            turn(&front)
            meet(.bundleUnreadable, start, &front)
        case .finished: for _ in 0..<4 { turn(&front) }
        }
        return front
    }

    private func turn(_ front: inout BundledFront, after milliseconds: Int64 = 0) {
        front.front.pass(milliseconds: milliseconds)
        front.keep(front.front.settle())
    }

    private func meet(_ event: Event, _ start: Start, _ front: inout BundledFront) {
        switch event {
        case .turn: turn(&front)
        case .later: turn(&front, after: 1_100)
        case .diskFull, .roomAgain:
            front.keep(front.front.handle(.storageFull(event == .diskFull)))
            turn(&front, after: event == .diskFull ? 0 : 1_100)
        case .queueEmpties:
            for id in front.front.machine.state.jobs.slab.ids(from: 0, chunkLimit: 100).ids {
                let record = front.front.machine.state.jobs[id]
                let isIdle = front.front.machine.state.jobs.loaderNames[Int(record.loader)] == "idle"
                if isIdle, !record.state.isFinal { _ = front.front.ask(.job(.cancel(JobID(id)))) }
            }
            turn(&front, after: 1_100)
        case .bundleRead:
            if let number = front.asked.last { _ = front.take(number) }
        case .bundleUnreadable:
            guard let number = front.asked.last else { return }
            front.bundles[number] = nil
            _ = front.take(number)
        case .sameRequest: _ = ask(start, &front)
        case .restart, .turnAfterRestart:
            front = front.restarted()
            if event == .turnAfterRestart { turn(&front) }
        }
    }

    /// The number of the first action of a harness's epoch.
    private static let first: UInt64 = 4_000_001

    private func text(_ front: BundledFront) -> String {
        let (left, actions) = (front.front.machine.state.left, front.front.machine.queue.bulkActions)
        let beside = left.bulkAction(Self.first + 1) == nil ? "" : " +2"
        guard let (record, work) = left.bulkAction(Self.first) else {
            guard let summary = actions.finished.first(where: { $0.number == Self.first }) else { return "absent" + beside }
            return "finished \(summary.done) \(summary.passedOver)" + beside
        }
        let does =
            switch actions.summary(of: work, since: record.since).waitsFor {
            case "": actions.isReading(Self.first) ? "reads" : "goes"
            case "the disk is full": "disk"
            case "too many jobs wait: it goes on as they end": "queue"
            case let other: other
            }
        return "\(does) \(work.done) \(work.passedOver)" + beside
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let place = try #require(Start.allCases.firstIndex(of: start))
        for event in Event.allCases {
            let row = Self.cells(try #require(Self.table[event]))
            #expect(row.count == Start.allCases.count, "\(event)")
            var front = world(start)
            meet(event, start, &front)
            #expect(text(front) == row[place], "\(start) and \(event)")
            // It is known by its entries alone how far it has come.
            let (own, replayed) = (front.front.machine.state, front.restarted().front.machine.state)
            #expect(own.image.difference(from: replayed.image, withJobs: true) == nil, "\(start) and \(event)")
            #expect(own.left.all == replayed.left.all && own.miscount == nil, "\(start) and \(event)")
        }
    }
}
