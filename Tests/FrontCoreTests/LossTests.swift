//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Workers that are lost")
struct LossTests {
    @Test("a drain is no death: what a draining worker had not finished waits again, uncounted and unsuspected", arguments: [1, 2])
    func draining(jobCount: Int) {
        var (front, worker) = FrontHarness.serving()
        let jobs = (0..<jobCount).map { _ in front.submit(1, loader: "slow") }
        worker.take(front.settle())
        _ = worker.send(.draining, to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.map { front.job($0)?.state } == jobs.map { _ in .waiting })
        #expect(jobs.map { front.job($0)?.crashCount } == jobs.map { _ in 0 })
        #expect(jobs.allSatisfy { front.job($0)?.waitReason == .noWorker(loader: "slow") })
    }

    @Test("five clean stops of everything leave a long job uncounted")
    func stops() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1, loader: "slow")
        for number in UInt64(1)...5 {
            var worker = WorkerHarness(number)
            worker.register(with: &front)
            worker.take(front.settle())
            #expect(worker.held.map(\.job) == [job.rawValue])
            // Everything is stopped, and neither the worker nor its word is ever heard again.
            front = front.restarted()
            front.pass(milliseconds: 5_500)
            front.settle()
        }
        #expect(front.job(job)?.crashCount == 0)
        #expect(front.job(job)?.state == .waiting)
        #expect(front.job(job)?.attempts == 5)
    }

    @Test("what must not run twice has an unknown outcome also where its loss is no death")
    func notRepeatable() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        _ = worker.send(.draining, to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(job)?.failure?.code == .outcomeUnknown)
    }

    /// How a worker comes to its end that runs a job which must not run twice.
    enum End: CaseIterable, Sendable {
        case lost, drainsAndIsLost, askedAndIsLost, askedInAnEarlierEpoch, askedAndDropsIt, stopsItsRun, closes
    }

    @Test("whoever stops a worker reads that it ended before its run had, not that it was lost", arguments: End.allCases)
    func text(end: End) {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        switch end {
        case .lost: break
        case .drainsAndIsLost, .stopsItsRun: _ = worker.send(.draining, to: &front)
        case .askedAndIsLost, .askedInAnEarlierEpoch, .askedAndDropsIt: _ = front.ask(.drainWorker(worker.id))
        case .closes: _ = worker.send(.close(), to: &front)
        }
        if end == .stopsItsRun { worker.end(job.rawValue, .cancelled, in: &front) }
        if end == .askedInAnEarlierEpoch { front = front.restarted() }
        if end == .askedAndDropsIt {
            worker.held = []
            worker.register(with: &front)
        }
        front.pass(milliseconds: 5_500)
        front.settle()
        let what = end == .lost || end == .askedAndDropsIt ? "was lost" : "ended before its run had,"
        #expect(
            front.job(job)?.failure?.text
                == "the worker of job \(job) \(what) and the work may or may not have been done: check it, then submit it again if needed")
        #expect(front.job(job)?.failure?.code == .outcomeUnknown)
    }

    @Test("a close with work in hand is no death")
    func close() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.follow()
        _ = worker.send(.close(), to: &front)
        #expect(front.path() == ["entry attemptsEnded 1: workerClosed", "entry workerLost 1", "changed jobs job/1, workers worker/1"])
        #expect(front.job(job)?.waitReason == .noWorker(loader: "slow"))
    }

    @Test("what must not run twice waits again, uncounted, where its worker closes without having taken the grant")
    func untaken() {
        var (front, worker) = FrontHarness.serving()
        let jobs = (0..<2).map { _ in front.submit(1, loader: "once") }
        worker.take(front.settle())
        _ = worker.send(.draining, to: &front)
        _ = worker.send(.close(takenBelow: LeaseID(worker.held[1].lease)), to: &front)
        #expect(front.job(jobs[0])?.failure?.code == .outcomeUnknown)
        #expect(front.job(jobs[1])?.state == .waiting)
        #expect(front.job(jobs[1])?.attempts == 0 && front.job(jobs[1])?.crashCount == 0)
        let causes = front.entries.compactMap { if case .attemptsEnded(let ended) = $0 { ended.cause } else { nil } }
        #expect(causes == [.unsent])
    }

    @Test("a cancelled job whose worker closes without having taken the grant is cancelled")
    func untakenCancel() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        _ = front.ask(.job(.cancel(job)))
        _ = worker.send(.close(takenBelow: LeaseID(1)), to: &front)
        #expect(front.job(job)?.state == .cancelled)
    }

    @Test("what a worker has listed it has taken, whatever it says as it closes; and who says nothing may have taken all")
    func listed() {
        for (isListed, takenBelow) in [(true, LeaseID(1)), (false, .none)] {
            var (front, worker) = FrontHarness.serving()
            let job = front.run(1, loader: "once", on: &worker)
            if isListed { _ = worker.renew(&front) }
            _ = worker.send(.close(takenBelow: takenBelow), to: &front)
            #expect(front.job(job)?.failure?.code == .outcomeUnknown)
        }
    }

    /// What a worker says under a lease while it runs.
    enum Word: CaseIterable, Sendable { case progress, log, logOnFullDisk, cancelStep, timedOut }

    @Test("what a worker has said something under it has taken, whatever it says as it closes", arguments: Word.allCases)
    func evidence(word: Word) {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        let lease = LeaseID(worker.held[0].lease)
        if word == .logOnFullDisk { front.handle(.storageFull(true)) }
        let message: WorkerMessage =
            switch word {
            case .progress: .progress([.init(job: job, lease: lease, progress: JobProgress(percent: 5))])
            case .log, .logOnFullDisk:
                .log([.init(job: job, lease: lease, log: JobLog([LogLine(attempt: 1, at: WallTime(milliseconds: 1), text: "begun")]))])
            case .cancelStep: .cancelStep(lease, .stopping)
            case .timedOut: .cancelStep(lease, .timedOut)
            }
        _ = worker.send(message, to: &front)
        front.handle(.storageFull(false))
        _ = worker.send(.close(takenBelow: LeaseID(1)), to: &front)
        #expect(front.job(job)?.failure?.code == .outcomeUnknown && front.job(job)?.attempts == 1)
    }

    @Test("that a worker has read past no grant says nothing once it is lost: it may have begun it since")
    func lostAfterRenewal() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        _ = worker.send(.draining, to: &front)
        _ = worker.send(.renewal(RenewalNumber(1), leases: [], readBelow: LeaseID(1)), to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(job)?.failure?.code == .outcomeUnknown)
    }

    @Test("a worker that reregisters and again without a word gives its place back after one lease")
    func silentRegistrations() {
        var front = FrontHarness { $0.bounds.workers = 1 }
        var silent = WorkerHarness(1)
        for _ in 0..<5 {
            silent.epoch = .none
            silent.registrationNumber = .none
            silent.register(with: &front)
            front.pass(milliseconds: 1_000)
            front.settle()
        }
        #expect(front.worker(silent.id) != nil)
        front.pass(milliseconds: 500)
        front.settle()
        #expect(front.worker(silent.id) == nil)
        var other = WorkerHarness(2)
        other.register(with: &front)
        _ = other.renew(&front)
        #expect(front.worker(other.id)?.state == .live)
    }

    @Test("a report that names a job twice ends it once", arguments: [[Outcome.succeeded, .failed], [.failed, .succeeded]])
    func namedTwice(outcomes: [Outcome]) {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        var ended = WorkerMessage.Ended(report: 1)
        ended.jobs = [job.rawValue, job.rawValue]
        ended.leases = [worker.held[0].lease, worker.held[0].lease]
        ended.outcomes = outcomes
        ended.results = [[], []]
        front.follow()
        _ = worker.send(.ended(ended), to: &front) + front.settle()
        let isSuccess = outcomes[0] == .succeeded
        #expect(
            front.path() == [
                "entry ended 1 \(isSuccess ? "succeeded" : "failed: invalidData")", "changed front front, jobs job/1, workers worker/1",
                "client 7: answers 1 \(outcomes[0])",
            ])
        #expect(front.counts?.succeeded == (isSuccess ? 1 : 0) && front.counts?.failed == (isSuccess ? 0 : 1))
        #expect(front.job(job)?.state == (isSuccess ? .succeeded : .failed))
    }

    @Test("each job gets its own failure, in whatever order a report lists them", arguments: [[0, 2], [2, 0]] as [[UInt32]])
    func failuresInAnyOrder(rows: [UInt32]) {
        var (front, worker) = FrontHarness.serving(slots: 3)
        let jobs = (0..<3).map { _ in front.submit(1, loader: "slow") }
        worker.take(front.settle())
        var ended = WorkerMessage.Ended(report: 1)
        ended.jobs = worker.held.map(\.job)
        ended.leases = worker.held.map(\.lease)
        ended.outcomes = [.failed, .succeeded, .failed]
        ended.results = [[], [], []]
        ended.failures = rows.map { Indexed(index: $0, value: Failure(code: .loaderFailed, text: "row \($0)")) }
        _ = worker.send(.ended(ended), to: &front) + front.settle()
        #expect(jobs.map { front.job($0)?.failure?.text } == ["row 0", nil, "row 2"])
    }

    @Test("the oldest running grant is the first one of a run, however often its worker has reregistered")
    func oldestGrant() {
        var (front, worker) = FrontHarness.serving(slots: 2)
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        let begun = front.now.wall
        front.pass(milliseconds: 3_000)
        _ = worker.renew(&front)
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        // It lists the younger one first.
        worker.held.reverse()
        worker.register(with: &front, slots: 2)
        #expect(front.machine.state.oldestGrant == begun)
        let next = front.restarted()
        #expect(next.machine.state.oldestGrant == begun)
    }

    @Test("a feed of which only an ended job is known is no feed after a restart")
    func ghost() throws {
        var front = FrontHarness { $0.bounds.feeds = 1 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let (first, second) = (try #require(FeedKey(text: "items")), try #require(FeedKey(text: "items?parameter=b")))
        _ = front.ask(.feed(first, .load))
        worker.take(front.settle())
        worker.take(worker.end(worker.held[0].job, .failed, failure: Failure(code: .httpStatus, text: "x"), in: &front))
        _ = front.ask(.feed(second, .load))
        #expect(Array(front.machine.state.feeds.order) == [second])
        var other = FrontMachine(settings: front.settings, now: front.now)
        let (base, slice) = (front.machine.state.baseEntries(), front.machine.state.slice(from: 1, chunkLimit: 100))
        other.restore(base, of: TurnNumber(99), isSlice: true)
        other.restore(slice.entries, of: TurnNumber(99), isSlice: true)
        var actions: [FrontAction] = []
        other.start(at: front.now, into: &actions)
        #expect(Array(other.state.feeds.order) == [second])
        #expect(other.state.bytes == front.machine.state.bytes)
    }
}
