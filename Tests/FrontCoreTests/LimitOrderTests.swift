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
}
