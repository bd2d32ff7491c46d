//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

/// The scheduler with limits against the same rules said with plain lists that are looked through each time.
@Suite("The scheduler with limits, against plain lists")
struct LimitSchedulingTests {
    private struct PlainJob {
        let key: RankKey
        let loader: Int
        let set: Int
        var worker: Int?
    }

    /// Sets of limits by index; the first one is none.
    private static let sets: [[LimitKey]] = [
        [], [LimitKey("few")], [LimitKey("tenant", value: "a")], [LimitKey("tenant", value: "b")],
        [LimitKey("few"), LimitKey("tenant", value: "a")], [LimitKey("few"), LimitKey("tenant", value: "b")],
    ]
    /// Of each worker the loaders that it offers; its slots are two.
    private static let workers = [[0, 1], [1, 2], [2]]

    private struct Plain {
        var jobs: [UInt64: PlainJob] = [:]
        var capacities = ["few": 2, "tenant": 1]

        func inUse(_ key: LimitKey) -> Int { jobs.values.count { $0.worker != nil && LimitSchedulingTests.sets[$0.set].contains(key) } }

        func hasRoom(_ set: Int) -> Bool { LimitSchedulingTests.sets[set].allSatisfy { inUse($0) < capacities[$0.limit] ?? 0 } }

        func held(_ worker: Int) -> Int { jobs.values.count { $0.worker == worker } }

        func roomiest(_ loader: Int) -> Int? {
            LimitSchedulingTests.workers.indices.filter { LimitSchedulingTests.workers[$0].contains(loader) && held($0) < 2 }
                .min { (held($0), $0) < (held($1), $1) }
        }

        /// The first job by rank for which a worker and each of its limits has room.
        var next: (job: UInt64, worker: Int)? {
            let able = jobs.values.filter { $0.worker == nil && hasRoom($0.set) && roomiest($0.loader) != nil }
            return able.min { $0.key < $1.key }.flatMap { job in roomiest(job.loader).map { (job.key.id, $0) } }
        }
    }

    /// A world with workers and limits in which nothing waits.
    private static func world(_ plain: Plain) -> SchedulerWorld {
        var world = SchedulerWorld()
        for (name, capacity) in plain.capacities.sorted(by: { $0.key < $1.key }) { set(name, capacity, &world) }
        for (worker, loaders) in workers.enumerated() { world.register(worker, slot: loaders, slots: 2) }
        return world
    }

    private static func set(_ name: String, _ capacity: Int, _ world: inout SchedulerWorld) {
        world.scheduler.limits.apply(JournalEntry.LimitChanged(name, LimitRule(capacity: UInt32(capacity))))
        world.scheduler.flush(in: world.slab)
    }

    @Test("whatever comes, goes and changes, the same jobs go to the same workers in the same order", arguments: 0..<60)
    func likePlainLists(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var plain = Plain()
        var world = Self.world(plain)
        for id in UInt64(1)...400 {
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<5: insert(id, &world, &plain, &numbers)
            case 5:
                guard let job = plain.jobs.values.filter({ $0.worker == nil }).map(\.key.id).sorted().randomElement(using: &numbers) else {
                    break
                }
                let set = plain.jobs.removeValue(forKey: job)?.set ?? 0
                // In the order in which the front does it: the lane is looked at when the job has left its limits.
                #expect(world.scheduler.remove(job, world.terms[job] ?? LaneTerms(), in: &world.slab) == nil)
                world.scheduler.limits.leave(set)
                world.scheduler.flush(in: world.slab)
                world.slab.remove(job)
            case 6, 7:
                guard let job = plain.jobs.values.filter({ $0.worker != nil }).map(\.key.id).sorted().randomElement(using: &numbers) else {
                    break
                }
                let set = plain.jobs.removeValue(forKey: job)?.set ?? 0
                world.end(job)
                world.scheduler.limits.free(set)
                world.scheduler.limits.leave(set)
                world.scheduler.flush(in: world.slab)
            case 8:
                let (name, capacity) = (Bool.random(using: &numbers) ? "few" : "tenant", Int.random(in: 1...3, using: &numbers))
                plain.capacities[name] = capacity
                Self.set(name, capacity, &world)
            default: break
            }
            grant(&world, &plain)
            compare(&world, plain)
        }
    }

    private func insert(_ id: UInt64, _ world: inout SchedulerWorld, _ plain: inout Plain, _ numbers: inout SeededGenerator) {
        let (loader, set) = (Int.random(in: 0..<3, using: &numbers), Self.sets.indices.randomElement(using: &numbers) ?? 0)
        let (rank, client) = (Int64.random(in: 0..<40, using: &numbers), UInt32.random(in: 0..<2, using: &numbers))
        plain.jobs[id] = PlainJob(key: RankKey(rank: rank, id: id), loader: loader, set: set)
        world.scheduler.limits.enter(set, Self.sets[set])
        #expect(world.insert(id, rank: rank, loader: loader, client: client, limits: UInt32(set)) == nil)
    }

    /// All that can be given, one choice after the other.
    private func grant(_ world: inout SchedulerWorld, _ plain: inout Plain) {
        while true {
            var jobs: [UInt64] = []
            let worker = world.scheduler.next(into: &jobs, in: world.slab)
            #expect(jobs.first == plain.next?.job && worker == plain.next?.worker)
            guard let worker, let job = jobs.first, jobs.count == 1 else { return }
            plain.jobs[job]?.worker = worker
            world.scheduler.limits.take(plain.jobs[job]?.set ?? 0)
            world.give(jobs, to: worker, .slot)
        }
    }

    private func compare(_ world: inout SchedulerWorld, _ plain: Plain) {
        var counted: [LimitKey: (jobs: Int, inUse: Int)] = [:]
        for job in plain.jobs.values {
            for key in Self.sets[job.set] {
                counted[key, default: (0, 0)].jobs += 1
                if job.worker != nil { counted[key, default: (0, 0)].inUse += 1 }
            }
            guard job.worker == nil else { continue }
            let state = world.scheduler.state(of: LaneKey(loader: job.loader, terms: world.terms[job.key.id] ?? LaneTerms()))
            #expect(state == (plain.hasRoom(job.set) ? .full : .limited))
        }
        #expect(world.scheduler.limits.miscount(counted) == nil)
        let oldest = Dictionary(grouping: plain.jobs.values.filter { $0.worker == nil }) {
            LaneKey(loader: $0.loader, terms: world.terms[$0.key.id] ?? LaneTerms())
        }
        #expect(world.scheduler.oldestAcceptance == oldest.values.compactMap { $0.map(\.key).min().map { Int64($0.id) * 10 } }.min())
    }

    @Test("a permit that becomes free costs the same however many values and clients wait for it")
    func cost() {
        func looks(_ count: Int) -> Int {
            var world = SchedulerWorld()
            Self.set("few", 1, &world)
            world.register(0, slots: 8)
            for id in 1...count {
                world.scheduler.limits.enter(id, [LimitKey("few"), LimitKey("tenant", value: "\(id)")])
                world.insert(UInt64(id), client: UInt32(id), limits: UInt32(id))
            }
            var jobs: [UInt64] = []
            var most = 0
            _ = world.scheduler.takeLooks()
            // The first one parks all others, which is paid for by their coming.
            for round in 0..<20 {
                jobs = []
                guard let worker = world.scheduler.next(into: &jobs, in: world.slab), let job = jobs.first else { break }
                world.scheduler.limits.take(Int(job))
                world.give(jobs, to: worker, .slot)
                _ = world.scheduler.next(into: &jobs, in: world.slab)
                world.end(job)
                world.scheduler.limits.free(Int(job))
                world.scheduler.limits.leave(Int(job))
                world.scheduler.flush(in: world.slab)
                let looks = world.scheduler.takeLooks()
                if round > 1 { most = max(most, looks) }
            }
            return most
        }
        let (some, twice) = (looks(2_000), looks(4_000))
        #expect(some > 0 && Double(twice) < 1.3 * Double(some), "\(some), then \(twice)")
    }
}
