//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

/// Each test compares all that an event leads to.
@Suite("What is decided about jobs, action by action")
struct JobActionTests {
    @Test("accepted jobs are one entry, one reply that is kept, and other counts")
    func accepted() {
        var front = FrontHarness()
        front.open()
        _ = front.submit(2)
        #expect(
            front.decided == [
                "entry jobsAccepted 1 2", "entry replyRetained 1 jobsAccepted 1 and 1 more", "client 7: reply 1 jobsAccepted 1 and 1 more",
            ])
    }

    @Test("the topic of all jobs has an item of each job that runs, and of no other")
    func listed() {
        var (front, worker, running) = FrontHarness.running(slots: 1)
        let waiting = front.submit(1, loader: "slow")
        worker.take(front.settle())
        let shown = [running, waiting].map { job -> JobID? in
            if case .job(let job)? = front.machine.item("job/\(job)", of: .jobs) { job.id } else { nil }
        }
        #expect(shown == [running, nil])
    }

    @Test("who observes a job is told of each thing that happens to it, and of nothing where nothing does")
    func eachChange() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        let job = front.submit(1, loader: "slow")
        front.handle(.topicObserved(.job(job), true))
        front.settle()
        front.follow()
        func isTold() -> Bool {
            worker.take(front.settle())
            return front.path().contains { $0.hasPrefix("changed ") && $0.contains("job/\(job) job") }
        }
        #expect(!isTold())
        for request in [JobRequest.reprioritize(job, priority: 9), .delay(job, .after(.seconds(1)))] {
            #expect(front.ask(.job(request)) == .done(version: 0))
            #expect(isTold(), "\(request)")
        }
        front.pass(milliseconds: 1_000)
        #expect(isTold(), "its time has come")
        for request in [PauseRequest.begin(.loader("slow"), reason: "", length: nil), .end(.loader("slow"))] {
            #expect(front.ask(.pause(request)) == .done(version: 0))
            #expect(isTold(), "\(request)")
        }
        worker.register(with: &front, slots: 1)
        #expect(isTold(), "it is granted")
        let lease = LeaseID(worker.held.first?.lease ?? 0)
        _ = worker.send(.cancelStep(lease, .timedOut), to: &front)
        #expect(isTold(), "its run has had its time")
        #expect(front.ask(.job(.cancel(job))) == .cancelling(job))
        #expect(isTold(), "its cancel is asked for")
        _ = worker.send(.cancelStep(lease, .stopping), to: &front)
        #expect(isTold(), "it is stopping")
        worker.end(job.rawValue, .cancelled, in: &front)
        #expect(isTold(), "it has ended")
        #expect(!isTold())
    }

    @Test("what is observed of a job beside the counts changes with it")
    func observed() {
        var (front, worker, job) = FrontHarness.running()
        front.handle(.topicObserved(.job(job), true))
        let report = WorkerMessage.ProgressReport(job: job, lease: LeaseID(worker.held[0].lease), progress: JobProgress(percent: 7))
        _ = worker.send(.progress([report]), to: &front)
        #expect(front.decided == ["changed job/1 progress"])
        #expect(
            worker.end(job.rawValue, in: &front).lines == [
                "entry ended 1 succeeded", "client 7: answers 1 succeeded",
                "changed job/1 job, job/1 progress, jobs job/1, workers worker/1",
            ])
    }

    @Test("over the bound of the queue nothing is accepted, and only the refusal is kept")
    func bound() {
        var front = FrontHarness { $0.bounds.queuedJobs = 3 }
        front.open()
        #expect(front.submit(3) != .none && front.submit(1) == .none)
        #expect(front.decided == ["entry replyRetained 2 refused busy", "client 7: reply 2 refused busy"])
    }

    @Test("a repeated request is answered as before, and nothing else")
    func repeated() {
        var front = FrontHarness()
        front.open()
        let message = ClientMessage.submit(
            .init(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "noop", arguments: [[]]))
        let first = front.send(message)
        #expect(front.send(message) == first.filter { if case .send = $0 { true } else { false } })
        #expect(front.decided == ["client 7: reply 1 jobsAccepted 1 and 0 more"])
    }

    @Test("at the end of the turn the job is granted, and one more end of a turn decides nothing")
    func granted() {
        var (front, worker) = FrontHarness.serving()
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        #expect(front.decided == ["entry granted 1 to worker 1", "worker 1: grant 1", "changed jobs counts, jobs job/1, workers worker/1"])
        front.settle()
        #expect(front.decided == [])
    }

    @Test("an end is one entry, its session is told at once, the worker when it has waited a moment for a grant to go with")
    func ended() {
        var (front, worker, job) = FrontHarness.running()
        #expect(
            worker.end(job.rawValue, result: [1], in: &front).lines == [
                "entry ended 1 succeeded", "client 7: answers 1 succeeded", "changed jobs job/1, workers worker/1",
            ])
        front.pass(milliseconds: 20)
        front.settle()
        #expect(front.decided == ["worker 1: settled 1"])
        front.pass(milliseconds: 20)
        front.settle()
        #expect(front.decided == [])
    }

    @Test("a report is acknowledged before the next grant, both to the same worker")
    func acknowledgedWithGrant() {
        var (front, worker, job) = FrontHarness.running()
        worker.end(job.rawValue, in: &front)
        _ = front.submit(1)
        front.settle()
        #expect(front.decided == ["entry granted 2 to worker 1", "worker 1: settled 1", "worker 1: grant 2", "changed workers worker/1"])
    }

    @Test("a failure is kept with its code; who asked for no outcomes is told none")
    func failed() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", reports: false, on: &worker)
        let failure = Failure(code: .httpStatus, text: "the origin answered 503")
        #expect(
            worker.end(job.rawValue, .failed, failure: failure, in: &front).lines == [
                "entry ended 1 failed: httpStatus", "changed jobs job/1, workers worker/1",
            ])
    }

    @Test("a report that comes twice ends its job once, and is late and counted the second time")
    func repeatedReport() {
        var (front, worker, job) = FrontHarness.running()
        var ended = WorkerMessage.Ended(report: 1)
        (ended.jobs, ended.leases) = ([job.rawValue], [worker.held[0].lease])
        (ended.outcomes, ended.results) = ([.succeeded], [[]])
        _ = worker.send(.ended(ended), to: &front)
        #expect(front.decided == ["entry ended 1 succeeded", "changed jobs job/1, workers worker/1"])
        _ = worker.send(.ended(ended), to: &front)
        #expect(front.decided == ["changed front front, workers worker/1"])
        #expect(front.late == [.leaseNotHeld: 1])
    }

    @Test("progress, lines and refusals of grants under leases that the worker does not hold are late, each of them")
    func strangeLeases() {
        var (front, worker, job) = FrontHarness.running()
        let other = LeaseID(worker.held[0].lease + 1)
        _ = worker.send(.progress([.init(job: job, lease: other, progress: JobProgress(percent: 5))]), to: &front)
        #expect(front.late == [.leaseNotHeld: 1])
        _ = worker.send(.refusedGrants(.init(leases: [other.rawValue, other.rawValue + 1], code: .busy, reason: "busy")), to: &front)
        #expect(front.late == [.leaseNotHeld: 3])
        _ = worker.send(.log((0..<2).map { _ in .init(job: job, lease: other, log: JobLog()) }), to: &front)
        #expect(front.late == [.leaseNotHeld: 5])
    }

    @Test("a grant that comes back unstarted is an entry; the job is granted again after the next renewal, not at once")
    func returned() {
        var (front, worker, job) = FrontHarness.running()
        #expect(
            worker.end(job.rawValue, .returned, in: &front).lines == [
                "entry attemptsEnded 1: returned", "changed jobs job/1, workers worker/1",
            ])
        _ = worker.renew(&front)
        #expect(front.decided == ["worker 1, at once: renewed 1"])
        front.settle()
        #expect(
            front.decided == [
                "entry granted 1 to worker 1", "worker 1: settled 1", "worker 1: grant 1", "changed jobs job/1, workers worker/1",
            ])
    }
}
