//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
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
        [LimitKey("rate")], [LimitKey("rate"), LimitKey("few")], [LimitKey("paced", value: "a")],
        [LimitKey("paced", value: "b"), LimitKey("rate")],
        [LimitKey("few", weight: 2)], [LimitKey("few", weight: 3), LimitKey("tenant", value: "a")],
    ]
    /// Of each worker the loaders that it offers; its slots are two.
    private static let workers = [[0, 1], [1, 2], [2]]

    private struct Plain {
        var jobs: [UInt64: PlainJob] = [:]
        /// What has happened to the tokens of a limit: taken, given back, or another rate.
        enum Event {
            case take(LimitKey, Int64)
            case rate(String, LimitRefill)
        }

        var capacities = ["few": 2, "tenant": 1, "paced": 2]
        var refills = ["rate": LimitRefill(3, per: .seconds(1), burst: 2), "paced": LimitRefill(1, per: .seconds(1), burst: 3)]
        var events: [(at: Int64, what: Event)] = []
        var now: Int64 = 0 { didSet { known = [:] } }
        /// The same, as the machines have it.
        var time: LengthTime { LengthTime(milliseconds: now) }
        /// What was told already, since nothing has happened.
        private var known: [LimitKey: Int64] = [:]

        func inUse(_ key: LimitKey) -> Int {
            jobs.values.filter { $0.worker != nil }.flatMap { LimitSchedulingTests.sets[$0.set] }
                .reduce(0) { $0 + ($1.unweighted == key.unweighted ? Int($1.weight) : 0) }
        }

        func hasRoom(_ set: Int) -> Bool {
            LimitSchedulingTests.sets[set].allSatisfy {
                inUse($0) + Int($0.weight) <= capacities[$0.limit] ?? .max && (known[$0.unweighted] ?? .max) > 0
            }
        }

        /// Tells the tokens of all values anew.
        mutating func tell() {
            for key in Set(LimitSchedulingTests.sets.flatMap { $0 }) where known[key] == nil { known[key] = tokens(key) }
        }

        mutating func note(_ event: Event, of limit: String) {
            events.append((now, event))
            known = known.filter { $0.key.limit != limit }
        }

        /// The whole tokens of a value, told from the beginning; nil: its limit has no rate.
        func tokens(_ key: LimitKey) -> Int64? {
            guard refills[key.limit] != nil else { return nil }
            if let known = known[key] { return known }
            var (rate, level, last): (LimitRefill?, Int64, Int64) = (nil, 0, 0)
            func period(_ rate: LimitRefill) -> Int64 { rate.period.wholeMilliseconds }
            func grown(_ rate: LimitRefill, to time: Int64) -> Int64 {
                min(Int64(rate.burst) * period(rate), level + (time - last) * Int64(rate.count))
            }
            for (time, event) in events {
                if let known = rate { (level, last) = (grown(known, to: time), time) }
                switch event {
                case .take(key, let count):
                    if let known = rate { level = min(Int64(known.burst) * period(known), level - count * period(known)) }
                case .rate(key.limit, let new):
                    let most = Int64(new.burst) * period(new)
                    level = min(most, rate.map { level * period(new) / period($0) } ?? most)
                    (rate, last) = (new, time)
                case .take, .rate: break
                }
            }
            return rate.map { grown($0, to: now) / period($0) }
        }

        mutating func take(_ set: Int, _ count: Int64 = 1) {
            for key in LimitSchedulingTests.sets[set] where refills[key.limit] != nil { note(.take(key, count), of: key.limit) }
        }

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
    private static func world(_ plain: inout Plain) -> SchedulerWorld {
        var world = SchedulerWorld()
        for name in Set(plain.capacities.keys).union(plain.refills.keys).sorted() { set(name, &plain, &world) }
        for (worker, loaders) in workers.enumerated() { world.register(worker, slot: loaders, slots: 2) }
        return world
    }

    private static func set(_ name: String, _ capacity: Int, _ world: inout SchedulerWorld) {
        world.scheduler.limits.apply(JournalEntry.LimitChanged(name, LimitRule(capacity: UInt32(capacity))))
        world.scheduler.flush(in: world.slab)
    }

    /// A limit says what the plain lists do.
    private static func set(_ name: String, _ plain: inout Plain, _ world: inout SchedulerWorld) {
        let rule = LimitRule(capacity: plain.capacities[name].map { UInt32($0) }, refill: plain.refills[name])
        world.scheduler.limits.apply(world.scheduler.limits.change(of: name, to: rule, at: plain.time, lease: 1))
        world.scheduler.flush(in: world.slab)
        if let refill = plain.refills[name] { plain.note(.rate(name, refill), of: name) }
    }

    /// Jobs of a set take tokens, or give them back, as an entry does.
    private static func take(_ set: Int, _ count: Int = 1, _ plain: inout Plain, _ world: inout SchedulerWorld) {
        plain.take(set, Int64(count))
        let uses = world.scheduler.limits.uses(of: set).filter { world.scheduler.limits.isRated($0) }
        var limits = world.scheduler.limits
        let taken = limits.levels(taking: Dictionary(uniqueKeysWithValues: uses.map { ($0, max(0, count)) }), at: plain.time)
        let leases = Dictionary(uniqueKeysWithValues: uses.map { ($0, [UInt64](repeating: 1, count: max(0, -count))) })
        world.scheduler.limits.apply(
            JournalEntry.TokensChanged(count > 0 ? taken : limits.levels(givingBack: leases, at: plain.time)))
    }

    @Test("whatever comes, goes and changes, the same jobs go to the same workers in the same order", arguments: 0..<60)
    func likePlainLists(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var plain = Plain()
        var world = Self.world(&plain)
        for id in UInt64(1)...260 {
            if Bool.random(using: &numbers) { plain.now += .random(in: 1...400, using: &numbers) }
            let full = world.scheduler.limits.pass(to: plain.time)
            world.scheduler.limits.apply(JournalEntry.TokensChanged(full))
            world.scheduler.flush(in: world.slab)
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
                // Now and then its worker gives it back, and then somebody cancels it.
                if Bool.random(using: &numbers) { Self.take(set, -1, &plain, &world) }
                world.end(job)
                world.scheduler.limits.free(set)
                world.scheduler.limits.leave(set)
                world.scheduler.flush(in: world.slab)
            case 8:
                let name = ["few", "tenant", "paced"].randomElement(using: &numbers) ?? ""
                plain.capacities[name] = Int.random(in: 1...3, using: &numbers)
                Self.set(name, &plain, &world)
            case 9:
                let name = Bool.random(using: &numbers) ? "rate" : "paced"
                let (count, seconds) = (UInt32.random(in: 1...4, using: &numbers), Int64.random(in: 1...3, using: &numbers))
                plain.refills[name] = LimitRefill(count, per: .seconds(seconds), burst: .random(in: 1...3, using: &numbers))
                Self.set(name, &plain, &world)
            default: break
            }
            grant(&world, &plain)
            compare(&world, plain)
        }
    }

    private func insert(_ id: UInt64, _ world: inout SchedulerWorld, _ plain: inout Plain, _ numbers: inout SplitMix64) {
        let (loader, set) = (Int.random(in: 0..<3, using: &numbers), Self.sets.indices.randomElement(using: &numbers) ?? 0)
        let rank = Int64.random(in: 0..<40, using: &numbers)
        plain.jobs[id] = PlainJob(key: RankKey(rank: Rank(milliseconds: rank), id: id), loader: loader, set: set)
        world.scheduler.limits.enter(set, Self.sets[set])
        #expect(world.insert(id, rank: rank, loader: loader, limits: UInt32(set)) == nil)
    }

    /// All that can be given, one choice after the other.
    private func grant(_ world: inout SchedulerWorld, _ plain: inout Plain) {
        while true {
            var jobs: [UInt64] = []
            let worker = world.scheduler.next(into: &jobs, in: world.slab)
            plain.tell()
            #expect(jobs.first == plain.next?.job && worker == plain.next?.worker)
            guard let worker, let job = jobs.first, jobs.count == 1 else { return }
            plain.jobs[job]?.worker = worker
            Self.take(plain.jobs[job]?.set ?? 0, 1, &plain, &world)
            world.scheduler.limits.take(plain.jobs[job]?.set ?? 0)
            world.give(jobs, to: worker, .slot)
        }
    }

    private func compare(_ world: inout SchedulerWorld, _ plain: Plain) {
        var counted: [LimitKey: LimitTable.Counted] = [:]
        for job in plain.jobs.values {
            for key in Self.sets[job.set] {
                counted[key.unweighted, default: LimitTable.Counted()].jobs += 1
                if job.worker != nil { counted[key.unweighted]?.inUse += Int(key.weight) }
            }
            guard job.worker == nil else { continue }
            let state = world.scheduler.state(of: LaneKey(loader: job.loader, terms: world.terms[job.key.id] ?? LaneTerms()))
            #expect(state == (plain.hasRoom(job.set) ? .full : .limited))
        }
        #expect(world.scheduler.limits.miscount(counted) == nil)
        #expect(world.scheduler.limits.due.count <= world.scheduler.limits.uses.count)
        for key in Set(Self.sets.flatMap { $0 }) {
            guard let use = world.scheduler.limits.useIndexes[key], world.scheduler.limits.isRated(use) else { continue }
            #expect(world.scheduler.limits.tokens(use) == plain.tokens(key).map { Int($0) })
        }
        let oldest = Dictionary(grouping: plain.jobs.values.filter { $0.worker == nil }) {
            LaneKey(loader: $0.loader, terms: world.terms[$0.key.id] ?? LaneTerms())
        }
        let accepted = oldest.values.compactMap { $0.map(\.key).min().map { WallTime(milliseconds: Int64($0.id) * 10) } }
        #expect(world.scheduler.oldestAcceptance == accepted.min())
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

    @Test("a client whose next lane comes to wait has the turn of what it has got by then, also beside its earlier lanes")
    func laterLane() {
        var line = LimitLine(weight: 1)
        var places = Array(repeating: 0, count: 4)
        func key(_ id: UInt64) -> RankKey { RankKey(rank: 1, id: id) }
        _ = line.set(0, of: 1, to: key(1), 0, &places)
        _ = line.set(1, of: 1, to: key(2), 3, &places)
        #expect(line.next?.lane == 0 && line.next?.turn.pass == 3)
        _ = line.set(2, of: 2, to: key(3), 5, &places)
        #expect(line.next?.lane == 0)
        _ = line.set(3, of: 1, to: key(4), 10, &places)
        #expect(line.next?.lane == 2 && line.first?.item == 0)
    }

    @Test("clients that come and go leave a line no longer to look through")
    func comeAndGo() {
        var line = LimitLine(weight: 1)
        var places = Array(repeating: 0, count: 100)
        for client in 0..<100 {
            _ = line.set(client, of: UInt32(client), to: RankKey(rank: 1, id: UInt64(client)), 0, &places)
            if client > 1 { _ = line.remove(client, of: UInt32(client), &places) }
        }
        // One look for each of the two, and one for the place that is free.
        var looks = 10
        let lanes = line.lanes(before: RankKey(rank: 2, id: 0), looks: &looks)
        #expect(lanes.sorted() == [0, 1] && looks == 7)
    }
}
