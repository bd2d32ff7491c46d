//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Limits")
struct LimitTests {
    /// A front with two workers of four slots, and with these limits.
    func serving(_ limits: [String: UInt32] = ["api": 3]) -> (FrontHarness, [WorkerHarness]) {
        var front = FrontHarness()
        front.open()
        for (name, capacity) in limits.sorted(by: { $0.key < $1.key }) { #expect(set(name, capacity, &front) == .done(version: 0)) }
        var workers = [WorkerHarness(1), WorkerHarness(2)]
        for index in workers.indices { workers[index].register(with: &front, slots: 4, prefetch: 0) }
        return (front, workers)
    }

    @discardableResult
    func set(_ name: String, _ capacity: UInt32, _ front: inout FrontHarness) -> Reply? {
        front.ask(.limit(.set(name, LimitRule(capacity: capacity))))
    }

    func options(_ keys: LimitKey...) -> JobOptionsColumn { JobOptionsColumn(JobOptions(limitKeys: keys)) }

    func settle(_ front: inout FrontHarness, _ workers: inout [WorkerHarness]) {
        let actions = front.settle()
        for index in workers.indices { workers[index].take(actions) }
    }

    func held(_ workers: [WorkerHarness]) -> [UInt64] { workers.flatMap { $0.held.map(\.job) }.sorted() }

    /// The worker that holds a job ends it.
    func end(_ job: UInt64, _ front: inout FrontHarness, _ workers: inout [WorkerHarness]) {
        for index in workers.indices where workers[index].held.contains(where: { $0.job == job }) {
            let actions = workers[index].end(job, in: &front)
            for other in workers.indices { workers[other].take(actions) }
        }
    }

    func summary(_ name: String, _ front: FrontHarness) -> LimitSummary? {
        guard case .limit(let summary)? = front.machine.item("limit/\(name)", of: .limits) else { return nil }
        return summary
    }

    func check(_ front: FrontHarness, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(front.machine.state.termsMiscount == nil && front.machine.state.limitsMiscount == nil, sourceLocation: sourceLocation)
        #expect(front.machine.state.jobs.scheduler.refusals == 0, sourceLocation: sourceLocation)
        let replayed = front.restarted().machine.state
        #expect(front.machine.state.image.difference(from: replayed.image, withJobs: true) == nil, sourceLocation: sourceLocation)
        #expect(DurableImage.disagreement(front.machine.state, replayed, marks: [:], withJobs: true) == nil, sourceLocation: sourceLocation)
    }

    @Test("as many jobs of a limit run at once as it says, over all workers, in order, and each that ends lets the next one begin")
    func holds() {
        var (front, workers) = serving()
        let first = front.submit(10, loader: "slow", options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        for done in 0..<10 {
            let running = (first + UInt64(done)..<min(first + UInt64(done) + 3, first + 10)).map { $0 }
            #expect(held(workers) == running)
            let waiting = UInt64(10 - done - running.count)
            #expect(summary("api", front).map { [$0.inUse, $0.waiting] } == [UInt64(running.count), waiting])
            if waiting > 0 {
                #expect(front.job(JobID(first + 9))?.waitReason == .limitFull(LimitKey("api"), .permits(inUse: 3, capacity: 3)))
            }
            check(front)
            end(running[0], &front, &workers)
        }
        #expect(summary("api", front)?.valueCount == 0 && !front.machine.state.jobs.limits.isUsed)
    }

    @Test("each value has permits of its own, and so has the limit as a whole")
    func values() {
        var (front, workers) = serving(["tenant": 1])
        let keys = ["", "a", "b"].map { LimitKey("tenant", value: $0) }
        front.follow()
        let jobs = keys.map { front.submit(2, loader: "slow", options($0)).rawValue }
        settle(&front, &workers)
        #expect(
            front.path() == [
                "entry jobsAccepted 1 2", "entry replyRetained 2 jobsAccepted 1 and 1 more", "client 7: reply 2 jobsAccepted 1 and 1 more",
                "entry jobsAccepted 3 4", "entry replyRetained 3 jobsAccepted 3 and 1 more", "client 7: reply 3 jobsAccepted 3 and 1 more",
                "entry jobsAccepted 5 6", "entry replyRetained 4 jobsAccepted 5 and 1 more", "client 7: reply 4 jobsAccepted 5 and 1 more",
                "entry granted 1 5 to worker 1", "worker 1: grant 1 5", "entry granted 3 to worker 2", "worker 2: grant 3",
                "changed jobs counts, jobs job/1, jobs job/3, jobs job/5, limits limit/tenant, workers worker/1, workers worker/2",
            ])
        #expect(front.job(JobID(jobs[1] + 1))?.waitReason == .limitFull(keys[1], .permits(inUse: 1, capacity: 1)))
        #expect(summary("tenant", front)?.values == ["", "a", "b"].map { LimitValue($0, inUse: 1, waiting: 1) })
        end(jobs[1], &front, &workers)
        #expect(
            front.path() == [
                "entry ended 3 succeeded", "changed jobs job/3, workers worker/2", "entry granted 4 to worker 2", "worker 2: settled 1",
                "worker 2: grant 4", "client 7: answers 3 succeeded", "changed jobs job/4, workers worker/2",
            ])
        check(front)
    }

    @Test("a job of two limits takes both or none, and leaves the room of one to others while the other is full")
    func both() {
        var (front, workers) = serving(["api": 1, "tenant": 1])
        let (api, tenant) = (LimitKey("api"), LimitKey("tenant", value: "a"))
        let blocker = front.submit(1, loader: "slow", options(tenant)).rawValue
        settle(&front, &workers)
        let both = front.submit(1, loader: "slow", options(tenant, api)).rawValue
        let alone = front.submit(1, loader: "slow", options(api)).rawValue
        front.follow()
        settle(&front, &workers)
        #expect(front.path() == ["entry granted 3 to worker 2", "worker 2: grant 3", "changed jobs job/3, workers worker/2"])
        end(alone, &front, &workers)
        #expect(front.path() == ["entry ended 3 succeeded", "changed jobs job/3, workers worker/2", "client 7: answers 3 succeeded"])
        #expect(held(workers) == [blocker] && summary("api", front)?.inUse == 0)
        end(blocker, &front, &workers)
        #expect(
            front.path() == [
                "entry ended 1 succeeded", "changed jobs job/1, workers worker/1", "entry granted 2 to worker 1", "worker 1: settled 1",
                "worker 1: grant 2", "client 7: answers 1 succeeded", "changed jobs job/2, workers worker/1",
            ])
        #expect(held(workers) == [both] && summary("api", front)?.inUse == 1 && summary("tenant", front)?.inUse == 1)
        check(front)
    }

    @Test("a permit is free when the run has ended, not when its cancel is asked for")
    func cancelled() {
        var (front, workers) = serving(["api": 1])
        let first = front.submit(2, loader: "slow", options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        front.follow()
        #expect(front.ask(.job(.cancel(JobID(first)))) == .cancelling(JobID(first)))
        settle(&front, &workers)
        #expect(
            front.path() == [
                "entry cancelRequested 1", "worker 1: cancel leases 1", "entry replyRetained 3 cancelling 1",
                "client 7: reply 3 cancelling 1",
            ])
        #expect(held(workers) == [first] && summary("api", front)?.inUse == 1)
        for index in workers.indices where !workers[index].held.isEmpty {
            workers[index].take(workers[index].end(first, .cancelled, in: &front))
        }
        #expect(
            front.path() == [
                "entry ended 1 cancelled", "changed jobs job/1, workers worker/1", "entry granted 2 to worker 1", "worker 1: settled 1",
                "worker 1: grant 2", "client 7: answers 1 cancelled", "changed jobs job/2, workers worker/1",
            ])
        check(front)
    }

    @Test("the permits of a worker that is lost are free when its lease and its grace are over, and not before")
    func lost() {
        var (front, workers) = serving(["api": 1])
        let first = front.submit(2, loader: "slow", options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        let holder = workers[0].held.isEmpty ? 1 : 0
        let other = 1 - holder
        for _ in 0..<5 {
            front.pass(milliseconds: 1_000)
            _ = workers[other].renew(&front)
            workers[other].take(front.settle())
        }
        #expect(workers[other].held.isEmpty && summary("api", front)?.inUse == 1)
        for _ in 0..<2 {
            front.pass(milliseconds: 500)
            _ = workers[other].renew(&front)
            workers[other].take(front.settle())
        }
        #expect(workers[other].held.count == 1 && summary("api", front)?.inUse == 1)
        #expect([first, first + 1].contains(workers[other].held[0].job))
        check(front)
    }

    @Test("a limit that is lowered stops nobody and lets nobody begin before there is room; one that is raised does at once")
    func changes() {
        var (front, workers) = serving(["api": 7])
        let first = front.submit(12, loader: "slow", options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        #expect(held(workers).count == 7)
        set("api", 5, &front)
        settle(&front, &workers)
        #expect(front.job(JobID(first + 11))?.waitReason == .limitFull(LimitKey("api"), .permits(inUse: 7, capacity: 5)))
        for left in [6, 5, 5] {
            end(held(workers)[0], &front, &workers)
            #expect(held(workers).count == left)
        }
        set("api", 6, &front)
        settle(&front, &workers)
        #expect(held(workers).count == 6 && summary("api", front)?.rule.capacity == 6)
        check(front)
    }

    @Test("what a limit says and what is in use of it outlast the front, by its rows and by a checkpoint")
    func restarts() {
        var (front, workers) = serving(["api": 2, "idle": 9])
        let first = front.submit(4, loader: "slow", options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        var again = FrontHarness().machine
        again.restore(front.machine.wholeCheckpoint, of: TurnNumber(1), isSlice: true)
        for state in [front.restarted().machine.state, again.state] {
            #expect(state.jobs.limits.names == ["api", "idle"] && state.jobs.limits.rule(of: "idle") == LimitRule(capacity: 9))
            let api = state.jobs.limits.summary(of: "api") { WallTime(milliseconds: $0.milliseconds) }
            #expect(api.map { [$0.inUse, $0.waiting] } == [2, 2])
            #expect(state.termsMiscount == nil && state.limitsMiscount == nil)
        }
        var next = front.restarted()
        next.pass(milliseconds: 10_000)
        workers = [WorkerHarness(3)]
        workers[0].register(with: &next, slots: 8, prefetch: 0)
        settle(&next, &workers)
        #expect(held(workers).count == 2 && held(workers).allSatisfy { (first..<first + 4).contains($0) })
    }

    @Test("what cannot be is refused: limits that are not there, rules and names that are none, too many, one that jobs count in")
    func refused() throws {
        var (front, workers) = serving()
        func code(_ reply: Reply?) -> FailureCode? { if case .refused(let failure, _)? = reply { failure.code } else { nil } }
        #expect(code(front.askSubmit(1, loader: "slow", options(LimitKey("apo")))) == .unknownItem)
        #expect(front.counts?.waiting == 0)
        for capacity in [0, 1_000_001, UInt32.max] { #expect(code(set("api", capacity, &front)) == .invalidData) }
        for name in ["", "API", "a=b", String(repeating: "x", count: 65)] { #expect(code(set(name, 1, &front)) == .invalidData) }
        let job = front.submit(1, loader: "slow", options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        front.follow()
        _ = front.ask(.limit(.delete("api")))
        _ = front.ask(.limit(.delete("other")))
        #expect(
            front.path() == [
                "entry replyRetained 11 refused conflict", "client 7: reply 11 refused conflict",
                "entry replyRetained 12 refused unknownItem", "client 7: reply 12 refused unknownItem",
            ])
        end(job, &front, &workers)
        #expect(front.ask(.limit(.delete("api"))) == .done(version: 0))
        #expect(
            front.path() == [
                "entry ended 1 succeeded", "changed jobs job/1, workers worker/1", "client 7: answers 1 succeeded",
                "entry limitChanged api deleted", "entry replyRetained 13 done", "client 7: reply 13 done",
            ])
        #expect(summary("api", front) == nil && front.machine.itemKeys(of: .limits).isEmpty)
        #expect(front.machine.state.jobs.limits.limitIndexes.isEmpty, "its name is given back")
        #expect(code(front.askSubmit(1, loader: "slow", options(LimitKey("api")))) == .unknownItem)
        check(front)
        front = FrontHarness { $0.bounds.limits = 1 }
        front.open()
        #expect(set("one", 1, &front) == .done(version: 0) && set("one", 2, &front) == .done(version: 0))
        #expect(code(set("two", 1, &front)) == .busy)
    }

    @Test("jobs without a limit, of other loaders and of other clients go on while a limit is full, and none of them goes before its turn")
    func others() {
        var (front, workers) = serving(["api": 1])
        let limited = front.submit(3, loader: "slow", options(LimitKey("api"))).rawValue
        let free = front.submit(2, loader: "slow").rawValue
        let once = front.submit(1, loader: "once", options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        #expect(held(workers) == [limited, free, free + 1])
        end(limited, &front, &workers)
        end(limited + 1, &front, &workers)
        #expect(held(workers).contains(limited + 2) && !held(workers).contains(once))
        end(limited + 2, &front, &workers)
        #expect(held(workers).contains(once))
        check(front)
    }

    @Test("jobs of a loader that is taken ahead count as soon as a worker is given them, and are shared out to workers")
    func bulk() {
        var (front, workers) = serving(["api": 4])
        let first = front.submit(100, options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        #expect(held(workers) == Array(first..<first + 4) && workers.map(\.held.count) == [2, 2])
        for worker in workers.indices { workers[worker].take(workers[worker].endAll(in: &front)) }
        settle(&front, &workers)
        #expect(held(workers).count == 4)
        check(front)
    }

    @Test("a job that was woken for a room and is cancelled leaves the room to the next one, though it was the only one of its limits")
    func passesOn() {
        var front = FrontHarness()
        front.open()
        for name in ["api", "tenant"] { set(name, 1, &front) }
        var workers = [WorkerHarness(1)]
        workers[0].register(with: &front, slots: 2, prefetch: 0)
        func limited(_ tenant: String) -> UInt64 {
            front.submit(1, loader: "slow", options(LimitKey("api"), LimitKey("tenant", value: tenant))).rawValue
        }
        let running = limited("a")
        settle(&front, &workers)
        let (woken, last) = (limited("b"), limited("c"))
        let free = front.submit(1, loader: "slow").rawValue
        settle(&front, &workers)
        let urgent = front.submit(1, loader: "slow", priority: 9).rawValue
        settle(&front, &workers)
        #expect(held(workers) == [running, free])
        end(running, &front, &workers)
        #expect(held(workers) == [free, urgent])
        #expect(front.ask(.job(.cancel(JobID(woken)))) == .cancelling(JobID(woken)))
        end(free, &front, &workers)
        #expect(held(workers) == [urgent, last].sorted())
        check(front)
        end(last, &front, &workers)
        end(urgent, &front, &workers)
        #expect(front.counts?.oldestWaiting == nil)
    }

    @Test(
        "bulk jobs of one limit are given together as far as it has room, and never those of another one with them", arguments: [1, 3, 40])
    func together(capacity: UInt32) {
        var front = FrontHarness()
        front.open()
        set("api", capacity, &front)
        set("tenant", 1, &front)
        var workers = [WorkerHarness(1)]
        workers[0].register(with: &front, slots: 4, prefetch: 500)
        let first = front.submit(60, options(LimitKey("api"))).rawValue
        let other = front.submit(20, options(LimitKey("tenant", value: "a"))).rawValue
        let free = front.submit(20).rawValue
        let more = front.submit(30, options(LimitKey("api"))).rawValue
        settle(&front, &workers)
        #expect(held(workers) == Array(first..<first + UInt64(capacity)) + [other] + Array(free..<free + 20))
        while !held(workers).isEmpty {
            check(front)
            #expect(summary("api", front).map { $0.inUse <= capacity } == true && (summary("tenant", front)?.inUse ?? 2) <= 1)
            workers[0].take(workers[0].endAll(in: &front))
            settle(&front, &workers)
        }
        #expect(front.counts?.succeeded == 130 && more == first + 100)
    }

    @Test("so many lanes that wait for limits are looked at in a turn, and the next turns go on")
    func cut() {
        var front = FrontHarness()
        front.open()
        for name in ["api", "tenant"] { set(name, 1, &front) }
        let count = 6_000
        for part in 0..<count / 250 {
            let rows = (0..<250).map { JobOptions(limitKeys: [LimitKey("api"), LimitKey("tenant", value: "\(part * 250 + $0)")]) }
            _ = front.submit(250, loader: "slow", JobOptionsColumn(rows))
        }
        let free = front.submit(1, loader: "slow").rawValue
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 2, prefetch: 0)
        var turns = 0
        repeat {
            worker.take(front.settle())
            turns += 1
        } while worker.held.count < 2 && turns < 20
        #expect(worker.held.count == 2 && worker.held.last?.job == free && turns > 1, "\(turns) turns")
        #expect(!front.machine.state.jobs.limits.isUnfinished)
        check(front)
    }

    @Test("observers get a limit when it has changed, as often as the counts of jobs, and no more when it is deleted")
    func topic() {
        var (front, workers) = serving()
        _ = front.submit(1, loader: "slow", options(LimitKey("api")))
        front.pass(milliseconds: 1_000)
        func keys(_ actions: [FrontAction]) -> [String] {
            actions.compactMap { if case .changed(.limits, let key) = $0 { key } else { nil } }
        }
        #expect(keys(front.settle()) == ["limit/api"])
        _ = front.submit(1, loader: "slow", options(LimitKey("api")))
        #expect(keys(front.settle()) == [])
        front.pass(milliseconds: 50)
        #expect(keys(front.settle()) == ["limit/api"])
        front.pass(milliseconds: 1_000)
        #expect(keys(front.settle()) == [])
        settle(&front, &workers)
    }

    @Test("jobs of one lane find all the room of their limit at once, where none of it is kept for another job")
    func allRoom() {
        var (front, _) = serving(["api": 3])
        let job = front.submit(1, loader: "slow", options(LimitKey("api"))).rawValue
        let jobs = front.machine.state.jobs
        #expect(jobs.limits.room(jobs.limitSet(of: job), for: jobs.slab.key(of: job)) == 3)
    }
}
