//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import TestSupport
import Testing

/// Each test compares all that the end of a turn leads to in which a worker is given up: half a second after its lease.
@Suite("What is decided about lost workers, action by action")
struct LossActionTests {
    private func loseAll(_ front: inout FrontHarness) -> [String] {
        front.pass(milliseconds: 5_500)
        return front.settle().lines
    }

    @Test("a worker without jobs is lost, and nothing else")
    func idle() {
        var (front, _) = FrontHarness.serving()
        #expect(loseAll(&front) == ["entry workerLost 1", "changed workers worker/1"])
    }

    @Test("one job in hand is counted a death, and is to run alone")
    func alone() {
        var (front, _, _) = FrontHarness.running()
        #expect(
            loseAll(&front) == [
                "entry attemptsEnded 1 deaths 1 suspected: workerLost", "entry workerLost 1",
                "changed jobs counts, jobs job/1, workers worker/1",
            ])
    }

    @Test("of two jobs none is counted, and both are suspected")
    func neighbors() {
        var (front, worker) = FrontHarness.serving()
        for _ in 0..<2 { _ = front.submit(1, loader: "slow") }
        worker.take(front.settle())
        #expect(
            loseAll(&front) == [
                "entry attemptsEnded 1 suspected, 2 suspected: workerLost", "entry workerLost 1",
                "changed jobs counts, jobs job/1, jobs job/2, workers worker/1",
            ])
    }

    @Test("what must not run twice fails with an unknown outcome, and its session is told")
    func notRepeatable() {
        var (front, _, _) = FrontHarness.running("once")
        #expect(
            loseAll(&front) == [
                "entry ended 1 failed: outcomeUnknown", "entry workerLost 1", "client 7: answers 1 failed",
                "changed jobs counts, jobs job/1, workers worker/1",
            ])
    }

    @Test("what was to be cancelled is cancelled")
    func cancelling() {
        var (front, _, job) = FrontHarness.running()
        _ = front.ask(.job(.cancel(job)))
        #expect(
            loseAll(&front) == [
                "entry ended 1 cancelled", "entry workerLost 1", "client 7: answers 1 cancelled",
                "changed jobs counts, jobs job/1, workers worker/1",
            ])
    }

    @Test("a drain is no death")
    func draining() {
        var (front, worker, _) = FrontHarness.running()
        _ = worker.send(.draining, to: &front)
        #expect(
            loseAll(&front) == [
                "entry attemptsEnded 1: workerLost", "entry workerLost 1", "changed jobs counts, jobs job/1, workers worker/1",
            ])
    }

    @Test("the third death quarantines the job, and its session is told")
    func quarantine() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1, loader: "slow")
        for number in UInt64(1)...3 {
            var worker = WorkerHarness(number)
            worker.register(with: &front)
            worker.take(front.settle())
            #expect(worker.held.map(\.job) == [job.rawValue])
            let changed = "changed jobs counts, jobs job/1, workers worker/\(number)"
            let waits = ["entry attemptsEnded 1 deaths \(number) suspected: workerLost", "entry workerLost \(number)", changed]
            let ends = ["entry ended 1 quarantined: quarantined", "entry workerLost 3", "client 7: answers 1 quarantined", changed]
            #expect(loseAll(&front) == (number < 3 ? waits : ends))
        }
    }

    @Test("a front that stood still for a lease blames nobody")
    func loopPause() {
        var (front, _, _) = FrontHarness.running()
        front.pass(milliseconds: 20_000)
        front.handle(.loopPaused(.seconds(20)))
        #expect(
            front.settle().lines == [
                "entry attemptsEnded 1: loopPause", "entry workerLost 1", "changed jobs counts, jobs job/1, workers worker/1",
            ])
    }

    @Test("a process that has ended takes its worker with it after the grace, and is watched no more")
    func processEnded() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let process = ProcessIdentity(namespace: "boot/1", number: 77, start: 1_234)
        (worker.process, worker.seen) = (process, process)
        front.open()
        worker.register(with: &front)
        _ = front.run(1, loader: "slow", on: &worker)
        front.handle(.processEnded(process))
        #expect(front.decided == ["changed workers worker/1"])
        front.pass(milliseconds: 500)
        #expect(
            front.settle().lines == [
                "entry attemptsEnded 1 deaths 1 suspected: workerLost", "unwatch process 77", "entry workerLost 1",
                "changed jobs counts, jobs job/1, workers worker/1",
            ])
    }

    @Test("the load of a feed waits again, and its feed shows it")
    func load() throws {
        var world = FeedWorld()
        _ = try world.accept(.feed(.named("items?parameter=sample"), .load))
        world.grant()
        #expect(
            loseAll(&world.front) == [
                "entry attemptsEnded 1 deaths 1 suspected: workerLost", "entry workerLost 1",
                "entry feedChanged items?parameter=sample waiting 1",
                "changed feed/items?parameter=sample feed, jobs counts, jobs job/1, workers worker/1",
            ])
    }
}
