//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Another priority for a waiting job")
struct ReprioritizeTests {
    /// A front with jobs that wait for a worker: of `slow` three with the usual priority, a second apart, and one of another loader behind them.
    private func waiting() -> (front: FrontHarness, slow: [JobID], other: JobID) {
        var front = FrontHarness()
        front.open()
        let slow = (0..<3).map { _ in
            front.pass(milliseconds: 1_000)
            return front.submit(1, loader: "slow")
        }
        front.pass(milliseconds: 1_000)
        let other = front.submit(1, loader: "once")
        front.settle()
        return (front, slow, other)
    }

    private func ask(_ front: inout FrontHarness, _ body: RequestBody) -> Reply? { front.ask(body) }

    /// The order in which a worker with one slot gets the jobs.
    private func order(_ front: FrontHarness) -> [JobID] {
        var (front, worker) = (front, WorkerHarness(1))
        worker.register(with: &front, slots: 1, prefetch: 0)
        worker.take(front.settle())
        var order: [JobID] = []
        while let job = worker.held.first?.job {
            order.append(JobID(job))
            worker.take(worker.end(job, in: &front))
        }
        return order
    }

    @Test("a job goes before those that it would have gone before, in its lane and among others, at once and after a restart")
    func order() {
        let (before, slow, other) = waiting()
        #expect(order(before) == slow + [other])
        let cases: [(JobID, UInt8, [JobID])] = [
            (slow[2], 6, [slow[2], slow[0], slow[1], other]), (slow[1], 9, [slow[1], slow[0], slow[2], other]),
            (slow[0], 4, [slow[1], slow[2], other, slow[0]]), (other, 6, [other] + slow), (slow[1], 0, [slow[0], slow[2], other, slow[1]]),
        ]
        for (job, priority, expected) in cases {
            var front = before
            let steps = front.machine.state.jobs.scheduler.refusals
            #expect(ask(&front, .job(.reprioritize(job, priority: priority))) == .done(version: 0))
            #expect(order(front) == expected, "job \(job) to \(priority)")
            #expect(order(front.restarted()) == expected, "job \(job) to \(priority), after a restart")
            #expect(front.job(job)?.options == JobOptions(priority: priority))
            #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
            #expect(front.machine.state.termsMiscount == nil && front.machine.state.recountedBytes == front.machine.state.bytes)
            #expect(front.machine.state.jobs.scheduler.refusals == steps)
        }
    }

    @Test("the first and only job of a lane goes before and behind those of other lanes while a worker that could take it is full")
    func firstOfItsLane() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 1, prefetch: 0)
        let running = front.run(1, loader: "slow", on: &worker)
        let jobs = ["slow", "once"].map { front.submit(1, loader: $0) }
        front.settle()
        for (priority, expected) in [(UInt8(9), jobs[1]), (0, jobs[0]), (6, jobs[1])] {
            #expect(ask(&front, .job(.reprioritize(jobs[1], priority: priority))) == .done(version: 0))
            front.settle()
            var (next, worker) = (front, worker)
            worker.take(worker.end(running.rawValue, in: &next))
            #expect(worker.held.map(\.job) == [expected.rawValue], "\(priority)")
        }
    }

    @Test("what a job has waited counts: it stands as if it had been accepted with that priority, and back again where it stood")
    func waited() {
        var front = FrontHarness()
        front.open()
        let first = front.submit(1, loader: "slow", priority: 5)
        let rank = front.machine.state.jobs[first.rawValue].rank
        front.pass(milliseconds: 90_000)
        let second = front.submit(1, loader: "slow", priority: 7)
        #expect(order(front) == [second, first])
        _ = front.ask(.job(.reprioritize(first, priority: 6)))
        #expect(front.machine.state.jobs[first.rawValue].rank == rank.earlier(by: 60_000))
        #expect(order(front) == [first, second])
        _ = front.ask(.job(.reprioritize(first, priority: 5)))
        #expect(front.machine.state.jobs[first.rawValue].rank == rank && order(front) == [second, first])
    }

    @Test("a checkpoint stores what it is, and an entry of a row that the checkpoint has seen changes nothing again")
    func checkpoint() {
        var (front, slow, _) = waiting()
        _ = front.ask(.job(.reprioritize(slow[2], priority: 9)))
        let early = front.entries.count
        _ = front.ask(.job(.reprioritize(slow[2], priority: 6)))
        var stored = front.restarted(isTakenUp: false)
        stored.machine = FrontMachine(settings: stored.settings, now: stored.now)
        let turn = TurnNumber(UInt64(front.entries.count))
        for entry in front.machine.wholeCheckpoint { stored.machine.restore([entry], of: turn, isSlice: true) }
        #expect(stored.job(slow[2])?.options.priority == 6)
        stored.machine.restore([front.entries[early - 2]], of: TurnNumber(UInt64(early - 1)), isSlice: false)
        #expect(stored.job(slow[2])?.options.priority == 6)
        #expect(order(stored) == order(front) && order(front).first == slow[2])
    }

    @Test("a job that is not known, or does not wait, is refused by name, and so is a priority that is none")
    func refusals() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let ended = front.run(1, loader: "slow", on: &worker)
        worker.end(ended.rawValue, in: &front)
        let cancelling = front.run(1, loader: "slow", on: &worker)
        let waiting = front.submit(1, loader: "slow")
        func text(_ reply: Reply?, _ code: FailureCode) -> String {
            guard case .refused(let failure, .zero)? = reply, failure.code == code else { return "\(String(describing: reply))" }
            return failure.text
        }
        let count = front.machine.state.jobs.terms.count
        let only = "only a waiting job gets another priority"
        #expect(text(ask(&front, .job(.reprioritize(ended, priority: 1))), .conflict) == "job \(ended) has succeeded: \(only)")
        #expect(text(ask(&front, .job(.reprioritize(cancelling, priority: 1))), .conflict) == "job \(cancelling) is running: \(only)")
        _ = front.ask(.job(.cancel(cancelling)))
        #expect(text(ask(&front, .job(.reprioritize(cancelling, priority: 1))), .conflict) == "job \(cancelling) is cancelling: \(only)")
        #expect(ask(&front, .job(.reprioritize(JobID(77), priority: 1))) == .unknownJob(JobID(77)))
        #expect(text(ask(&front, .job(.reprioritize(waiting, priority: 10))), .invalidData) == "a priority is 0 to 9, not 10")
        let isChanged = front.entries.contains { if case .termsChanged = $0 { true } else { false } }
        #expect(!isChanged && front.machine.state.jobs.terms.count == count)
    }

    @Test("the same priority is done and writes nothing of the job; a repeat is answered by the retained reply and changes nothing")
    func repeats() {
        var (front, slow, _) = waiting()
        _ = ask(&front, .job(.reprioritize(slow[1], priority: 5)))
        #expect(front.decided == ["entry replyRetained 5 done", "client 7: reply 5 done"])
        front.follow()
        // The client has said of none of these that it has the reply.
        let first = front.nextRequest
        for (offset, priority) in [(UInt64(0), UInt8(8)), (1, 2), (0, 8)] {
            let request = ClientMessage.Request(
                number: RequestNumber(first + offset), lowestUnanswered: RequestNumber(first),
                body: .job(.reprioritize(slow[1], priority: priority)))
            _ = front.send(.request(request))
        }
        #expect(
            front.path() == [
                "entry termsChanged 2", "entry replyRetained 6 done", "client 7: reply 6 done", "entry termsChanged 2",
                "entry replyRetained 7 done", "client 7: reply 7 done", "client 7: reply 6 done",
            ])
        #expect(front.job(slow[1])?.options.priority == 2)
    }

    @Test("who looks at the job is told, and who only observes may not ask")
    func reported() {
        var (front, slow, _) = waiting()
        front.handle(.topicObserved(.job(slow[0]), true))
        let number = RequestNumber(front.nextRequest)
        let body = RequestBody.job(.reprioritize(slow[0], priority: 9))
        _ = front.send(.request(.init(number: number, lowestUnanswered: number, body: body)))
        #expect(front.decided == ["entry termsChanged 1", "entry replyRetained 5 done", "client 7: reply 5 done", "changed job/1 job"])
        #expect(body.right == .request && body.changesState && body.effect == .change)
    }

    @Test("a feed's job that waits behind another keeps its place there, and gets its lane by the new rank")
    func blocked() throws {
        var world = FeedWorld()
        let todos = try FeedWorld.key("todos")
        let saves = try (0..<2).map { try world.accept(.feed(todos, .create(item: [UInt8($0)]))) }
        let rank = world.front.machine.state.jobs[saves[1].rawValue].rank
        #expect(world.front.machine.state.jobs[saves[1].rawValue].standing == .blocked)
        #expect(ask(&world.front, .job(.reprioritize(saves[1], priority: 9))) == .done(version: 0))
        for machine in [world.front.machine, world.front.restarted().machine] {
            #expect(machine.state.jobs[saves[1].rawValue].standing == .blocked)
            #expect(machine.state.jobs[saves[1].rawValue].rank == rank.earlier(by: 4 * 60_000))
            #expect(machine.state.jobs.keyLines[saves[1].rawValue]?.job.options.priority == 9)
        }
        world.grant()
        #expect(world.worker.held.map(\.job) == [saves[0].rawValue])
        world.finish(saves[0].rawValue)
        world.grant()
        #expect(world.worker.held.first?.job == saves[1].rawValue)
    }

    @Test("the merge that goes on with a load keeps its priority, and moves the clock of ranks no further than the load did")
    func merged() throws {
        var world = FeedWorld()
        let load = try world.accept(.feed(try FeedWorld.key("todos"), .load))
        #expect(ask(&world.front, .job(.reprioritize(load, priority: 0))) == .done(version: 0))
        let time = world.front.machine.state.jobs.numbers.lastRankTime
        world.grant()
        world.finish(load.rawValue)
        world.grant()
        let merge = try #require(world.worker.held.first { $0.work?.operation == .merge })
        #expect(world.front.job(JobID(merge.job))?.options.priority == 0)
        #expect(world.front.machine.state.jobs[merge.job].rank == Rank(ofPriority: 0, at: time))
        #expect(world.front.machine.state.jobs.numbers.lastRankTime == time)
        let image = world.front.restarted(isTakenUp: false).machine.state.image
        #expect(world.front.machine.state.image.difference(from: image, withJobs: true) == nil)
    }
}
