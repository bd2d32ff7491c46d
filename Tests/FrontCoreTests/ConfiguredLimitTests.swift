//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("Limits of the configuration, and weights")
struct ConfiguredLimitTests {
    private static func flow(_ limits: [String: LimitRule], loaders: [String: [String]] = [:], feeds: [String: [String]] = [:])
        -> FlowSettings
    {
        var flow = FlowSettings()
        (flow.limits, flow.limitsOfLoaders, flow.limitsOfFeeds) = (limits, loaders, feeds)
        return flow
    }

    private func summary(_ name: String, _ front: FrontHarness) -> LimitSummary? {
        guard case .limit(let summary)? = front.machine.item("limit/\(name)", of: .limits) else { return nil }
        return summary
    }

    /// The same front, started again with another configuration.
    private func restarted(_ front: FrontHarness, _ flow: FlowSettings) -> FrontHarness {
        var old = front
        old.settings.flow = flow
        return old.restarted()
    }

    private static let two = LimitRule(capacity: 2)

    @Test("a job of a loader takes the limits that hold for it without naming them, and keeps its own value and weight where it does")
    func loaders() {
        var front = FrontHarness { $0.flow = Self.flow(["api": Self.two], loaders: ["slow": ["api"]]) }
        front.open()
        let first = front.submit(5, loader: "slow").rawValue
        let named = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(limitKeys: [LimitKey("api", value: "a", weight: 2)])))
            .rawValue
        let other = front.submit(1, loader: "http").rawValue
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 9, prefetch: 0)
        worker.take(front.settle())
        #expect(Set(worker.held.map(\.job)) == [first, first + 1, named, other])
        #expect(front.machine.state.options(of: JobID(first + 4))?.limitKeys == [LimitKey("api")])
        #expect(front.machine.state.options(of: JobID(named))?.limitKeys == [LimitKey("api", value: "a", weight: 2)])
        #expect(summary("api", front)?.isConfigured == true && summary("api", front)?.inUse == 4)
        #expect(front.machine.state.limitsMiscount == nil)
        // Another file changes no job that is known, and its own limits hold for new ones.
        var next = restarted(front, Self.flow(["mail": Self.two], loaders: ["slow": ["mail"]]))
        #expect(next.machine.state.options(of: JobID(first + 4))?.limitKeys == [LimitKey("api")])
        #expect(summary("api", next)?.configured == nil && summary("api", next)?.rule == Self.two)
        next.open()
        let late = next.submit(1, loader: "slow").rawValue
        #expect(next.machine.state.options(of: JobID(late))?.limitKeys == [LimitKey("mail")])
    }

    @Test("loads of a feed count in its limits, and edits of its list do not")
    func feeds() throws {
        var front = FrontHarness { $0.flow = Self.flow(["shop": Self.two], feeds: ["todos": ["shop"]]) }
        front.open()
        let key = try #require(FeedKey(text: "todos"))
        guard case .accepted(let load, _)? = front.ask(.feed(key, .load)) else { return #expect(Bool(false)) }
        #expect(front.machine.state.options(of: load)?.limitKeys == [LimitKey("shop")])
        guard case .accepted(let save, _)? = front.ask(.feed(key, .create(item: Array("{}".utf8)))) else { return #expect(Bool(false)) }
        #expect(front.machine.state.options(of: save)?.limitKeys == [])
    }

    @Test("a checkpoint has what the configuration says of a limit beside what a command has set, and the next start changes nothing")
    func stored() {
        let raised = LimitRule(capacity: 5)
        var front = FrontHarness { $0.flow = Self.flow(["api": Self.two]) }
        front.open()
        #expect(front.ask(.limit(.set("api", raised))) == .done(version: 0))
        let entries = front.machine.state.jobs.limits.entries
        var expected = JournalEntry.LimitChanged("api", raised)
        expected.configured = Self.two
        #expect(entries == [.limitChanged(expected)])
        var stored = FrontHarness().machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(1), isSlice: true)
        for limits in [stored.state.jobs.limits, front.restarted().machine.state.jobs.limits] {
            #expect(limits.entries == entries && limits.configured("api") == Self.two && limits.rule(of: "api") == raised)
        }
    }

    @Test(
        "loads of a feed count for their host or for a parameter, as they were when they were accepted; jobs of nobody's feed for neither")
    func values() throws {
        func flow(_ value: String) throws -> FlowSettings {
            var flow = Self.flow(
                ["site": Self.two, "source": LimitRule(capacity: 1)], loaders: ["http": ["site"]], feeds: ["items": ["source"]])
            flow.limitValues = ["site": .host, "source": try #require(FeedLimitValue(value))]
            return flow
        }
        let own = try flow("{parameter}")
        var front = FrontHarness {
            $0.flow = own
            $0.feeds[0].sourceHost = "shop.example"
        }
        front.open()
        var loads: [String: JobID] = [:]
        for (text, value) in [("items", "sample"), ("items?parameter=a", "a"), ("items?parameter=%20b", " b")] {
            guard case .accepted(let load, _)? = front.ask(.feed(try FeedWorld.key(text), .load)) else { return #expect(Bool(false)) }
            loads[value] = load
        }
        func keys(_ job: JobID?, _ front: FrontHarness) -> [LimitKey]? { job.flatMap { front.machine.state.options(of: $0)?.limitKeys } }
        let site = LimitKey("site", value: "shop.example")
        #expect(keys(loads["sample"], front) == [site, LimitKey("source", value: "sample")])
        #expect(keys(loads["a"], front) == [site, LimitKey("source", value: "a")])
        // What cannot be a value has permits of its own all the same.
        let odd = try #require(keys(loads[" b"], front)?.last)
        #expect(odd.fault == nil && odd.value.hasPrefix("b~"), "\(odd.text)")
        let plain = JobID(front.submit(1, loader: "http").rawValue)
        #expect(keys(plain, front) == [LimitKey("site")])
        // Two of a host run, whatever parameters they have; the third waits for it.
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 9, prefetch: 0)
        worker.take(front.settle())
        #expect(Set(worker.held.map(\.job)) == Set([loads["sample"], loads["a"], plain].compactMap { $0?.rawValue }))
        #expect(front.job(try #require(loads[" b"]))?.waitReason == .limitFull(site, .permits(inUse: 2, capacity: 2)))
        #expect(front.machine.state.limitsMiscount == nil)
        // Another file changes no job that is known.
        let next = restarted(front, try flow("host"))
        #expect(keys(loads["a"], next) == [site, LimitKey("source", value: "a")])
    }

    @Test("a feed shows that its load waits for a limit, and how much of that is in use, as soon as the limit is shown so")
    func shownWait() throws {
        var world = FeedWorld { $0.flow = Self.flow(["source": LimitRule(capacity: 1)], loaders: ["http": ["source"]]) }
        let (first, second) = (try FeedWorld.key("items?parameter=a"), try FeedWorld.key("items?parameter=b"))
        let running = try world.accept(.feed(first, .load))
        let waiting = try world.accept(.feed(second, .load))
        func pass(_ world: inout FeedWorld) {
            world.front.pass(milliseconds: 1_000)
            _ = world.worker.renew(&world.front)
            world.grant()
        }
        world.grant()
        pass(&world)
        let full = WaitReason.limitFull(LimitKey("source"), .permits(inUse: 1, capacity: 1))
        #expect(world.front.feed(second)?.activity == .waiting(waiting, full))
        #expect(world.front.machine.neglected.wait == nil)
        // More is in use than a limit has that was lowered: it shows that, too.
        _ = world.front.ask(.limit(.set("source", LimitRule(capacity: 2))))
        world.grant()
        #expect(world.front.feed(second)?.activity == .loading(waiting, cause: .asked, attempt: 1))
        let third = try world.accept(.feed(try FeedWorld.key("items?parameter=c"), .load))
        _ = world.front.ask(.limit(.set("source", LimitRule(capacity: 1))))
        pass(&world)
        let key = try FeedWorld.key("items?parameter=c")
        #expect(world.front.feed(key)?.activity == .waiting(third, .limitFull(LimitKey("source"), .permits(inUse: 2, capacity: 1))))
        world.grant()
        world.finish(running.rawValue)
        // Until the limit is shown anew, the feed shows what that has shown: nothing is neglected.
        #expect(world.front.machine.state.jobs.limits.hasChanged)
        #expect(world.front.job(third)?.waitReason == full)
        #expect(world.front.feed(key)?.activity == .waiting(third, .limitFull(LimitKey("source"), .permits(inUse: 2, capacity: 1))))
        #expect(world.front.machine.neglected.wait == nil)
        pass(&world)
        #expect(world.front.feed(key)?.activity == .waiting(third, full))
        #expect(world.front.machine.neglected.wait == nil)
    }

    @Test("where limits with a rate have as many values as may be, what would be a new one counts without a value")
    func mostValues() throws {
        var flow = Self.flow(["source": LimitRule(refill: LimitRefill(1, per: .seconds(3_600)))], feeds: ["items": ["source"]])
        flow.limitValues = ["source": try #require(FeedLimitValue("{parameter}"))]
        var front = FrontHarness {
            $0.flow = flow
            $0.bounds.limitValues = 2
        }
        front.open()
        let keys = try ["a", "b", "c", "a"].map { value -> [LimitKey]? in
            let reply = front.ask(.feed(try FeedWorld.key("items?parameter=\(value)"), .load))
            guard case .accepted(let load, _)? = reply else { return nil }
            return front.machine.state.options(of: load)?.limitKeys
        }
        #expect(keys == ["a", "b", "", "a"].map { [LimitKey("source", value: $0)] })
    }

    @Test("the merge that goes on with a load asks no source, so it counts in none of the load's limits")
    func merge() throws {
        var world = FeedWorld { $0.flow = Self.flow(["source": Self.two], loaders: ["http": ["source"]], feeds: ["todos": ["source"]]) }
        let load = try world.accept(.feed(try FeedWorld.key("todos"), .load))
        #expect(world.front.machine.state.options(of: load)?.limitKeys == [LimitKey("source")])
        world.grant()
        world.finish(load.rawValue)
        world.grant()
        let merge = try #require(world.worker.held.first { $0.work?.operation == .merge })
        #expect(world.front.machine.state.options(of: JobID(merge.job))?.limitKeys == [])
    }

    @Test("what a command sets for a configured limit holds over restarts, until it is deleted or the configuration says something new")
    func overridden() {
        let flow = Self.flow(["api": Self.two])
        var front = FrontHarness { $0.flow = flow }
        front.open()
        #expect(front.ask(.limit(.delete("api")))?.failure?.code == .conflict)
        #expect(front.ask(.limit(.set("api", LimitRule(capacity: 7)))) == .done(version: 0))
        #expect(summary("api", front).map { [$0.rule, $0.configured] } == [LimitRule(capacity: 7), Self.two])
        var same = restarted(front, flow)
        #expect(summary("api", same)?.rule == LimitRule(capacity: 7) && summary("api", same)?.isConfigured == false)
        same.open()
        #expect(same.ask(.limit(.delete("api"))) == .done(version: 0))
        #expect(summary("api", same)?.rule == Self.two && summary("api", same)?.isConfigured == true)
        let new = restarted(front, Self.flow(["api": LimitRule(capacity: 3)]))
        #expect(summary("api", new)?.rule == LimitRule(capacity: 3) && summary("api", new)?.isConfigured == true)
    }

    @Test("a limit that the configuration names no more goes with the start, but stays where jobs count in it or a command has set it")
    func removed() {
        var front = FrontHarness { $0.flow = Self.flow(["api": Self.two, "mail": Self.two, "used": Self.two]) }
        front.open()
        #expect(front.ask(.limit(.set("mail", LimitRule(capacity: 7)))) == .done(version: 0))
        _ = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(limitKeys: [LimitKey("used")])))
        let next = restarted(front, FlowSettings())
        #expect(summary("api", next) == nil)
        #expect(summary("mail", next)?.rule == LimitRule(capacity: 7) && summary("mail", next)?.configured == nil)
        #expect(summary("used", next)?.rule == Self.two && summary("used", next)?.configured == nil)
        let replayed = next.restarted().machine.state
        #expect(next.machine.state.image.difference(from: replayed.image, withJobs: true) == nil)
    }

    @Test("a job takes as many permits as it weighs, all or none, and lighter ones that fit go before it meanwhile")
    func weights() {
        var front = FrontHarness()
        front.open()
        #expect(front.ask(.limit(.set("api", LimitRule(capacity: 5)))) == .done(version: 0))
        func submit(_ weight: UInt32) -> UInt64 {
            front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(limitKeys: [LimitKey("api", weight: weight)]))).rawValue
        }
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 9, prefetch: 0)
        let (three, four, two, one) = (submit(3), submit(4), submit(2), submit(1))
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [three, two] && summary("api", front)?.inUse == 5 && summary("api", front)?.waiting == 2)
        #expect(front.job(JobID(four))?.waitReason == .limitFull(LimitKey("api", weight: 4), .permits(inUse: 5, capacity: 5)))
        worker.take(worker.end(three, in: &front))
        worker.take(front.settle())
        #expect(Set(worker.held.map(\.job)) == [two, one] && summary("api", front)?.inUse == 3)
        worker.take(worker.end(two, in: &front))
        worker.take(front.settle())
        #expect(Set(worker.held.map(\.job)) == [four, one])
        #expect(front.machine.state.limitsMiscount == nil)
        let replayed = front.restarted().machine.state
        #expect(replayed.limitsMiscount == nil && front.machine.state.image.difference(from: replayed.image, withJobs: true) == nil)
    }

    @Test("a weight above the capacity is refused; where that is lowered later, the job waits and says so, and runs when it is raised")
    func tooSmall() {
        var front = FrontHarness()
        front.open()
        #expect(front.ask(.limit(.set("api", LimitRule(capacity: 5)))) == .done(version: 0))
        let key = LimitKey("api", weight: 4)
        let heavy = JobOptionsColumn(JobOptions(limitKeys: [LimitKey("api", weight: 6)]))
        let refused = front.askSubmit(1, loader: "slow", heavy)
        #expect(refused?.failure?.code == .invalidData && refused?.failure?.text.contains("6 permits of the limit api") == true)
        let job = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(limitKeys: [key]))).rawValue
        #expect(front.ask(.limit(.set("api", LimitRule(capacity: 3)))) == .done(version: 0))
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 9, prefetch: 0)
        worker.take(front.settle())
        #expect(worker.held.isEmpty && front.job(JobID(job))?.waitReason == .limitTooSmall(key, capacity: 3))
        let light = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(limitKeys: [LimitKey("api")]))).rawValue
        front.pass(milliseconds: 120_000)
        _ = worker.renew(&front)
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [light])
        #expect(front.ask(.limit(.set("api", LimitRule(capacity: 5)))) == .done(version: 0))
        worker.take(front.settle())
        #expect(Set(worker.held.map(\.job)) == [light, job])
    }
}

extension Reply {
    /// Why it is refused; nil: it is not.
    fileprivate var failure: Failure? { if case .refused(let failure, _) = self { failure } else { nil } }
}
