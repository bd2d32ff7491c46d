//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import Testing

@Suite("Rules of jobs")
struct JobRuleTests {
    @Test("a submitted job is granted, ends, and its session is told the outcome once")
    func wholePath() {
        var (front, worker) = FrontHarness.serving()
        front.follow()
        let job = front.run(1, on: &worker)
        #expect(
            front.path() == [
                "entry jobsAccepted 1", "entry replyRetained 1 jobsAccepted 1 and 0 more", "client 7: reply 1 jobsAccepted 1 and 0 more",
                "entry granted 1 to worker 1", "worker 1: grant 1", "changed jobs counts, workers worker/1",
            ])
        let actions = worker.end(job.rawValue, result: [1, 2, 3], in: &front)
        let ended = front.now.wall
        for _ in 0..<2 {
            front.pass(milliseconds: 20)
            front.settle()
        }
        #expect(
            front.path() == [
                "entry ended 1 succeeded", "changed workers worker/1", "client 7: answers 1 succeeded", "worker 1: settled 1",
            ])
        for case .send(_, _, .answers(let answers)) in actions { #expect(answers.results == [[1, 2, 3]]) }
        #expect(front.job(job)?.state == .succeeded && front.job(job)?.endedAt == ended)
    }

    @Test("a more urgent job overtakes, but waiting catches up")
    func rank() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        let low = front.submit(1, loader: "slow", priority: 5)
        front.pass(milliseconds: 59_000)
        let high = front.submit(1, loader: "slow", priority: 6)
        front.pass(milliseconds: 2_000)
        let late = front.submit(1, loader: "slow", priority: 6)
        worker.register(with: &front, slots: 3)
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [high, low, late].map(\.rawValue))
    }

    @Test("a report under an old lease changes nothing and is counted")
    func lateReport() {
        var front = FrontHarness()
        var (one, two) = (WorkerHarness(1), WorkerHarness(2))
        front.open()
        one.register(with: &front)
        let job = front.submit(1, loader: "slow")
        one.take(front.settle())
        front.pass(milliseconds: 5_600)
        two.register(with: &front)
        front.follow()
        two.take(front.settle())
        #expect(
            front.path() == [
                "entry attemptsEnded 1 deaths 1 suspected: workerLost", "entry workerLost 1", "entry granted 1 to worker 2",
                "worker 2: grant 1", "changed jobs counts, jobs job/1, workers worker/1, workers worker/2",
            ])
        one.end(job.rawValue, in: &front)
        #expect(front.path() == ["worker 1: reregister"])
        two.end(job.rawValue, in: &front)
        #expect(front.path() == ["entry ended 1 succeeded", "changed jobs job/1, workers worker/2", "client 7: answers 1 succeeded"])
    }

    @Test("a slot is freed only half a second after the lease, and not before the workers' socket was read empty")
    func leaseEnd() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.follow()
        front.pass(milliseconds: 5_499)
        front.settle()
        front.pass(milliseconds: 1)
        front.handle(.inputRead(upTo: nil))
        #expect(front.path() == [])
        // The next look follows soon, however much there is to read.
        front.pass(milliseconds: 10)
        front.settle()
        #expect(
            front.path() == [
                "entry attemptsEnded 1 deaths 1 suspected: workerLost", "entry workerLost 1",
                "changed jobs counts, jobs job/1, workers worker/1",
            ])
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("a front that stood still between reading and deciding gives nobody up: renewals may have come meanwhile")
    func pauseAfterReading() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.pass(milliseconds: 5_499)
        let read = front.now.monotonic
        front.pass(milliseconds: 8_000)
        front.handle(.inputRead(upTo: read))
        #expect(front.job(job)?.state == .running)
        #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic } == true)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("an operation that must not run twice fails with an unknown outcome when its worker is lost")
    func notRepeatable() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(job)?.failure?.code == .outcomeUnknown)
        #expect(front.job(job)?.state == .failed)
    }

    @Test("a job that was alone in three dying workers is quarantined; neighbors run alone and are not counted")
    func quarantine() {
        var front = FrontHarness()
        front.open()
        let jobs = (0..<2).map { _ in front.submit(1, loader: "slow") }
        var first = WorkerHarness(1)
        first.register(with: &front)
        first.take(front.settle())
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.map { front.job($0)?.crashCount } == [0, 0])
        #expect(jobs.allSatisfy { front.isSuspected($0) })
        #expect(jobs.allSatisfy { front.job($0)?.waitReason == .noWorker(loader: "slow") })
        for number in 2...4 {
            var worker = WorkerHarness(UInt64(number))
            worker.register(with: &front)
            worker.take(front.settle())
            #expect(worker.held.map(\.job) == [jobs[0].rawValue])
            front.pass(milliseconds: 5_500)
            front.settle()
        }
        #expect(front.job(jobs[0])?.state == .quarantined)
        #expect(front.job(jobs[0])?.crashCount == 3)
        #expect(front.restarted().job(jobs[0])?.crashCount == 3)
        #expect(front.job(jobs[1])?.state == .waiting)
    }

    @Test("a suspected job whose loader nobody offers any more holds up no other suspect")
    func unofferedSuspect() {
        var front = FrontHarness()
        front.open()
        let jobs = [front.submit(1, loader: "rare"), front.submit(1, loader: "slow"), front.submit(1, loader: "slow")]
        var first = WorkerHarness(1)
        first.register(with: &front, slots: 3, loaders: [LoaderDeclaration(name: "rare"), LoaderDeclaration(name: "slow")])
        first.take(front.settle())
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.allSatisfy { front.isSuspected($0) })
        var second = WorkerHarness(2)
        second.register(with: &front)
        second.take(front.settle())
        #expect(second.held.map(\.job) == [jobs[1].rawValue])
        second.take(second.end(jobs[1].rawValue, in: &front))
        #expect(front.job(jobs[2])?.state == .running)
        #expect(front.job(jobs[0])?.state == .waiting)
        #expect(front.job(jobs[0])?.waitReason == .noWorker(loader: "rare"))
    }

    @Test("of suspected jobs that can run the one of the smallest rank goes first, and an explanation tells its place among them")
    func suspectsByRank() {
        var front = FrontHarness()
        front.open()
        let jobs = [front.submit(1, loader: "slow"), front.submit(1, loader: "once2"), front.submit(1, loader: "slow")]
        var first = WorkerHarness(1)
        let loaders = [LoaderDeclaration(name: "once2"), LoaderDeclaration(name: "slow")]
        first.register(with: &front, slots: 3, loaders: loaders)
        first.take(front.settle())
        front.pass(milliseconds: 5_500)
        front.settle()
        for _ in 0..<5 { _ = front.submit(1, loader: "slow") }
        guard case .explanation(let reported)? = front.ask(.job(.explain(jobs[2]))) else {
            Issue.record("no explanation")
            return
        }
        #expect(reported.placeInLine == 1)
        var second = WorkerHarness(2)
        second.register(with: &front, loaders: loaders)
        second.take(front.settle())
        for job in jobs {
            #expect(second.held.first?.job == job.rawValue)
            second.take(second.end(job.rawValue, in: &front))
        }
    }

    @Test("a waiting job is cancelled at once; a running one keeps its slot until the worker has stopped it")
    func cancel() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let running = front.run(1, loader: "slow", on: &worker)
        let waiting = front.submit(1, loader: "slow")
        front.follow()
        _ = front.ask(.job(.cancel(waiting)))
        _ = front.ask(.job(.cancel(running)))
        front.settle()
        #expect(
            front.path() == [
                "entry cancelRequested 2", "entry ended 2 cancelled", "entry replyRetained 3 cancelling 2",
                "client 7: reply 3 cancelling 2", "entry cancelRequested 1", "worker 1: cancel leases 1",
                "entry replyRetained 4 cancelling 1", "client 7: reply 4 cancelling 1", "client 7: answers 2 cancelled",
            ])
        let next = front.submit(1, loader: "slow")
        front.settle()
        #expect(front.job(next)?.waitReason == .slotsTaken)
        _ = worker.renew(&front)
        _ = worker.send(.cancelStep(LeaseID(worker.held[0].lease), .stopping), to: &front)
        #expect(
            front.path() == [
                "entry jobsAccepted 3", "entry replyRetained 5 jobsAccepted 3 and 0 more", "client 7: reply 5 jobsAccepted 3 and 0 more",
                "worker 1, at once: renewed 1", "worker 1: renewed 1, cancel leases 1",
            ])
        #expect(front.job(running)?.cancel?.stoppingAt != nil)
        worker.take(worker.end(running.rawValue, .succeeded, in: &front))
        _ = front.ask(.job(.cancel(running)))
        #expect(
            front.path() == [
                "entry ended 1 cancelled", "changed jobs job/1, workers worker/1", "entry granted 3 to worker 1", "worker 1: settled 1",
                "worker 1: grant 3", "client 7: answers 1 cancelled", "changed jobs job/3, workers worker/1",
                "entry replyRetained 6 alreadyEnded 1 cancelled", "client 7: reply 6 alreadyEnded 1 cancelled",
            ])
    }

    @Test("how far a worker is with a cancel is explained, and no more once the job has ended")
    func explainedCancel() throws {
        var (front, worker, job) = FrontHarness.running()
        func timeline() -> [String] {
            if case .explanation(let explained)? = front.ask(.job(.explain(job))) { explained.timeline } else { [] }
        }
        _ = front.ask(.job(.cancel(job)))
        let lease = LeaseID(try #require(worker.held.first).lease)
        for (step, line) in [(.delivered, "its worker has it in hand"), (.stopping, "its loader was asked to stop")]
            as [(WorkerMessage.CancelStep, String)]
        {
            #expect(!timeline().contains(line))
            _ = worker.send(.cancelStep(lease, step), to: &front)
            #expect(timeline().contains(line), "\(timeline())")
        }
        worker.end(job.rawValue, .cancelled, in: &front)
        #expect(front.job(job)?.state == .cancelled && !timeline().contains("its loader was asked to stop"), "\(timeline())")
    }

    @Test("a grant that a worker does not list in two renewals is sent again")
    func lostGrant() {
        var (front, worker) = FrontHarness.serving()
        let job = front.submit(1, loader: "slow")
        front.settle()
        _ = worker.renew(&front)
        #expect(worker.held.isEmpty)
        worker.take(worker.renew(&front))
        #expect(worker.held.map(\.job) == [job.rawValue])
    }

    @Test("who observes a job is told that its progress is gone when it ends")
    func progressEnds() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.handle(.topicObserved(.job(job), true))
        let report = WorkerMessage.ProgressReport(job: job, lease: LeaseID(worker.held[0].lease), progress: JobProgress(percent: 7))
        #expect(worker.send(.progress([report]), to: &front).contains(.changed(.job(job), key: "progress")))
        #expect(worker.end(job.rawValue, in: &front).contains(.changed(.job(job), key: "progress")))
        #expect(front.machine.item("progress", of: .job(job)) == nil)
    }

    @Test("a bound is answered with busy and accepts nothing")
    func bound() {
        var front = FrontHarness { $0.bounds.queuedJobs = 3 }
        front.open()
        let (some, none) = (front.submit(3), front.submit(1))
        #expect(some != .none && none == .none)
        #expect(front.counts?.waiting == 3)
    }
}
