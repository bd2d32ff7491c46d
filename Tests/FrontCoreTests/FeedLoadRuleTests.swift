//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("How the loads of a feed follow each other")
struct FeedLoadRuleTests {
    private let key = FeedKey.named("items?parameter=sample")

    /// A front with a worker whose feed `items` has that rule.
    private func world(_ change: (inout FeedLoadRule) -> Void, _ more: (inout FrontSettings) -> Void = { _ in }) -> FeedWorld {
        FeedWorld {
            change(&$0.feeds[0].loads)
            $0.boot = BootInstant(id: "one", uptime: .seconds(1))
            more(&$0)
        }
    }

    private func debounced() -> FeedWorld { world { $0.debounce = Debounce(quiet: .milliseconds(300), longest: .seconds(1)) } }

    private func pass(_ milliseconds: Int64, _ world: inout FeedWorld) {
        world.front.pass(milliseconds: milliseconds)
        _ = world.worker.renew(&world.front)
        world.grant()
    }

    private func load(_ world: inout FeedWorld, _ request: FeedRequest = .load) -> Reply? { world.front.ask(.feed(key, request)) }

    private func held(_ world: FeedWorld) -> [UInt64] { world.worker.held.map(\.job) }

    /// What observers see is so, and what a restart knows, from rows and from a checkpoint.
    private func check(_ world: FeedWorld, sourceLocation: SourceLocation = #_sourceLocation) {
        let neglected = world.front.machine.neglected
        #expect(neglected.work == nil && neglected.wait == nil && neglected.reason == nil, "\(neglected)", sourceLocation: sourceLocation)
        let replayed = world.front.restarted().machine.state
        #expect(world.front.machine.state.image.difference(from: replayed.image, withJobs: true) == nil, sourceLocation: sourceLocation)
        var stored = FrontMachine(settings: world.front.settings, now: world.front.now)
        stored.restore(world.front.machine.wholeCheckpoint, of: TurnNumber(9), isSlice: true)
        #expect(world.front.machine.state.image.difference(from: stored.state.image, withJobs: true) == nil, sourceLocation: sourceLocation)
    }

    @Test("on a full queue the load under way is joined all the same; one that would be a job of its own is refused, by any road")
    func fullQueue() throws {
        for buffersOne in [false, true] {
            var world = world({ $0.buffersOne = buffersOne }, { $0.bounds.queuedJobs = 1 })
            let job = try world.accept(.feed(key, .load))
            // It waits, and fills the queue; then it runs, and something else does.
            #expect(load(&world) == .accepted(job, joined: true) && load(&world, .refresh) == .accepted(job, joined: true))
            world.grant()
            #expect(held(world) == [job.rawValue] && world.front.submit(1, loader: "nobody") != .none)
            for request in [FeedRequest.load, .refresh] {
                switch load(&world, request) {
                case .accepted(job, joined: true): #expect(!buffersOne)
                case .refused(let failure, _): #expect(buffersOne && failure.code == .busy)
                case let reply: Issue.record("\(String(describing: reply))")
                }
            }
            guard case .refused? = world.front.ask(.feed(.named("users"), .load)) else {
                Issue.record("a full queue takes another load")
                return
            }
            check(world)
        }
    }

    @Test("a load starts once nobody has asked for a while; who asks until then joins it, and moves its start")
    func quiet() throws {
        var world = debounced()
        let job = try world.accept(.feed(key, .load))
        world.grant()
        #expect(held(world).isEmpty && world.front.job(job)?.state == .scheduled)
        let first = world.front.now.wall
        #expect(world.front.feed(key)?.activity == .waiting(job, .delayed(until: first.advanced(by: .milliseconds(300)))))
        pass(200, &world)
        #expect(load(&world, .refresh) == .accepted(job, joined: true))
        world.grant()
        #expect(world.front.feed(key)?.activity == .waiting(job, .delayed(until: first.advanced(by: .milliseconds(500)))))
        check(world)
        pass(299, &world)
        #expect(held(world).isEmpty)
        pass(1, &world)
        #expect(held(world) == [job.rawValue] && world.front.feed(key)?.activity == .loading(job, cause: .asked, attempt: 1))
        // One that runs is joined.
        #expect(load(&world) == .accepted(job, joined: true))
        check(world)
        world.finish(job.rawValue)
        #expect(world.front.feed(key)?.activity == .idle && world.front.feed(key)?.content != nil)
    }

    @Test("however often somebody asks, a load starts after its longest wait, over a restart too")
    func longest() throws {
        var world = debounced()
        let job = try world.accept(.feed(key, .load))
        for _ in 0..<4 {
            pass(200, &world)
            #expect(load(&world) == .accepted(job, joined: true))
        }
        world.grant()
        var restarted = world
        restarted.front = world.front.restarted()
        #expect(restarted.front.ask(.feed(key, .load)) == .accepted(job, joined: true))
        #expect(restarted.front.machine.state.jobs[job.rawValue].due == world.front.machine.state.jobs[job.rawValue].due)
        pass(199, &world)
        #expect(held(world).isEmpty)
        pass(1, &world)
        #expect(held(world) == [job.rawValue])
        check(world)
    }

    @Test("a load that has waited for as long as it may is delayed no more, be it that nobody has looked yet")
    func longestIsOver() throws {
        var world = FeedWorld { settings in
            let debounce = Debounce(quiet: .milliseconds(300), longest: .milliseconds(500))
            for index in settings.feeds.indices { settings.feeds[index].loads.debounce = debounce }
        }
        func delays(_ world: FeedWorld) -> Int { world.front.entries.count { if case .jobDelayed = $0 { true } else { false } } }
        let job = try world.accept(.feed(key, .load))
        for milliseconds in [Int64(299), 201] {
            world.front.pass(milliseconds: milliseconds)
            #expect(load(&world) == .accepted(job, joined: true))
        }
        #expect(delays(world) == 2)
    }

    @Test("what loads because somebody attaches starts at once, and a step of the wall clock moves no start")
    func attached() throws {
        var world = FeedWorld { for index in $0.feeds.indices { $0.feeds[index].loads.debounce = Debounce(quiet: .milliseconds(300)) } }
        let lazy = try FeedWorld.key("lazy")
        let job = try world.accept(.feed(lazy, .attach(view: "shared")))
        world.grant()
        #expect(held(world) == [job.rawValue])
        let asked = try world.accept(.feed(key, .load))
        world.front.setWallClock(milliseconds: FrontHarness.year)
        world.grant()
        let due = world.front.now.wall.advanced(by: .milliseconds(300))
        #expect(world.front.feed(key)?.activity == .waiting(asked, .delayed(until: due)))
        #expect(world.front.machine.neglected.wait == nil)
        pass(300, &world)
        #expect(held(world).contains(asked.rawValue))
    }

    @Test("one more load follows the running one, for all that ask until it starts")
    func again() throws {
        var world = world { $0.buffersOne = true }
        let first = try world.accept(.feed(key, .load))
        #expect(load(&world) == .accepted(first, joined: true), "it does not run yet")
        world.grant()
        guard case .accepted(let second, joined: false)? = load(&world) else { return #expect(Bool(false)) }
        #expect(load(&world, .refresh) == .accepted(second, joined: true))
        world.grant()
        #expect(held(world) == [first.rawValue] && world.front.job(second)?.waitReason == .keyTaken(by: first))
        #expect(world.front.feed(key)?.activity == .loading(first, cause: .asked, attempt: 1))
        check(world)
        world.finish(first.rawValue)
        world.grant()
        #expect(held(world) == [second.rawValue] && world.front.feed(key)?.content?.version == ContentVersion(1))
        #expect(world.front.feed(key)?.activity == .loading(second, cause: .asked, attempt: 1))
        check(world)
        world.finish(second.rawValue)
        #expect(world.front.feed(key)?.activity == .idle && world.front.feed(key)?.content?.version == ContentVersion(2))
        check(world)
    }

    @Test("the load behind one that fails or is cancelled is what the feed waits for then")
    func behind() throws {
        for isCancelled in [false, true] {
            var world = world { $0.buffersOne = true }
            let first = try world.accept(.feed(key, .load))
            world.grant()
            let second = try world.accept(.feed(key, .load))
            if isCancelled {
                _ = world.front.ask(.job(.cancel(first)))
                world.grant()
                #expect(world.front.feed(key)?.activity == .waiting(second, .cancelledRunStopping(first)))
                check(world)
                world.worker.take(world.worker.end(first.rawValue, .cancelled, in: &world.front))
            } else {
                world.fail(first)
                #expect(world.front.feed(key)?.failure?.code == .storageFailed)
            }
            world.grant()
            #expect(held(world) == [second.rawValue] && world.front.feed(key)?.activity.job == second)
            world.finish(second.rawValue)
            #expect(world.front.feed(key)?.activity == .idle && world.front.feed(key)?.failure == nil)
            check(world)
        }
    }

    @Test("a limit that lets none wait refuses loads that somebody asks for, and nobody who joins one")
    func refused() throws {
        var world = world({ _ in }) {
            $0.flow.limits = ["api": LimitRule(refill: LimitRefill(1, per: .seconds(3_600), beyond: .refuse))]
            $0.flow.limitsOfLoaders = ["http": ["api"]]
        }
        let job = try world.accept(.feed(key, .load))
        #expect(load(&world) == .accepted(job, joined: true))
        world.grant()
        world.finish(job.rawValue)
        let (jobs, entries) = (world.front.machine.state.jobs.numbers.nextJob, world.front.entries.count)
        guard case .refused(let failure, _)? = load(&world, .refresh) else { return #expect(Bool(false)) }
        let text = "no token of the limit api (1/h) is left for one more job, and jobs without one are refused: load again in "
        #expect(failure.code == .rateLimited && failure.text.hasPrefix(text), "\(failure.text)")
        #expect(world.front.machine.state.jobs.numbers.nextJob == jobs && world.front.entries.count == entries + 1)
        #expect(world.front.feed(key)?.activity == .idle)
        // What the front loads by itself waits.
        let lazy = try world.accept(.feed(try FeedWorld.key("lazy"), .attach(view: "shared")))
        world.grant()
        #expect(held(world).isEmpty && world.front.job(lazy)?.state == .waiting)
    }
}
