//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("The scheduler alone")
struct SchedulerTests {
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
