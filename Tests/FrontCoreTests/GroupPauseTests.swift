//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Pauses of groups")
struct GroupPauseTests {
    private static let shop = GroupMembers(loaders: ["slow"], feeds: ["todos"])

    private func world(_ groups: [String: GroupMembers] = ["shop": Self.shop], limited: Bool = false) -> FeedWorld {
        FeedWorld {
            $0.flow.groups = groups
            guard limited else { return }
            $0.flow.limits = ["api": LimitRule(capacity: 1)]
            $0.flow.limitsOfLoaders = ["http": ["api"]]
        }
    }

    private func pause(_ world: inout FeedWorld) -> Reply? {
        world.front.ask(.pause(.begin(.group("shop"), reason: "the sale", length: nil)))
    }

    private func resume(_ world: inout FeedWorld) -> Reply? { world.front.ask(.pause(.end(.group("shop")))) }

    private func load(_ feed: String, _ world: inout FeedWorld) throws -> JobID {
        try world.accept(.feed(try FeedWorld.key(feed), .load))
    }

    private func held(_ world: FeedWorld) -> Set<JobID> { Set(world.worker.held.map { JobID($0.job) }) }

    private func reason(_ job: JobID, _ world: FeedWorld) -> WaitReason? { world.front.job(job)?.waitReason }

    /// Why a feed waits that the harness shows.
    private func reason(_ activity: Activity?) -> WaitReason? {
        if case .waiting(_, let reason)? = activity { reason } else { nil }
    }

    /// The same front, started again with another configuration.
    private func restarted(_ world: FeedWorld, _ groups: [String: GroupMembers]) -> FeedWorld {
        var next = world
        next.front.settings.flow.groups = groups
        next.front = next.front.restarted()
        next.worker.register(with: &next.front, slots: 64)
        next.grant()
        return next
    }

    /// The reasons that are shown are true, and a replay and a checkpoint make the same lanes and pauses.
    private func check(_ world: FeedWorld, sourceLocation: SourceLocation = #_sourceLocation) {
        let (machine, neglected) = (world.front.machine, world.front.machine.neglected)
        #expect(neglected.reason == nil && neglected.wait == nil, sourceLocation: sourceLocation)
        #expect(machine.state.jobs.scheduler.refusals == 0, sourceLocation: sourceLocation)
        let replayed = world.front.restarted().machine.state
        var stored = FrontHarness().machine
        stored.restore(machine.wholeCheckpoint, of: TurnNumber(1), isSlice: true)
        for state in [machine.state, replayed, stored.state] {
            #expect(state.termsMiscount == nil, sourceLocation: sourceLocation)
            #expect(state.image.queues == machine.state.image.queues, sourceLocation: sourceLocation)
            #expect(state.jobs.pauses.entries == machine.state.jobs.pauses.entries, sourceLocation: sourceLocation)
            for (lane, _) in state.jobs.scheduler.heads where state.jobs.terms.feeds[Int(lane.terms.feed)] == "todos" {
                let isHeld = state.jobs.pauses.holds(feed: "todos") || state.jobs.pauses.holds(loader: "http")
                #expect((state.jobs.scheduler.state(of: lane) == .paused) == isHeld, sourceLocation: sourceLocation)
            }
        }
    }

    @Test("jobs of its loaders wait, and loads of its feeds; other feeds of the same loader load, and lists are edited")
    func members() throws {
        var world = world()
        #expect(pause(&world) == .done(version: 0))
        let own = world.front.submit(1, loader: "slow"), other = world.front.submit(1, loader: "once")
        let todos = try load("todos", &world), items = try load("items", &world)
        let save = try world.accept(.feed(try FeedWorld.key("todos"), .create(item: Array("{}".utf8))))
        world.grant()
        #expect(held(world) == [other, items, save])
        let expected = Pause(.group("shop"), by: "test", reason: "the sale", since: world.front.now.wall)
        #expect(reason(own, world) == .paused(expected) && reason(todos, world) == .paused(expected))
        #expect(world.front.feed(try FeedWorld.key("todos"))?.activity == .waiting(todos, .paused(expected)))
        // Who is in it says the topic of the pauses alone.
        guard case .pause(let shown)? = world.front.machine.item("pause/group/shop", of: .pauses) else {
            return #expect(Bool(false), "it is not shown")
        }
        #expect(shown.loaders == ["slow"] && shown.feeds == ["todos"] && shown.line == "the group shop is paused by test: the sale")
        check(world)
        #expect(resume(&world) == .done(version: 0))
        world.grant()
        #expect(held(world).isSuperset(of: [own, todos]) && world.front.machine.state.jobs.pauses.count == 0)
        check(world)
    }

    @Test(
        "who observes a load that waits is told that everything or its group is paused, and that it is no more",
        arguments: [PauseTarget.everything, .group("shop")])
    func observed(target: PauseTarget) throws {
        var front = FrontHarness { $0.flow.groups = ["shop": Self.shop] }
        front.open()
        let key = try FeedWorld.key("todos")
        guard case .accepted(let load, _)? = front.ask(.feed(key, .load)) else { return #expect(Bool(false), "not accepted") }
        front.handle(.topicObserved(.job(load), true))
        front.settle()
        let requests = [PauseRequest.begin(target, reason: "", length: nil), .end(target)]
        for (request, word) in zip(requests, [WaitReason.Word.paused, .noWorker]) {
            front.follow()
            #expect(front.ask(.pause(request)) == .done(version: 0))
            front.settle()
            let path = front.path()
            #expect(path.contains { $0.hasPrefix("changed ") && $0.contains("job/\(load) job") }, "\(path)")
            #expect(front.job(load)?.waitReason?.word == word && reason(front.feed(key)?.activity)?.word == word)
        }
    }

    @Test("what runs goes on, with the merge of its load; what waits can be moved and cancelled, and runs afterwards")
    func before() throws {
        var world = world()
        let first = try load("todos", &world)
        world.grant()
        #expect(pause(&world) == .done(version: 0) && held(world) == [first])
        world.finish(first.rawValue)
        world.grant()
        #expect(world.worker.held.map { $0.work?.operation } == [.merge])
        world.rest()
        let second = try load("todos", &world), other = try load("lazy", &world)
        let jobs = (0..<2).map { _ in world.front.submit(1, loader: "slow") }
        #expect(world.front.ask(.job(.reprioritize(second, priority: 9))) == .done(version: 0))
        #expect(world.front.ask(.job(.reprioritize(jobs[1], priority: 9))) == .done(version: 0))
        _ = world.front.ask(.job(.cancel(jobs[0])))
        world.grant()
        #expect(held(world) == [other] && reason(second, world)?.word == .paused && world.front.job(jobs[0])?.state == .cancelled)
        check(world)
        _ = world.front.ask(.job(.cancel(second)))
        world.grant()
        check(world)
        let third = try load("todos", &world)
        #expect(world.front.job(second)?.state == .cancelled && reason(third, world)?.word == .paused)
        #expect(resume(&world) == .done(version: 0))
        world.grant()
        #expect(held(world) == [other, third, jobs[1]])
        check(world)
    }

    @Test("a load that waits for a limit gives way while its group is paused, and is the next one afterwards")
    func limits() throws {
        var world = world(limited: true)
        let items = try load("items", &world)
        world.grant()
        let todos = try load("todos", &world), lazy = try load("lazy", &world)
        world.grant()
        #expect(reason(todos, world)?.word == .limitFull && reason(lazy, world)?.word == .limitFull)
        #expect(pause(&world) == .done(version: 0))
        world.grant()
        #expect(reason(todos, world)?.word == .paused)
        check(world)
        world.finish(items.rawValue)
        world.grant()
        #expect(held(world).contains(lazy) && !held(world).contains(todos))
        #expect(resume(&world) == .done(version: 0))
        world.grant()
        #expect(reason(todos, world)?.word == .limitFull)
        world.finish(lazy.rawValue)
        world.grant()
        #expect(held(world).contains(todos) && world.front.machine.state.limitsMiscount == nil)
        check(world)
    }

    @Test("a loader of a paused group that is paused itself waits until both have ended, with its own pause as the reason first")
    func both() throws {
        for endsGroupFirst in [true, false] {
            var world = world()
            let todos = try load("todos", &world)
            #expect(pause(&world) == .done(version: 0))
            let targets: [PauseTarget] = [.loader("slow"), .loader("http")]
            for target in targets {
                #expect(world.front.ask(.pause(.begin(target, reason: "", length: nil))) == .done(version: 0))
            }
            let job = world.front.submit(1, loader: "slow")
            world.grant()
            for (waiting, target) in [(job, targets[0]), (todos, targets[1])] {
                guard case .paused(let pause)? = reason(waiting, world) else { return #expect(Bool(false), "not paused") }
                #expect(pause.target == target)
            }
            check(world)
            let (group, own) = ([PauseTarget.group("shop")], targets)
            for target in endsGroupFirst ? group : own { #expect(world.front.ask(.pause(.end(target))) == .done(version: 0)) }
            world.grant()
            #expect(held(world).isEmpty && reason(job, world)?.word == .paused && reason(todos, world)?.word == .paused)
            check(world)
            for target in endsGroupFirst ? own : group { #expect(world.front.ask(.pause(.end(target))) == .done(version: 0)) }
            world.grant()
            #expect(held(world) == [job, todos])
            check(world)
        }
    }

    @Test("a front with another configuration has other members; one with nothing in the group ends its pause, and says so")
    func configuration() throws {
        var world = world()
        #expect(pause(&world) == .done(version: 0))
        let todos = try load("todos", &world), job = world.front.submit(1, loader: "slow")
        world.grant()
        var same = restarted(world, ["shop": Self.shop])
        #expect(held(same).isEmpty && !same.front.started.contains(.changed(.pauses, key: "pause/group/shop")))
        let other = GroupMembers(loaders: ["once"], feeds: ["items"])
        world = restarted(world, ["shop": other])
        #expect(world.front.machine.state.jobs.pauses[.group("shop")]?.members == other && world.front.machine.queue.lostGroups.isEmpty)
        #expect(held(world) == [todos, job])
        let items = try load("items", &world)
        world.grant()
        #expect(held(world) == [todos, job] && reason(items, world)?.word == .paused)
        check(world)
        same = restarted(world, [:])
        #expect(same.front.machine.state.jobs.pauses.count == 0 && same.front.machine.queue.lostGroups == ["shop"])
        #expect(same.front.started.contains(.changed(.pauses, key: "pause/group/shop")) && held(same).contains(items))
        check(same)
    }

    @Test("a group that nothing is in is refused with the nearest name, and one that is not paused cannot be resumed")
    func refused() {
        var world = world()
        func failure(_ request: PauseRequest) -> Failure? {
            if case .refused(let failure, _)? = world.front.ask(.pause(request)) { failure } else { nil }
        }
        let unknown = failure(.begin(.group("shpo"), reason: "", length: nil))
        #expect(unknown?.code == .unknownItem && unknown?.text.hasSuffix("did you mean \"shop\"?") == true)
        #expect(unknown?.arguments == ["group", "shpo", "nearest", "shop"])
        let far = failure(.begin(.group("warehouse"), reason: "", length: nil))
        #expect(far?.text.hasSuffix("give one \"group: warehouse\" in the configuration") == true && far?.arguments.count == 2)
        #expect(failure(.begin(.group("No Name"), reason: "", length: nil))?.code == .invalidData)
        #expect(failure(.end(.group("shop")))?.code == .unknownItem && world.front.machine.state.jobs.pauses.count == 0)
    }
}
