//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import TestSupport
import Testing

/// Each test compares all that an event leads to.
@Suite("What is decided about cancels, action by action")
struct CancelActionTests {
    @Test("a waiting job ends with the turn that accepts its cancel")
    func waiting() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1)
        #expect(front.ask(.job(.cancel(job))) == .cancelling(job))
        #expect(
            front.decided == [
                "entry cancelRequested 1", "entry ended 1 cancelled", "entry replyRetained 2 cancelling 1",
                "client 7: reply 2 cancelling 1",
            ])
        #expect(front.settle().lines == ["client 7: answers 1 cancelled", "changed jobs counts"])
    }

    @Test("of a running job the cancel is kept and sent behind its grant, once")
    func running() {
        var (front, _, job) = FrontHarness.running()
        _ = front.ask(.job(.cancel(job)))
        #expect(
            front.decided == [
                "entry cancelRequested 1", "worker 1: cancel leases 1", "entry replyRetained 2 cancelling 1",
                "client 7: reply 2 cancelling 1",
            ])
        #expect(front.settle().lines == [])
        _ = front.ask(.job(.cancel(job)))
        #expect(front.decided == ["entry replyRetained 3 cancelling 1", "client 7: reply 3 cancelling 1"])
    }

    @Test("each answer to a renewal repeats it until the worker says that it stops, which observers see")
    func repeated() {
        var (front, worker, job) = FrontHarness.running()
        _ = front.ask(.job(.cancel(job)))
        front.handle(.topicObserved(.job(job), true))
        for (number, step) in [(1, WorkerMessage.CancelStep.delivered), (2, .stopping)] {
            _ = worker.renew(&front)
            #expect(front.decided == ["worker 1, at once: renewed \(number)", "worker 1: renewed \(number), cancel leases 1"])
            _ = worker.send(.cancelStep(LeaseID(worker.held[0].lease), step), to: &front)
            #expect(front.decided == ["changed job/1 job"])
        }
        _ = worker.renew(&front)
        #expect(front.decided == ["worker 1, at once: renewed 3"])
    }

    @Test("what its worker makes of it, the job is cancelled", arguments: [Outcome.succeeded, .failed, .cancelled, .returned])
    func ended(outcome: Outcome) {
        var (front, worker, job) = FrontHarness.running()
        _ = front.ask(.job(.cancel(job)))
        #expect(
            worker.end(job.rawValue, outcome, in: &front).lines == [
                "entry ended 1 cancelled", "client 7: answers 1 cancelled", "changed jobs job/1, workers worker/1",
            ])
    }

    @Test("a job that has ended is left as it is, and its state told")
    func tooLate() {
        var (front, worker, job) = FrontHarness.running()
        worker.end(job.rawValue, in: &front)
        #expect(front.ask(.job(.cancel(job))) == .alreadyEnded(job, .succeeded))
        #expect(front.decided == ["entry replyRetained 2 alreadyEnded 1 succeeded", "client 7: reply 2 alreadyEnded 1 succeeded"])
    }

    @Test("a job that is not known is refused, and the refusal kept")
    func unknown() {
        var front = FrontHarness()
        front.open()
        _ = front.ask(.job(.cancel(JobID(9))))
        #expect(front.decided == ["entry replyRetained 1 refused unknownItem", "client 7: reply 1 refused unknownItem"])
    }

    @Test("the load of a feed is cancelled, and its feed is idle in the same turn")
    func load() throws {
        var world = FeedWorld()
        let job = try world.accept(.feed(.named("items?parameter=sample"), .load))
        world.grant()
        #expect(world.front.ask(.feed(.named("items?parameter=sample"), .cancelLoad(only: nil))) == .cancelling(job))
        #expect(
            world.front.decided == [
                "entry cancelRequested 1", "worker 1: cancel leases 1", "entry feedChanged items?parameter=sample idle",
                "entry replyRetained 2 cancelling 1", "client 7: reply 2 cancelling 1", "changed feed/items?parameter=sample feed",
            ])
        #expect(
            world.worker.end(job.rawValue, .cancelled, in: &world.front).lines == [
                "entry ended 1 cancelled", "changed jobs job/1, workers worker/1",
            ])
    }

    @Test("what is known of a load's progress goes from its feed with the cancel, and what comes later of it is late")
    func progress() throws {
        var world = FeedWorld()
        let job = try world.accept(.feed(.named("items?parameter=sample"), .load))
        world.grant()
        #expect(world.report(percent: 7) == ["changed feed/items?parameter=sample progress"])
        _ = world.front.ask(.job(.cancel(job)))
        #expect(
            world.front.decided == [
                "entry cancelRequested 1", "worker 1: cancel leases 1", "entry feedChanged items?parameter=sample idle",
                "entry replyRetained 2 cancelling 1", "client 7: reply 2 cancelling 1",
                "changed feed/items?parameter=sample feed, feed/items?parameter=sample progress",
            ])
        #expect(world.report(percent: 8) == ["changed front front"])
    }

    @Test("the times of a receipt are those of the first time that each step was reported")
    func receipt() throws {
        var (front, worker, job) = FrontHarness.running()
        let begun = front.now.wall
        _ = front.ask(.job(.cancel(job)))
        for step in [WorkerMessage.CancelStep.delivered, .delivered, .stopping, .stopping] {
            front.pass(milliseconds: 100)
            _ = worker.send(.cancelStep(LeaseID(worker.held[0].lease), step), to: &front)
        }
        let receipt = try #require(front.job(job)?.cancel)
        #expect(receipt.requestedBy == "test" && receipt.requestedAt == begun)
        #expect(
            receipt.deliveredAt == begun.advanced(by: .milliseconds(100)) && receipt.stoppingAt == begun.advanced(by: .milliseconds(300)))
    }

    @Test("a load that waits behind a cancelled one is granted when that has stopped")
    func loadBehind() throws {
        var world = FeedWorld()
        let key = FeedKey.named("items?parameter=sample")
        let first = try world.accept(.feed(key, .load))
        world.grant()
        _ = world.front.ask(.job(.cancel(first)))
        _ = try world.accept(.feed(key, .load))
        #expect(
            world.front.decided == [
                "entry feedJobAccepted 2 load items?parameter=sample", "entry feedChanged items?parameter=sample waiting 2",
                "entry replyRetained 3 accepted 2", "client 7: reply 3 accepted 2", "changed feed/items?parameter=sample feed",
            ])
        #expect(world.front.settle().lines == [])
        #expect(
            world.worker.end(first.rawValue, .cancelled, in: &world.front).lines == [
                "entry ended 1 cancelled", "entry granted 2 to worker 1", "worker 1: settled 1", "worker 1: grant 2",
                "entry feedChanged items?parameter=sample loading 2",
                "changed feed/items?parameter=sample feed, jobs job/1, jobs job/2, workers worker/1",
            ])
    }
}
