//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("Fair shares of clients")
struct ClientShareTests {
    /// The jobs of clients by their numbers, granted one by one to a worker with one slot, in order.
    private static func order(_ counts: [Int], slots: Int = 1, isBulk: Bool = false, until stop: Int = .max) -> [Int] {
        var world = SchedulerWorld()
        var clients: [UInt64: Int] = [:]
        var id: UInt64 = 0
        for (client, count) in counts.enumerated() {
            for _ in 0..<count {
                id += 1
                clients[id] = client
                world.make(id, client: UInt32(client + 1))
                // Here all weigh the same.
                world.terms[id]?.weight = 1
                world.scheduler.insert(id, world.terms[id] ?? LaneTerms(), in: &world.slab)
            }
        }
        world.scheduler.flush(in: world.slab)
        if isBulk { world.register(0, slot: [], ahead: [0], placesAhead: 100) } else { world.register(0, slots: slots) }
        var order: [Int] = []
        while order.count < min(Int(id), stop) {
            for grant in world.turn(kind: isBulk ? .ahead : .slot) {
                order += grant.jobs.compactMap { clients[$0] }
                for job in grant.jobs { world.end(job) }
            }
        }
        return order
    }

    /// Jain's index: 1 where all have got the same.
    private static func index(_ got: [Double]) -> Double {
        let sum = got.reduce(0, +)
        return sum * sum / (Double(got.count) * got.reduce(0) { $0 + $1 * $1 })
    }

    @Test(
        "clients with 10,000, 100 and 1 jobs get the same, as long as each has some: Jain's index is at least 0.95",
        arguments: [false, true])
    func equal(isBulk: Bool) {
        let order = Self.order([10_000, 100, 1], isBulk: isBulk, until: 400)
        // The one that has a single job is served within the first round.
        #expect(order.firstIndex(of: 2).map { $0 < (isBulk ? 3 * 64 : 3) } == true)
        guard !isBulk else { return }
        let got = [0, 1].map { client in Double(order.prefix(199).count { $0 == client }) }
        #expect(Self.index(got) >= 0.95 && got.map { Int($0) } == [99, 99], "\(got)")
    }

    @Test("a job's place is the number of jobs that are granted before it, whoever has how many, give or take one of each other client")
    func places() {
        let weights: [UInt32] = [1, 2, 4]
        let counts = [300, 40, 3]
        var world = SchedulerWorld()
        var id: UInt64 = 0
        for (client, count) in counts.enumerated() {
            for _ in 0..<count {
                id += 1
                world.make(id, client: UInt32(client + 1))
                world.terms[id]?.weight = weights[client]
                world.scheduler.insert(id, world.terms[id] ?? LaneTerms(), in: &world.slab)
            }
        }
        world.scheduler.flush(in: world.slab)
        world.register(0, slots: 1)
        var granted = 0
        var places: [UInt64: Int] = [:]
        while granted < Int(id) {
            // Looked at in the beginning and in the middle: by then clients have had turns, and some have no jobs left.
            if granted == 0 || granted == 100 {
                for job in UInt64(1)...id where world.slab.contains(job) {
                    places[job] = granted + world.scheduler.countBefore(job, world.terms[job] ?? LaneTerms(), in: world.slab)
                }
            }
            for grant in world.turn() {
                for job in grant.jobs {
                    #expect(abs((places[job] ?? .max) - granted) < weights.count, "job \(job)")
                    granted += 1
                    world.end(job)
                }
            }
        }
    }

    @Test("the place in line among the jobs of many clients is about right, and looks at some of them")
    func manyClients() {
        var world = SchedulerWorld()
        for id in UInt64(1)...20_000 {
            world.make(id, client: UInt32(id))
            world.scheduler.insert(id, world.terms[id] ?? LaneTerms(), in: &world.slab)
        }
        world.scheduler.flush(in: world.slab)
        _ = world.scheduler.takeLooks()
        let place = world.scheduler.countBefore(10_000, world.terms[10_000] ?? LaneTerms(), in: world.slab)
        #expect(world.scheduler.takeLooks() <= 6_000)
        #expect(abs(place - 10_000) < 2_000, "\(place)")
    }

    @Test("weights of 1, 2 and 4 give shares of 1, 2 and 4, within a tenth, whoever has more jobs", arguments: [false, true])
    func weights(isBulk: Bool) {
        var world = SchedulerWorld()
        var clients: [UInt64: Int] = [:]
        let weights: [UInt32] = [1, 2, 4]
        for id in UInt64(1)...30_000 {
            let client = Int(id % 3)
            clients[id] = client
            world.make(id, client: UInt32(client + 1))
            world.terms[id]?.weight = weights[client]
            world.scheduler.insert(id, world.terms[id] ?? LaneTerms(), in: &world.slab)
        }
        world.scheduler.flush(in: world.slab)
        if isBulk { world.register(0, slot: [], ahead: [0], placesAhead: 500) } else { world.register(0, slots: 1) }
        var got = [0, 0, 0]
        while got.reduce(0, +) < 14_000 {
            for grant in world.turn(kind: isBulk ? .ahead : .slot) {
                for job in grant.jobs {
                    got[clients[job] ?? 0] += 1
                    world.end(job)
                }
            }
        }
        let sum = got.reduce(0, +)
        for (client, weight) in weights.enumerated() {
            let share = Double(got[client]) / Double(sum) * 7 / Double(weight)
            #expect((0.9...1.1).contains(share), "client \(client) has got \(got[client]) of \(sum)")
        }
    }

    @Test("rank orders among the jobs of one client, and alone where only one has waiting jobs")
    func rank() {
        var world = SchedulerWorld()
        for (id, rank, client) in [(1, 5, 1), (2, 3, 1), (3, 9, 2), (4, 7, 2), (5, 4, 1)] as [(UInt64, Int64, UInt32)] {
            world.make(id, rank: rank, client: client)
            world.terms[id]?.weight = 1
            world.scheduler.insert(id, world.terms[id] ?? LaneTerms(), in: &world.slab)
        }
        world.scheduler.flush(in: world.slab)
        world.register(0, slots: 5)
        let granted = world.turn().flatMap(\.jobs)
        #expect(granted.filter { [1, 2, 5].contains($0) } == [2, 5, 1] && granted.filter { [3, 4].contains($0) } == [4, 3])
        #expect(Set(granted.prefix(2)) == [2, 4] && Set(granted[2..<4]) == [5, 3])
    }

    @Test("a client that comes and goes with each job gets its share and no more, and one that was away saves nothing up")
    func comesAndGoes() {
        var world = SchedulerWorld()
        var (next, got): (UInt64, [Int]) = (1, [0, 0])
        func insert(_ client: UInt32) {
            world.insert(next, client: client, weight: client == 1 ? 1 : 3)
            next += 1
        }
        for _ in 0..<2_000 { insert(2) }
        world.register(0, slots: 1)
        for _ in 0..<100 { for grant in world.turn() { for job in grant.jobs { world.end(job) } } }
        var isWaiting = false
        for _ in 0..<400 {
            if !isWaiting { insert(1) }
            isWaiting = true
            for grant in world.turn() {
                for job in grant.jobs {
                    if world.terms[job]?.client == 1 { isWaiting = false }
                    got[world.terms[job]?.client == 1 ? 0 : 1] += 1
                    world.end(job)
                }
            }
        }
        #expect((95...105).contains(got[0]), "\(got)")
    }

    @Test("a client that comes back before the others have got as much and leaves again is remembered until they have, and no longer")
    func cameBack() {
        var world = SchedulerWorld()
        func turn() -> [UInt64] {
            let jobs = world.turn().flatMap(\.jobs)
            for job in jobs { world.end(job) }
            return jobs
        }
        world.insert(1, client: 1)
        for id in UInt64(11)...20 { world.insert(id, client: 2) }
        world.register(0, slots: 1)
        #expect([turn(), turn()] == [[1], [11]] && world.scheduler.lanes.shareCount == 2)
        world.insert(2, client: 1)
        #expect([turn(), turn()] == [[12], [2]] && world.scheduler.lanes.shareCount == 2)
        #expect(turn() == [13] && world.scheduler.lanes.shareCount == 1)
    }

    @Test("shares of clients that have left take no memory for long")
    func left() {
        var world = SchedulerWorld()
        world.register(0, slots: 1)
        for id in UInt64(1)...5_000 {
            world.insert(id, client: UInt32(id))
            for grant in world.turn() { for job in grant.jobs { world.end(job) } }
        }
        #expect(world.scheduler.isEmpty && world.scheduler.lanes.shareCount <= 512)
    }

    @Test("a client that comes takes the place of one that has left, so that those who come and go take no memory")
    func reused() {
        var shares = ClientShares()
        let places = (UInt32(1)...1_000).map { client in
            let share = shares.enter(LaneKey(loader: 0, terms: LaneTerms(client: client)))
            shares.leave(share)
            return share
        }
        #expect(Set(places) == [0] && shares.count == 0)
    }

    @Test("a client that has got more stays behind another one, however many come meanwhile whose jobs are cancelled before they get any")
    func cancelled() {
        var world = SchedulerWorld()
        world.register(0, slots: 1)
        world.insert(1, client: 1)
        #expect(world.turn().flatMap(\.jobs) == [1])
        for id in UInt64(2)...300 {
            world.insert(id, client: UInt32(id))
            #expect(world.remove(id) == nil)
            world.slab.remove(id)
        }
        #expect(world.scheduler.lanes.shareCount == 1)
        world.insert(301, client: 1)
        world.insert(302, client: 301)
        world.end(1)
        #expect(world.turn().flatMap(\.jobs) == [302])
    }

    @Test(
        "a client is known by the name of its hello, also after its session and after a restart, and its jobs take turns with those of others"
    )
    func names() {
        var front = FrontHarness { $0.flow.clientWeights = ["importer": 2] }
        var sessions: [SessionID] = []
        for name in ["importer", "shop"] {
            front.open(label: "\(name) 1 on host", client: name)
            sessions.append(front.session)
            _ = front.submit(30, loader: "slow")
        }
        #expect(Set(sessions).count == 2)
        var next = front.restarted()
        var worker = WorkerHarness(1)
        worker.register(with: &next, slots: 9, prefetch: 0)
        worker.take(next.settle())
        let got = Dictionary(grouping: worker.held) { next.machine.state.jobs.terms(of: next.machine.state.jobs[$0.job]).asker.client }
        #expect(got.mapValues(\.count) == ["importer": 6, "shop": 3])
    }
}
