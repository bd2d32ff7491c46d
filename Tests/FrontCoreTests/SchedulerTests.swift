//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("The scheduler alone")
struct SchedulerTests {
    /// What can happen to a lane.
    enum Event: CaseIterable {
        case jobArrives, jobArrivesAgain, lastJobLeaves, workerRegisters, roomIsFound, roomIsGone, permitIsFree, workerIsForgotten
        case pauseBegins, pauseEnds, turn
    }

    struct Outcome: Equatable {
        var state: LaneState
        var refusal: SchedulerRefusal?
        var grants: [SchedulerWorld.Grant] = []
    }

    private static let table: [LaneState: [Event: Outcome]] = [
        .empty: [
            .jobArrives: Outcome(state: .unoffered), .jobArrivesAgain: Outcome(state: .empty, refusal: .notFree),
            .lastJobLeaves: Outcome(state: .empty, refusal: .notWaiting), .workerRegisters: Outcome(state: .empty),
            .roomIsFound: Outcome(state: .empty, refusal: .unknownWorker), .roomIsGone: Outcome(state: .empty, refusal: .unknownWorker),
            .permitIsFree: Outcome(state: .empty), .workerIsForgotten: Outcome(state: .empty, refusal: .unknownWorker),
            .pauseBegins: Outcome(state: .empty), .pauseEnds: Outcome(state: .empty),
            .turn: Outcome(state: .empty),
        ],
        .unoffered: [
            .jobArrives: Outcome(state: .unoffered), .jobArrivesAgain: Outcome(state: .unoffered, refusal: .notFree),
            .lastJobLeaves: Outcome(state: .empty), .workerRegisters: Outcome(state: .ready),
            .roomIsFound: Outcome(state: .unoffered, refusal: .unknownWorker),
            .roomIsGone: Outcome(state: .unoffered, refusal: .unknownWorker),
            .permitIsFree: Outcome(state: .unoffered), .workerIsForgotten: Outcome(state: .unoffered, refusal: .unknownWorker),
            .pauseBegins: Outcome(state: .paused), .pauseEnds: Outcome(state: .unoffered),
            .turn: Outcome(state: .unoffered),
        ],
        .paused: [
            .jobArrives: Outcome(state: .paused), .jobArrivesAgain: Outcome(state: .paused, refusal: .notFree),
            .lastJobLeaves: Outcome(state: .empty), .workerRegisters: Outcome(state: .paused), .roomIsFound: Outcome(state: .paused),
            .roomIsGone: Outcome(state: .paused), .permitIsFree: Outcome(state: .paused), .workerIsForgotten: Outcome(state: .paused),
            .pauseBegins: Outcome(state: .paused), .pauseEnds: Outcome(state: .ready), .turn: Outcome(state: .paused),
        ],
        .full: [
            .jobArrives: Outcome(state: .full), .jobArrivesAgain: Outcome(state: .full, refusal: .notFree),
            .lastJobLeaves: Outcome(state: .empty), .workerRegisters: Outcome(state: .ready), .roomIsFound: Outcome(state: .ready),
            .roomIsGone: Outcome(state: .full), .permitIsFree: Outcome(state: .full), .workerIsForgotten: Outcome(state: .unoffered),
            .pauseBegins: Outcome(state: .paused), .pauseEnds: Outcome(state: .full),
            .turn: Outcome(state: .full),
        ],
        .ready: [
            .jobArrives: Outcome(state: .ready), .jobArrivesAgain: Outcome(state: .ready, refusal: .notFree),
            .lastJobLeaves: Outcome(state: .empty), .workerRegisters: Outcome(state: .ready), .roomIsFound: Outcome(state: .ready),
            .roomIsGone: Outcome(state: .full), .permitIsFree: Outcome(state: .ready), .workerIsForgotten: Outcome(state: .unoffered),
            .pauseBegins: Outcome(state: .paused), .pauseEnds: Outcome(state: .ready),
            .turn: Outcome(state: .empty, grants: [.init(worker: 0, jobs: [1])]),
        ],
        .limited: [
            .jobArrives: Outcome(state: .limited), .jobArrivesAgain: Outcome(state: .limited, refusal: .notFree),
            .lastJobLeaves: Outcome(state: .empty), .workerRegisters: Outcome(state: .limited), .roomIsFound: Outcome(state: .limited),
            .roomIsGone: Outcome(state: .limited), .permitIsFree: Outcome(state: .ready),
            .workerIsForgotten: Outcome(state: .unoffered), .pauseBegins: Outcome(state: .paused), .pauseEnds: Outcome(state: .limited),
            .turn: Outcome(state: .limited),
        ],
        .suspected: [
            .jobArrives: Outcome(state: .suspected), .jobArrivesAgain: Outcome(state: .suspected, refusal: .notFree),
            .lastJobLeaves: Outcome(state: .empty), .workerRegisters: Outcome(state: .suspected),
            .roomIsFound: Outcome(state: .suspected), .roomIsGone: Outcome(state: .suspected),
            .permitIsFree: Outcome(state: .suspected), .workerIsForgotten: Outcome(state: .suspected),
            .pauseBegins: Outcome(state: .paused), .pauseEnds: Outcome(state: .suspected),
            .turn: Outcome(state: .suspected),
        ],
    ]

    /// A lane in each state: job 1 waits in it, worker 0 offers its loader.
    private func world(_ state: LaneState) -> SchedulerWorld {
        var world = SchedulerWorld()
        switch state {
        case .empty:
            world.make(1)
            world.slab[1].stand(.held, between: 0, and: 0)
        case .unoffered: world.insert(1)
        case .full, .suspected:
            world.register(0)
            world.setRoom(of: 0) { ($0.slotsTaken, $0.held) = (1, 1) }
            world.insert(1, isSuspected: state == .suspected)
        case .ready, .paused:
            world.register(0)
            if state == .paused { world.scheduler.setPaused(0, true) }
            world.insert(1)
        case .limited:
            world.register(0)
            world.scheduler.limits.apply(JournalEntry.LimitChanged("api", LimitRule(capacity: 1)))
            world.scheduler.limits.enter(1, jobs: 3, [LimitKey("api")])
            world.scheduler.limits.take(1)
            world.insert(1, limits: 1)
        }
        return world
    }

    private func happen(_ event: Event, in world: inout SchedulerWorld, _ key: LaneKey) -> Outcome {
        var outcome = Outcome(state: .empty)
        switch event {
        case .jobArrives: outcome.refusal = world.insert(2, limits: key.limitSet, isSuspected: key.isSuspect)
        case .jobArrivesAgain: outcome.refusal = world.scheduler.insert(1, key.terms, in: &world.slab)
        case .lastJobLeaves: outcome.refusal = world.remove(1)
        case .workerRegisters: world.register(1)
        case .roomIsFound: outcome.refusal = world.setRoom(of: 0) { ($0.isTaking, $0.slots, $0.slotsTaken) = (true, 1, 0) }
        case .roomIsGone: outcome.refusal = world.setRoom(of: 0) { ($0.isTaking, $0.slots, $0.slotsTaken) = (true, 1, 1) }
        case .permitIsFree:
            world.scheduler.limits.free(1)
            world.scheduler.flush(in: world.slab)
        case .workerIsForgotten: outcome.refusal = world.scheduler.removeWorker(0)
        case .pauseBegins: world.scheduler.setPaused(0, true)
        case .pauseEnds: world.scheduler.setPaused(0, false)
        case .turn: outcome.grants = world.turn()
        }
        outcome.state = world.scheduler.state(of: key)
        return outcome
    }

    @Test(
        "a lane goes from each state by each event where the table says, and what cannot be is refused by name",
        arguments: LaneState.allCases)
    func table(state: LaneState) throws {
        let key = LaneKey(loader: 0, terms: LaneTerms(limitSet: state == .limited ? 1 : 0), isSuspect: state == .suspected)
        for event in Event.allCases {
            var world = world(state)
            #expect(world.scheduler.state(of: key) == state)
            let expected = try #require(Self.table[state]?[event])
            let outcome = happen(event, in: &world, key)
            #expect(outcome == expected, "\(state), \(event)")
            #expect(world.scheduler.refusals == (expected.refusal == nil ? 0 : 1), "\(state), \(event)")
        }
    }

    @Test("the smallest rank goes first, whatever loader, to the worker with the least to do; bulk jobs go 64 at a time")
    func order() {
        var world = SchedulerWorld()
        world.register(0, slot: [0, 1], slots: 2)
        world.register(1, slot: [0, 1], slots: 4)
        for (id, loader) in [(1, 1), (2, 0), (3, 0), (4, 1), (5, 0)] as [(UInt64, Int)] {
            world.insert(id, rank: -Int64(id), loader: loader)
        }
        #expect(world.turn().flatMap(\.jobs) == [5, 4, 3, 2, 1])
        #expect(world.held == [0: [5, 2], 1: [4, 3, 1]])
        world = SchedulerWorld()
        world.register(0, slot: [], ahead: [0], placesAhead: 100)
        for id in UInt64(1)...150 { world.insert(id) }
        #expect(world.turn(kind: .ahead).map(\.jobs.count) == [64, 36])
    }

    @Test("a lane that several kinds of workers offer is served by whichever has least to do, also after one kind is gone")
    func kinds() {
        var world = SchedulerWorld()
        world.register(0, slot: [0, 1])
        world.register(1, slot: [0])
        for id in UInt64(1)...4 { world.insert(id, loader: 0) }
        #expect(world.turn() == [.init(worker: 0, jobs: [1]), .init(worker: 1, jobs: [2])])
        world.scheduler.removeWorker(0)
        #expect(world.scheduler.state(of: LaneKey(loader: 0)) == .full)
        world.end(2)
        #expect(world.turn() == [.init(worker: 1, jobs: [3])])
        world.register(1, slot: [1])
        #expect(world.scheduler.state(of: LaneKey(loader: 0)) == .unoffered)
        world.insert(9, loader: 1)
        #expect(world.scheduler.state(of: LaneKey(loader: 1)) == .full)
    }

    @Test(
        "jobs of each client go in the order of their ranks, one at a time or all, and clients take turns")
    func clients() {
        for kind in [WorkerRoom.Kind.slot, .ahead] {
            var world = SchedulerWorld()
            for id in UInt64(1)...150 { world.insert(id, rank: Int64(id * 7 % 151), client: UInt32(id % 5)) }
            let order = (UInt64(1)...150).sorted { $0 * 7 % 151 < $1 * 7 % 151 }
            world.register(0, slot: kind == .slot ? [0] : [], ahead: kind == .ahead ? [0] : [], slots: 100, placesAhead: 100)
            let grants = world.turn(kind: kind)
            let granted = grants.flatMap(\.jobs)
            let count = kind == .slot ? [20, 20, 20, 20, 20] : [30, 30, 30, 10, 0]
            for client in UInt64(0)..<5 {
                let own = granted.filter { $0 % 5 == client }
                #expect(own == Array(order.filter { $0 % 5 == client }.prefix(own.count)))
            }
            #expect((UInt64(0)..<5).map { client in granted.count { $0 % 5 == client } }.sorted(by: >) == count)
            #expect(grants.map(\.jobs.count) == (kind == .slot ? Array(repeating: 1, count: 100) : [30, 30, 30, 10]))
        }
    }

    @Test("a job that comes, is given and ends costs as much with twice as many clients, and so does a worker that comes and goes")
    func manyClients() {
        let costs = [5_000, 10_000].map { count in
            var world = SchedulerWorld()
            world.register(0, slot: [0, 1])
            world.setRoom(of: 0) { ($0.held, $0.slotsTaken) = (1, 1) }
            for id in 1...count { world.insert(UInt64(id), rank: Int64(id), client: UInt32(id)) }
            _ = world.scheduler.takeLooks()
            for job in 0..<10 {
                world.insert(UInt64(20_000 + job), rank: Int64(count / 2), client: UInt32(20_000 + job))
                world.setRoom(of: 0) { ($0.held, $0.slotsTaken) = (0, 0) }
                #expect(world.turn() == [.init(worker: 0, jobs: [UInt64(job + 1)])])
                world.register(1, slot: [0], slots: 1)
                world.scheduler.removeWorker(1)
            }
            return world.scheduler.takeLooks()
        }
        #expect(Double(costs[1]) < 1.3 * Double(costs[0]) && costs[0] > 0, "\(costs)")
    }

    /// The looks of a turn in which a job comes, is given and ends.
    private func looks(_ world: inout SchedulerWorld, loader: Int = 0) -> Int {
        _ = world.scheduler.takeLooks()
        for id in UInt64(1_000_000)..<1_000_010 {
            world.insert(id, rank: -1, loader: loader)
            world.turn()
            world.end(id)
        }
        #expect(world.slab.contains(1_000_000) == false)
        return world.scheduler.takeLooks()
    }

    @Test("a turn costs as much with twice as many loader names that wait, whether nobody offers them or their workers are full")
    func waitingNames() {
        for isOffered in [false, true] {
            let costs = [1_000, 2_000].map { count in
                var world = SchedulerWorld()
                world.register(0)
                if isOffered {
                    world.register(1, slot: Array(1...count))
                    world.setRoom(of: 1) { ($0.held, $0.slotsTaken) = (1, 1) }
                }
                for loader in 1...count { world.insert(UInt64(loader), loader: loader) }
                return looks(&world)
            }
            #expect(Double(costs[1]) < 1.3 * Double(costs[0]) && costs[0] > 0, "\(costs)")
        }
    }

    @Test("a place that becomes free costs as much with twice as many loader names that wait for it, and wakes the smallest rank")
    func awakened() {
        let costs = [1_000, 2_000].map { count in
            var world = SchedulerWorld()
            world.register(0, slot: Array(0..<count))
            for loader in 0..<count { world.insert(UInt64(loader + 1), rank: Int64(count - loader), loader: loader) }
            world.turn()
            _ = world.scheduler.takeLooks()
            for loader in (count - 20..<count).reversed() {
                world.end(UInt64(loader + 1))
                #expect(world.turn() == [.init(worker: 0, jobs: [UInt64(loader)])])
            }
            return world.scheduler.takeLooks()
        }
        #expect(Double(costs[1]) < 1.3 * Double(costs[0]), "\(costs)")
    }

    @Test("a turn costs as much with twice as many workers, of one kind or each of its own", arguments: [false, true])
    func workers(isEachOfItsOwn: Bool) {
        let costs = [256, 512].map { count in
            var world = SchedulerWorld()
            for worker in 0..<count { world.register(worker, slot: isEachOfItsOwn ? [worker] : [0], slots: 2) }
            return looks(&world)
        }
        #expect(Double(costs[1]) < 1.3 * Double(costs[0]), "\(costs)")
    }
}
