//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Lanes that limits wake")
struct LimitWakingTests {
    private static func set(_ capacity: UInt32, _ world: inout SchedulerWorld) {
        world.scheduler.limits.apply(JournalEntry.LimitChanged("tenant", LimitRule(capacity: capacity)))
    }

    @Test(
        "a lane that was woken and whose jobs are cancelled before it is looked at is woken no more, though there is no such lane any more")
    func cancelled() {
        for tenants in 1_300..<1_304 {
            var world = SchedulerWorld()
            Self.set(1, &world)
            world.register(0, slot: [0, 1, 2], slots: 1)
            // One of another value, which no lane is of, so that the limits stay in use.
            world.scheduler.limits.enter(tenants + 1, [LimitKey("tenant", value: "kept")])
            for tenant in 1...tenants {
                world.scheduler.limits.enter(tenant, jobs: 4, [LimitKey("tenant", value: "\(tenant)")])
                world.scheduler.limits.take(tenant)
                for loader in 0..<3 { world.insert(UInt64(tenant * 3 + loader), loader: loader, limits: UInt32(tenant)) }
            }
            var jobs: [UInt64] = []
            repeat { #expect(world.scheduler.next(into: &jobs, in: world.slab) == nil) } while world.scheduler.limits.takeUnfinished()
            Self.set(2, &world)
            world.scheduler.flush(in: world.slab)
            #expect(world.scheduler.limits.isUnfinished)
            for tenant in 1...tenants {
                for loader in 0..<3 {
                    let job = UInt64(tenant * 3 + loader)
                    #expect(world.scheduler.remove(job, world.terms[job] ?? LaneTerms(), in: &world.slab) == nil)
                    world.scheduler.limits.leave(tenant)
                    world.slab.remove(job)
                }
            }
            repeat { world.scheduler.flush(in: world.slab) } while world.scheduler.limits.isUnfinished
            #expect(world.scheduler.isEmpty && world.scheduler.next(into: &jobs, in: world.slab) == nil && jobs.isEmpty)
        }
    }

    @Test("for a grant so many uses are looked at where somebody waits and there is room, the latest first, however many there are")
    func openUses() {
        var limits = LimitTable()
        limits.apply(JournalEntry.LimitChanged("tenant", LimitRule(capacity: 1)))
        for tenant in 1...200 {
            limits.enter(tenant, jobs: 2, [LimitKey("tenant", value: "\(tenant)")])
            limits.take(tenant)
            let first = RankKey(rank: Rank(milliseconds: Int64(tenant)), id: UInt64(tenant))
            let key = LaneKey(loader: 0, terms: LaneTerms(limitSet: UInt32(tenant)))
            _ = limits.park(tenant, key, by: first, at: (use: limits.uses(of: tenant)[0], weight: 1), 0)
        }
        limits.apply(JournalEntry.LimitChanged("tenant", LimitRule(capacity: 2)))
        // Each use is a look, and so is its line; of another loader none waits there.
        for (loader, lane) in [(0, 200 - 63), (1, nil)] as [(Int, Int?)] {
            var looks = 0
            let found = limits.firstWaiting(like: LaneKey(loader: loader), looks: &looks)
            #expect(found?.lane == lane && looks == 128, "\(looks) looks, found \(String(describing: found))")
        }
    }

    @Test("where somebody waits for a token nobody is looked at before it comes, and then at its time")
    func tokens() {
        var limits = LimitTable()
        var change = JournalEntry.LimitChanged("api", LimitRule(refill: LimitRefill(1, per: .seconds(1))))
        change.bucket = TokenBucket(level: 0, at: .zero)
        limits.apply(change)
        limits.enter(1, [LimitKey("api")])
        let key = LaneKey(loader: 0, terms: LaneTerms(limitSet: 1))
        _ = limits.park(2, key, by: RankKey(rank: .zero, id: 1), at: (use: limits.uses(of: 1)[0], weight: 1), 0)
        limits.passOn(1)
        #expect(!limits.isUnfinished && limits.nextTime == LengthTime(milliseconds: 1_000))
        // Jobs come that count here beside another limit, and wait for their time: they keep nobody else waiting for longer.
        limits.enter(2, [LimitKey("api"), LimitKey("tenant", value: "a")])
        limits.count(scheduled: 1, of: 2)
        #expect(limits.nextTime == LengthTime(milliseconds: 1_000))
        _ = limits.pass(to: LengthTime(milliseconds: 999))
        #expect(!limits.isUnfinished)
        _ = limits.pass(to: LengthTime(milliseconds: 1_000))
        #expect(limits.isUnfinished && limits.nextTime == nil)
    }

    @Test("where somebody waits for permits beside a token that he would find, further tokens wake nobody")
    func permitsBesideTokens() {
        var limits = LimitTable()
        var change = JournalEntry.LimitChanged("api", LimitRule(capacity: 2, refill: LimitRefill(1, per: .seconds(1), burst: 5)))
        change.bucket = TokenBucket(level: 1_000, at: .zero)
        limits.apply(change)
        limits.enter(1, [LimitKey("api", weight: 2)])
        limits.enter(2, [LimitKey("api")])
        limits.take(2)
        let key = LaneKey(loader: 0, terms: LaneTerms(limitSet: 1))
        let use = limits.uses(of: 1)[0]
        _ = limits.park(2, key, by: RankKey(rank: .zero, id: 1), at: (use: use, weight: 2), 0)
        limits.passOn(1)
        #expect(limits.permits(use) == 1 && limits.tokens(use) == 1 && limits.nextTime == nil)
    }

    @Test("suspected jobs that find no room are looked at so often in a turn, and the next ones go on until the first that finds some")
    func suspected() {
        var world = SchedulerWorld()
        Self.set(1, &world)
        world.register(0, slots: 1)
        let count = 3_000
        for tenant in 1...count {
            world.scheduler.limits.enter(tenant, jobs: 2, [LimitKey("tenant", value: "\(tenant)")])
            if tenant < count { world.scheduler.limits.take(tenant) }
            world.insert(UInt64(tenant), client: UInt32(tenant), limits: UInt32(tenant), isSuspected: true)
        }
        var turns = 0
        var found: (job: UInt64, worker: Int)?
        _ = world.scheduler.takeLooks()
        repeat {
            turns += 1
            found = world.scheduler.nextSuspect(at: world.now, in: world.slab)
            let looks = world.scheduler.takeLooks()
            #expect(looks < 2 * LimitTable.wakingLooks, "\(looks) looks")
        } while found == nil && world.scheduler.limits.takeUnfinished() && turns < 50
        #expect(found?.job == UInt64(count) && turns > 1, "\(turns) turns")
    }
}
