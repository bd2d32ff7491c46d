//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// Of the lanes that wait for a limit one is woken for each loader, as clients take turns. Whatever is woken, no job of a client passes another one.
@Suite("The order of a client's jobs at limits")
struct LimitOrderTests {
    /// Sets of limits, from 1: some share one, some need two permits, or permits of both.
    private static let sets: [[LimitKey]] = [
        [LimitKey("a")], [LimitKey("a"), LimitKey("b")], [LimitKey("a", weight: 2)], [LimitKey("b")],
        [LimitKey("a", weight: 2), LimitKey("b")],
    ]

    /// Jobs of one loader that come, run and end, as a front has them.
    private struct Crowd {
        var world = SchedulerWorld()
        var numbers: SplitMix64
        var waiting: Set<UInt64> = []
        var running: [UInt64] = []
        private var nextID: UInt64 = 1

        init(seed: UInt64) {
            numbers = SplitMix64(mixing: seed)
            world.register(0, slots: 4)
            for name in ["a", "b"] { setCapacity(of: name, to: 2) }
        }

        mutating func setCapacity(of name: String, to capacity: UInt32) {
            world.scheduler.limits.apply(JournalEntry.LimitChanged(name, LimitRule(capacity: capacity)))
        }

        /// A job comes; at times one with an older time.
        mutating func insert() {
            let (client, set) = (UInt32.random(in: 0..<3, using: &numbers), Int.random(in: 0...LimitOrderTests.sets.count, using: &numbers))
            if set > 0 { world.scheduler.limits.enter(set, LimitOrderTests.sets[set - 1]) }
            let rank = Int64(nextID) + Int64.random(in: -6...0, using: &numbers)
            world.insert(nextID, rank: rank, client: client, limits: UInt32(set))
            waiting.insert(nextID)
            nextID += 1
            world.scheduler.limits.noteRankTime(RankTime(milliseconds: Int64(nextID)), reservingAfter: .milliseconds(10))
        }

        mutating func end() {
            guard let index = running.indices.randomElement(using: &numbers) else { return }
            let job = running.remove(at: index)
            let set = limitSet(of: job)
            world.end(job)
            world.scheduler.limits.free(set)
            world.scheduler.limits.leave(set)
        }

        mutating func cancel() {
            guard let job = waiting.sorted().randomElement(using: &numbers) else { return }
            waiting.remove(job)
            let set = limitSet(of: job)
            world.remove(job)
            world.scheduler.limits.leave(set)
            world.slab.remove(job)
        }

        func limitSet(of job: UInt64) -> Int { Int(world.terms[job]?.limitSet ?? 0) }

        /// A turn: grants what finds room. The first job that waits behind it though another one of its client was granted that stands behind it.
        mutating func grant() -> (passed: UInt64, by: UInt64)? {
            var (jobs, granted): ([UInt64], [UInt64]) = ([], [])
            world.scheduler.flush(in: world.slab)
            repeat {
                while let worker = world.scheduler.next(into: &jobs, in: world.slab) {
                    for job in jobs { world.scheduler.limits.take(limitSet(of: job)) }
                    world.give(jobs, to: worker, .slot)
                    granted += jobs
                    jobs = []
                }
            } while world.scheduler.limits.takeUnfinished()
            waiting.subtract(granted)
            running += granted
            for job in granted {
                if let passed = waiting.sorted().first(where: { isPassed($0, by: job) }) { return (passed, job) }
            }
            return nil
        }

        private func isPassed(_ job: UInt64, by other: UInt64) -> Bool {
            world.terms[job]?.client == world.terms[other]?.client && world.slab.key(of: job) < world.slab.key(of: other)
                && world.scheduler.limits.full(limitSet(of: job), for: world.slab.key(of: job)) == nil
        }
    }

    @Test(
        "whatever comes, ends, is cancelled and changes, no job is granted before one of its client that finds room, too", arguments: 0..<60
    )
    func inOrder(seed: UInt64) {
        var crowd = Crowd(seed: seed)
        for step in 0..<400 {
            switch Int.random(in: 0..<20, using: &crowd.numbers) {
            case 0..<9: crowd.insert()
            case 9..<17: crowd.end()
            case 17: crowd.cancel()
            default:
                let (name, capacity) = (
                    ["a", "b"].randomElement(using: &crowd.numbers) ?? "a", UInt32.random(in: 1...4, using: &crowd.numbers)
                )
                crowd.setCapacity(of: name, to: capacity)
            }
            if let (passed, job) = crowd.grant() {
                Issue.record("step \(step): the job \(job) passed \(passed)")
                return
            }
        }
    }

    private func setCapacity(_ name: String, _ capacity: UInt32, _ world: inout SchedulerWorld) {
        world.scheduler.limits.apply(JournalEntry.LimitChanged(name, LimitRule(capacity: capacity)))
    }

    /// Jobs come that count in such limits; of them so many run.
    private func enter(_ set: Int, _ key: LimitKey, jobs: Int, running: Int = 0, _ world: inout SchedulerWorld) {
        world.scheduler.limits.enter(set, jobs: jobs, [key])
        for _ in 0..<running { world.scheduler.limits.take(set) }
    }

    /// Turns until nothing is left to be looked at; what the last one granted.
    @discardableResult
    private func settle(_ world: inout SchedulerWorld, _ kind: WorkerRoom.Kind = .slot) -> [SchedulerWorld.Grant] {
        var grants: [SchedulerWorld.Grant] = []
        repeat { grants += world.turn(kind: kind) } while world.scheduler.limits.takeUnfinished()
        return grants
    }

    @Test("lanes that need more permits than there are cost a grant nothing, however many weights a client has")
    func weights() {
        var world = SchedulerWorld()
        setCapacity("k", 10_000, &world)
        enter(1, LimitKey("k", weight: 9_999), jobs: 1, running: 1, &world)
        world.register(0, slots: 1_000)
        for weight in 2...3_001 {
            enter(weight, LimitKey("k", weight: UInt32(weight)), jobs: 1, &world)
            world.insert(UInt64(weight), client: 1, limits: UInt32(weight))
        }
        settle(&world)
        for job in UInt64(5_000)..<5_100 { world.insert(job, client: 2) }
        let before = world.scheduler.looks
        #expect(settle(&world).count == 100)
        #expect(world.scheduler.looks - before < 100 * 40, "\(world.scheduler.looks - before)")
    }

    @Test("uses that have room for nobody who waits there do not hide the one where a job of the client finds some")
    func hidden() {
        var world = SchedulerWorld()
        setCapacity("a", 1, &world)
        setCapacity("k", 2, &world)
        world.register(0, slots: 1)
        world.register(1, slot: [1], slots: 1_000)
        enter(1, LimitKey("a"), jobs: 4, running: 1, &world)
        for (job, client) in [(1, 1), (2, 2), (3, 3)] as [(UInt64, UInt32)] { world.insert(job, client: client, limits: 1) }
        settle(&world)
        world.insert(4, client: 4)
        #expect(settle(&world) == [SchedulerWorld.Grant(worker: 0, jobs: [4])])
        // Job 1 is woken, and finds no slot.
        world.scheduler.limits.free(1)
        world.scheduler.flush(in: world.slab)
        for value in 0..<300 {
            enter(1_000 + value, LimitKey("k", value: "\(value)"), jobs: 1, running: 1, &world)
            enter(2_000 + value, LimitKey("k", value: "\(value)", weight: 2), jobs: 1, &world)
            world.insert(UInt64(100 + value), loader: 1, client: 5, limits: UInt32(2_000 + value))
        }
        settle(&world)
        world.insert(900, client: 3)
        world.remove(1)
        world.scheduler.limits.leave(1)
        world.end(4)
        #expect(settle(&world) == [SchedulerWorld.Grant(worker: 0, jobs: [3])])
    }

    @Test("jobs that are granted together pass none of their client that waits where there is room")
    func together() {
        var world = SchedulerWorld()
        setCapacity("a", 1, &world)
        enter(1, LimitKey("a"), jobs: 3, running: 1, &world)
        world.register(0, slot: [], ahead: [0], placesAhead: 64)
        for (job, client) in [(10, 1), (20, 2)] as [(UInt64, UInt32)] { world.insert(job, client: client, limits: 1) }
        settle(&world, .ahead)
        world.setRoom(of: 0) { $0.isTaking = false }
        for job in [15] + Array(UInt64(30)..<60) { world.insert(job, client: 2) }
        world.scheduler.limits.free(1)
        world.setRoom(of: 0) { $0.isTaking = true }
        #expect(world.turn(kind: .ahead).first == SchedulerWorld.Grant(worker: 0, jobs: [15]))
    }
}
