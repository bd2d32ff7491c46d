//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("Reservations in limits")
struct ReservationTests {
    /// A front whose jobs may reserve after a second, with limits and a worker that has room for all jobs.
    private struct World {
        var front = FrontHarness { $0.reservationPause = .seconds(1) }
        var worker = WorkerHarness(1)

        init(_ limits: [String: UInt32], slots: UInt32 = 16) {
            front.open()
            for (name, capacity) in limits.sorted(by: { $0.key < $1.key }) {
                #expect(front.ask(.limit(.set(name, LimitRule(capacity: capacity)))) == .done(version: 0))
            }
            worker.register(with: &front, slots: slots, prefetch: 0)
        }

        mutating func submit(_ keys: LimitKey..., loader: String = "slow", priority: UInt8 = JobPriority.usual) -> UInt64 {
            let job = front.submit(1, loader: loader, JobOptionsColumn(JobOptions(priority: priority, limitKeys: keys))).rawValue
            settle()
            return job
        }

        mutating func settle() { worker.take(front.settle()) }

        mutating func pass(milliseconds: Int64) {
            front.pass(milliseconds: milliseconds)
            _ = worker.renew(&front)
            settle()
        }

        mutating func end(_ job: UInt64) {
            worker.take(worker.end(job, in: &front))
            settle()
            #expect(front.machine.state.limitsMiscount == nil)
            #expect(front.machine.state.jobs.scheduler.refusals == 0)
        }

        var held: Set<UInt64> { Set(worker.held.map(\.job)) }
        func reason(_ job: UInt64) -> WaitReason? { front.job(JobID(job))?.waitReason }
        var reserved: [UInt64] { front.machine.state.jobs.limits.reservations.made.values.map(\.job.id).sorted() }
    }

    private static func api(_ weight: UInt32) -> LimitKey { LimitKey("api", weight: weight) }

    @Test("a heavy job is not starved by light ones: once it has waited, what becomes free is kept for it")
    func heavy() {
        var world = World(["api": 3])
        var light = (0..<3).map { _ in world.submit(Self.api(1)) }
        let heavy = world.submit(Self.api(3))
        // Before its time others go on: each that ends makes room for one of them.
        world.end(light.removeFirst())
        light.append(world.submit(Self.api(1)))
        #expect(world.held == Set(light) && world.reserved.isEmpty)
        world.pass(milliseconds: 1_500)
        let late = world.submit(Self.api(1))
        world.end(light.removeFirst())
        #expect(world.held == Set(light) && world.reserved == [heavy])
        #expect(world.reason(late) == .limitFull(Self.api(1), .reserved(for: JobID(heavy))))
        #expect(world.reason(heavy) == .limitFull(Self.api(3), .permits(inUse: 2, capacity: 3)))
        world.end(light.removeFirst())
        world.end(light.removeFirst())
        #expect(world.held == [heavy] && world.reserved.isEmpty)
        world.end(heavy)
        #expect(world.held == [late])
    }

    @Test("a job of two limits is not starved by jobs of one: it reserves in both, and takes both when each has room")
    func two() {
        var world = World(["api": 1, "tenant": 1])
        let (api, tenant) = (LimitKey("api"), LimitKey("tenant", value: "a"))
        let (one, other) = (world.submit(api), world.submit(tenant))
        let both = world.submit(api, tenant)
        world.pass(milliseconds: 1_500)
        let (second, third) = (world.submit(api), world.submit(tenant))
        world.end(one)
        #expect(world.held == [other] && world.reserved == [both])
        #expect(world.reason(second) == .limitFull(api, .reserved(for: JobID(both))))
        world.end(other)
        #expect(world.held == [both])
        #expect(world.reason(third) == .limitFull(tenant, .permits(inUse: 1, capacity: 1)))
        world.end(both)
        #expect(world.held == [second, third])
    }

    @Test("two reservations never wait for each other: a job reserves in all its limits or in none, and one before it takes all over")
    func noCircle() {
        var world = World(["a": 1, "b": 1, "c": 1])
        let (a, b, c) = (LimitKey("a"), LimitKey("b"), LimitKey("c"))
        let running = [a, b, c].map { world.submit($0) }
        let first = world.submit(a, b, loader: "slow")
        let second = world.submit(b, c, loader: "http")
        #expect(world.front.ask(.pause(.begin(.loader("slow"), reason: "", length: nil))) == .done(version: 0))
        world.pass(milliseconds: 1_500)
        // No worker may take the first one: so the second one has b and c, until the first one takes b over, and c is free.
        #expect(world.reserved == [second])
        world.end(running[2])
        #expect(world.front.ask(.pause(.end(.loader("slow")))) == .done(version: 0))
        world.settle()
        #expect(world.reserved == [first])
        world.end(running[0])
        let last = world.submit(c)
        #expect(world.held.contains(last))
        world.end(running[1])
        #expect(world.held == [first, last])
        world.end(last)
        world.end(first)
        #expect(world.held == [second])
    }

    @Test("jobs that need more than a limit has stand in nobody's way, however many are first: one behind them reserves")
    func hopeless() {
        var world = World(["api": 40], slots: 64)
        let all = world.submit(Self.api(40))
        let hopeless = (UInt32(6)...25).map { world.submit(Self.api($0)) }
        #expect(world.front.ask(.limit(.set("api", LimitRule(capacity: 5)))) == .done(version: 0))
        world.end(all)
        let light = (0..<5).map { _ in world.submit(Self.api(1)) }
        let (first, second) = (world.submit(Self.api(4)), world.submit(Self.api(5)))
        world.pass(milliseconds: 1_500)
        world.end(light[0])
        #expect(world.reserved == [first])
        for job in light[1...3] { world.end(job) }
        #expect(world.held == [light[4], first] && world.reserved == [second])
        world.end(light[4])
        let late = world.submit(Self.api(1))
        #expect(world.reason(late) == .limitFull(Self.api(1), .reserved(for: JobID(second))))
        world.end(first)
        #expect(world.held == [second])
        #expect(world.reason(hopeless[0]) == .limitTooSmall(Self.api(6), capacity: 5))
    }

    @Test("nothing is kept against a job before it in line, which takes what is free at once")
    func urgent() {
        var world = World(["api": 3])
        let light = (0..<3).map { _ in world.submit(Self.api(1)) }
        let heavy = world.submit(Self.api(3))
        world.pass(milliseconds: 1_500)
        world.end(light[0])
        #expect(world.reserved == [heavy])
        let urgent = world.submit(Self.api(1), priority: 9)
        #expect(world.held == [light[1], light[2], urgent] && world.reserved == [heavy])
        let later = world.submit(Self.api(1), priority: 0)
        for job in [light[1], light[2], urgent] { world.end(job) }
        #expect(world.held == [heavy])
        #expect(world.reason(later) != nil)
    }

    @Test("a reservation ends with its job, with the last worker that could take it, with a pause, and with a capacity below its need")
    func ends() {
        func reserved(_ then: (inout World, UInt64) -> Void) -> Set<UInt64> {
            var world = World(["api": 3])
            let light = (0..<3).map { _ in world.submit(Self.api(1), loader: "http") }
            let heavy = world.submit(Self.api(3))
            world.pass(milliseconds: 1_500)
            let late = world.submit(Self.api(1), loader: "http")
            world.end(light[0])
            #expect(world.reserved == [heavy] && !world.held.contains(late))
            then(&world, heavy)
            world.settle()
            #expect(world.reserved.isEmpty)
            return world.held.contains(late) ? [late] : []
        }
        #expect(!reserved { world, heavy in _ = world.front.ask(.job(.cancel(JobID(heavy)))) }.isEmpty)
        #expect(!reserved { world, _ in _ = world.front.ask(.pause(.begin(.loader("slow"), reason: "", length: nil))) }.isEmpty)
        #expect(
            !reserved { world, _ in
                world.worker.register(with: &world.front, slots: 16, prefetch: 0, loaders: [LoaderDeclaration(name: "http")])
            }.isEmpty)
        _ = reserved { world, _ in _ = world.front.ask(.limit(.set("api", LimitRule(capacity: 2)))) }
    }

    @Test("a token is kept too: a job of a rate and a limit comes to its grant though others take each token that comes")
    func tokens() {
        var world = World(["api": 1])
        #expect(world.front.ask(.limit(.set("rate", LimitRule(refill: LimitRefill(1, per: .seconds(1), burst: 1))))) == .done(version: 0))
        let (api, rate) = (LimitKey("api"), LimitKey("rate"))
        let running = world.submit(api)
        _ = world.submit(rate)
        let both = world.submit(api, rate)
        for _ in 0..<3 {
            world.pass(milliseconds: 1_000)
            _ = world.submit(rate)
        }
        #expect(!world.held.contains(both))
        world.end(running)
        world.pass(milliseconds: 1_000)
        world.pass(milliseconds: 1_000)
        #expect(world.held.contains(both))
    }

    @Test("a restart begins without reservations, and jobs that have waited make them anew")
    func restart() {
        var world = World(["api": 3])
        let light = (0..<3).map { _ in world.submit(Self.api(1)) }
        let heavy = world.submit(Self.api(3))
        world.pass(milliseconds: 1_500)
        world.end(light[0])
        #expect(world.reserved == [heavy])
        let replayed = world.front.restarted().machine.state
        #expect(replayed.jobs.limits.reservations.isEmpty)
        #expect(world.front.machine.state.image.difference(from: replayed.image, withJobs: true) == nil)
    }

    @Test("a lane whose first job has gone is looked at no more for what that one has waited")
    func forgotten() {
        var limits = LimitTable()
        // The first one may reserve but for another job, the second one has to wait for longer.
        for time in [1, 9_500] as [Int64] {
            limits.noteRankTime(RankTime(milliseconds: 10_000), reservingAfter: .seconds(1))
            _ = limits.reservations.await(3, by: RankKey(rank: Rank(milliseconds: time), id: 1), terms: 0)
            var looks = 0
            #expect(!limits.release(3, LaneKey(loader: 0, terms: LaneTerms(limitSet: 1)), nil, &looks))
            limits.noteRankTime(RankTime(milliseconds: 20_000), reservingAfter: .seconds(1))
            #expect(limits.reservations.takeBlocked().isEmpty && !limits.lanes.hasWoken)
        }
    }

    @Test("when a reservation ends the lanes that it was in the way of are looked at once more, in line, each once")
    func blocked() {
        var reservations = LimitReservations()
        reservations.note(rankTime: RankTime(milliseconds: 10_000), wait: .seconds(1))
        for (lane, time) in [(7, Int64(3)), (2, 1), (5, 2)] {
            _ = reservations.await(lane, by: RankKey(rank: Rank(milliseconds: time), id: UInt64(lane)), terms: 0)
        }
        #expect(reservations.takeBlocked() == [2, 5, 7])
        #expect(reservations.takeBlocked().isEmpty)
    }

    @Test("a job that is replaced reserves anew, by the values that its limits have then")
    func replaced() {
        var world = World(["a": 1, "b": 1, "c": 4])
        _ = world.submit(LimitKey("a"))
        func submit(_ seconds: Int64) -> UInt64 {
            var options = JobOptions(limitKeys: [LimitKey("a"), LimitKey("b"), LimitKey("c", weight: 4)])
            options.uniqueKey = UniqueKey("k", mode: .replace)
            options.attemptTimeout = .seconds(seconds)
            defer { world.settle() }
            return world.front.submit(1, loader: "slow", JobOptionsColumn(options)).rawValue
        }
        let job = submit(3)
        world.pass(milliseconds: 1_500)
        #expect(world.reserved == [job])
        #expect(submit(4) == job && world.front.machine.state.limitsMiscount == nil)
    }
}
