//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Jobs that are tried again")
struct RetryTests {
    private static let unreachable = Failure(code: .unreachable, text: "the origin does not answer: try later", retryable: true)

    /// Pauses of exactly a second, two, four and so on.
    private static let exact = RetryRule(attempts: 3, backOff: BackOff(hasJitter: false))

    /// A front and a worker of one slot that runs a job of that rule.
    private func running(_ rule: RetryRule = exact, loader: String = "slow") -> (FrontHarness, WorkerHarness, JobID) {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let job = front.submit(1, loader: loader, JobOptionsColumn(JobOptions(retry: rule)))
        worker.take(front.settle())
        return (front, worker, job)
    }

    /// The worker's loader fails the job.
    private func fail(
        _ job: JobID, _ worker: inout WorkerHarness, _ front: inout FrontHarness, with failure: Failure = unreachable
    ) {
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
    }

    private func pass(_ milliseconds: Int64, _ worker: inout WorkerHarness, _ front: inout FrontHarness) {
        front.pass(milliseconds: milliseconds)
        _ = worker.renew(&front)
        worker.take(front.settle())
    }

    @Test("who asks why learns that a loader that is declared not repeatable has one attempt, whatever was asked")
    func notRepeatable() {
        func lines(_ rule: RetryRule, _ loader: String) -> [String] {
            var (front, _, job) = running(rule, loader: loader)
            guard case .explanation(let told)? = front.ask(.job(.explain(job))) else { return [] }
            return told.timeline.filter { $0.contains("repeatable") }
        }
        let once = "its loader is declared not repeatable: it has one attempt that may fail"
        #expect(lines(RetryRule(attempts: 3), "once") == [once + "; what is said of attempts (3 attempts) is not followed"])
        #expect(lines(RetryRule(), "once") == [once] && lines(RetryRule(attempts: 3), "slow") == [])
    }

    @Test("a failed attempt is followed by another one when its pause is over and not before, each pause twice the one before")
    func pauses() {
        var (front, worker, job) = running()
        for pause in [1_000, 2_000] as [Int64] {
            fail(job, &worker, &front)
            let summary = front.job(job)
            #expect(summary?.state == .scheduled && summary?.failure?.code == .unreachable)
            #expect(summary?.waitReason == .backedOff(until: front.now.wall.advanced(by: .milliseconds(pause))))
            #expect(summary?.dueAt == front.now.wall.advanced(by: .milliseconds(pause)))
            pass(pause - 1, &worker, &front)
            #expect(worker.held.isEmpty)
            pass(1, &worker, &front)
            #expect(worker.held.map(\.job) == [job.rawValue])
            #expect(front.job(job)?.failure?.code == .unreachable)
        }
        fail(job, &worker, &front)
        let ended = front.job(job)
        #expect(ended?.state == .failed && ended?.attempts == 3 && ended?.failure?.attempts == 3 && ended?.dueAt == nil)
        #expect(front.machine.state.jobs.lastFailures.isEmpty)
        // The last attempt is followed by none, and an attempt that is tried again waits again for no lost worker.
        #expect(front.counts?.retriedTotal == 2 && front.counts?.requeuedTotal == 0)
        var stored = FrontHarness().machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(UInt64(front.entries.count)), isSlice: true)
        for (index, entry) in front.entries.enumerated() { stored.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false) }
        #expect(front.restarted().counts?.retriedTotal == 2 && stored.state.jobs.counts.retriedTotal == 2)
    }

    @Test("no step of the wall clock moves the next attempt", arguments: [3_600_000, FrontHarness.year, -FrontHarness.year])
    func steps(of step: Int64) {
        var (front, worker, job) = running()
        fail(job, &worker, &front)
        front.setWallClock(milliseconds: step)
        front.settle()
        #expect(front.job(job)?.waitReason == .backedOff(until: front.now.wall.advanced(by: .seconds(1))))
        pass(999, &worker, &front)
        #expect(worker.held.isEmpty)
        pass(1, &worker, &front)
        #expect(worker.held.map(\.job) == [job.rawValue])
    }

    @Test("each attempt is granted, fails and is granted again, and only the last one is an end that its session is told")
    func wholePath() {
        var (front, worker, job) = running(RetryRule(attempts: 2, backOff: BackOff(hasJitter: false)))
        front.handle(.topicObserved(.job(job), true))
        front.follow()
        fail(job, &worker, &front)
        #expect(front.path() == ["entry attemptsEnded 1: failed", "changed job/1 job, jobs job/1, workers worker/1"])
        pass(999, &worker, &front)
        #expect(front.path() == ["worker 1, at once: renewed 1", "worker 1: settled 1", "changed jobs counts"])
        pass(1, &worker, &front)
        #expect(
            front.path() == [
                "worker 1, at once: renewed 2", "entry jobsDue 1", "entry granted 1 to worker 1", "worker 1: grant 1",
                "changed job/1 job, jobs job/1, workers worker/1",
            ])
        fail(job, &worker, &front)
        #expect(
            front.path() == [
                "entry ended 1 failed: unreachable", "changed job/1 job, jobs job/1, workers worker/1", "client 7: answers 1 failed",
            ])
    }

    @Test("a worker is told how long an attempt may take: of each job in a grant where one has a time, and nothing where none has")
    func attemptTimeouts() {
        var (front, worker) = FrontHarness.serving(slots: 3, prefetch: 0)
        func timeouts(_ actions: [FrontAction]) -> [[UInt64]] {
            actions.compactMap { if case .grant(let grant)? = worker.message(in: $0) { grant.attemptTimeouts } else { nil } }
        }
        _ = front.submit(1, loader: "slow")
        #expect(timeouts(front.settle()) == [[]])
        let limited = JobOptions(attemptTimeout: .milliseconds(1_500))
        _ = front.submit(2, loader: "slow", JobOptionsColumn([JobOptions(), limited]))
        #expect(timeouts(front.settle()).flatMap { $0 } == [0, 1_500])
        #expect(front.machine.state.termsMiscount == nil)
    }

    @Test("what ends a job at once: a failure that will be the same, a loader that is not asked twice, one attempt")
    func finals() {
        let lasting = Failure(code: .invalidData, text: "the body is no JSON", retryable: false)
        for (rule, loader, failure) in [
            (Self.exact, "slow", lasting), (Self.exact, "once", Self.unreachable), (RetryRule(attempts: 1), "slow", Self.unreachable),
        ] {
            var (front, worker, job) = running(rule, loader: loader)
            fail(job, &worker, &front, with: failure)
            #expect(front.job(job)?.state == .failed && front.job(job)?.failure?.text == failure.text, "\(loader) \(rule)")
        }
    }

    @Test("a job for which nothing is asked has five attempts, and each pause is drawn below its most")
    func usual() {
        var (front, worker, job) = running(RetryRule())
        for most in [1_000, 2_000, 4_000, 8_000] as [Int64] {
            fail(job, &worker, &front)
            let due = front.job(job)?.dueAt
            #expect(due.map { (.zero ... .milliseconds(most)).contains($0.duration(since: front.now.wall)) } == true)
            pass(most, &worker, &front)
            #expect(worker.held.count == 1)
        }
        fail(job, &worker, &front)
        #expect(front.job(job)?.state == .failed && front.job(job)?.attempts == 5)
    }

    @Test("jobs that failed together do not come back together, and each comes back at the same time however often that is reckoned")
    func jitter() {
        let rule = RetryRule()
        let pauses = (1...1_000).map { rule.pause(of: JobID($0), after: 4, .unreachable, asked: nil) }
        #expect(pauses == (1...1_000).map { rule.pause(of: JobID($0), after: 4, .unreachable, asked: nil) })
        #expect(pauses.allSatisfy { (.zero ... .seconds(8)).contains($0) })
        // About a hundred in each tenth: far from both bounds for a fair draw.
        let tenths = Dictionary(grouping: pauses) { Int($0.inSeconds / 0.8001) }
        #expect(tenths.count == 10 && tenths.values.allSatisfy { (60...140).contains($0.count) })
    }

    @Test("a source that asks to be left alone is left alone for so long and up to a tenth more, for an hour at most")
    func asked() {
        let rule = RetryRule(backOff: BackOff(first: .milliseconds(1), longest: .milliseconds(1)))
        for (asked, most) in [(Duration.seconds(60), Duration.seconds(66)), (.seconds(7_200), .seconds(3_960))] {
            let pauses = (1...100).map { rule.pause(of: JobID($0), after: 1, .unreachable, asked: asked) }
            #expect(pauses.allSatisfy { (min(asked, .seconds(3_600))...most).contains($0) } && Set(pauses).count > 50)
        }
        #expect(Self.exact.pause(of: JobID(1), after: 2, .unreachable, asked: .milliseconds(10)) == .seconds(2))
        var (front, worker, job) = running()
        var busy = Self.unreachable
        busy.retryAfter = .seconds(30)
        fail(job, &worker, &front, with: busy)
        for _ in 0..<29 { pass(1_000, &worker, &front) }
        #expect(worker.held.isEmpty)
        for _ in 0..<4 { pass(1_000, &worker, &front) }
        #expect(worker.held.count == 1)
    }

    @Test("the longest pause is never passed, however often a job was tried")
    func longest() {
        let rule = RetryRule(attempts: 1_000, backOff: BackOff(first: .milliseconds(3), longest: .seconds(86_400), hasJitter: false))
        #expect(rule.pause(of: JobID(1), after: 1, .unreachable, asked: nil) == .milliseconds(3))
        #expect(rule.pause(of: JobID(1), after: 11, .unreachable, asked: nil) == .milliseconds(3 << 10))
        for attempts in [26, 40, 1_000, UInt32.max] {
            #expect(rule.pause(of: JobID(1), after: attempts, .unreachable, asked: nil) == .seconds(86_400))
        }
    }

    @Test("a restart and a checkpoint keep when a job is tried again, and what it failed with")
    func restart() throws {
        var front = FrontHarness { $0.boot = BootInstant(id: "one", uptime: .seconds(1)) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 1)
        let job = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(retry: Self.exact)))
        worker.take(front.settle())
        fail(job, &worker, &front)
        pass(400, &worker, &front)
        var restarted = front.restarted()
        #expect(restarted.job(job)?.failure?.code == .unreachable && restarted.job(job)?.attempts == 1)
        #expect(front.machine.state.image.difference(from: restarted.machine.state.image, withJobs: true) == nil)
        var stored = FrontState()
        for entry in front.machine.state.baseEntries() + front.machine.state.jobs.entries(of: [job.rawValue]) {
            stored.restore(entry, of: TurnNumber(9), isSlice: true)
        }
        #expect(stored.jobs.failure(of: job.rawValue)?.code == .unreachable && stored.bytes == stored.recountedBytes)
        #expect(stored.jobs[job.rawValue].due == front.machine.state.jobs[job.rawValue].due)
        worker = WorkerHarness(2)
        worker.register(with: &restarted)
        worker.take(restarted.settle())
        pass(599, &worker, &restarted)
        #expect(worker.held.isEmpty)
        pass(1, &worker, &restarted)
        #expect(worker.held.map(\.job) == [job.rawValue])
        worker.end(job.rawValue, in: &restarted)
        #expect(restarted.job(job)?.state == .succeeded && restarted.job(job)?.failure == nil && restarted.job(job)?.attempts == 2)
    }

    @Test("while its pause goes on a job can be tried at once, be moved and be cancelled")
    func moves() {
        let (before, worker, job) = running()
        var (front, idle) = (before, worker)
        fail(job, &idle, &front)
        let failed = (front: front, worker: idle)
        front.follow()
        #expect(front.ask(.job(.promote(job))) == .done(version: 0))
        idle.take(front.settle())
        #expect(
            front.path() == [
                "entry jobsDue 1", "entry replyRetained 2 done", "client 7: reply 2 done", "entry granted 1 to worker 1",
                "worker 1: settled 1", "worker 1: grant 1", "changed jobs job/1, workers worker/1",
            ])
        #expect(front.job(job)?.attempts == 2)
        (front, idle) = failed
        #expect(front.ask(.job(.delay(job, .after(.seconds(5))))) == .done(version: 0))
        pass(4_999, &idle, &front)
        #expect(idle.held.isEmpty)
        pass(1, &idle, &front)
        #expect(idle.held.count == 1)
        (front, idle) = failed
        front.follow()
        #expect(front.ask(.job(.cancel(job))) == .cancelling(job))
        front.settle()
        #expect(
            front.path() == [
                "entry cancelRequested 1", "entry ended 1 cancelled", "entry replyRetained 2 cancelling 1",
                "client 7: reply 2 cancelling 1", "client 7: answers 1 cancelled",
            ])
        #expect(front.job(job)?.state == .cancelled && front.machine.state.jobs.lastFailures.isEmpty)
        #expect(front.machine.state.bytes == front.machine.state.recountedBytes)
    }

    @Test("a failure that comes after a cancel is the end of the job")
    func cancelled() {
        var (front, worker, job) = running()
        #expect(front.ask(.job(.cancel(job))) == .cancelling(job))
        front.follow()
        fail(job, &worker, &front)
        #expect(front.path() == ["entry ended 1 cancelled", "changed jobs job/1, workers worker/1", "client 7: answers 1 cancelled"])
    }

    @Test("the loss of a worker is no failure, and uses up no attempt")
    func lost() {
        var (front, _, job) = running(RetryRule(attempts: 2, backOff: BackOff(hasJitter: false)))
        front.pass(milliseconds: 5_500)
        front.settle()
        var other = WorkerHarness(2)
        other.register(with: &front, slots: 1)
        other.take(front.settle())
        #expect(front.job(job)?.attempts == 2)
        fail(job, &other, &front)
        #expect(front.job(job)?.state == .scheduled && front.job(job)?.failure?.attempts == 1)
        #expect(front.job(job)?.dueAt == front.now.wall.advanced(by: .seconds(1)))
        pass(1_000, &other, &front)
        fail(job, &other, &front)
        #expect(front.job(job)?.state == .failed)
    }

    @Test("beyond as many jobs as failed ones are kept, no sentence is kept of one that is tried again")
    func manyFailures() {
        var front = FrontHarness { $0.bounds.retention[.failed].count = 1 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let first = front.submit(2, loader: "slow", JobOptionsColumn(JobOptions(retry: Self.exact)))
        worker.take(front.settle())
        for job in [first, first.advanced(by: 1)] { fail(job, &worker, &front) }
        #expect(front.job(first)?.failure?.text == Self.unreachable.text && front.job(first.advanced(by: 1))?.failure?.text.isEmpty == true)
        #expect(front.job(first.advanced(by: 1))?.failure?.code == .unreachable)
    }

    @Test("a rank counts from when the next attempt may begin: who came meanwhile goes before it")
    func rank() {
        var (front, worker, job) = running()
        fail(job, &worker, &front)
        front.pass(milliseconds: 500)
        let other = front.submit(2, loader: "slow")
        worker.take(front.settle())
        _ = worker.renew(&front)
        front.pass(milliseconds: 600)
        front.settle()
        worker.take(worker.end(other.rawValue, in: &front))
        #expect(worker.held.map(\.job) == [other.rawValue + 1])
        worker.take(worker.end(other.rawValue + 1, in: &front))
        #expect(worker.held.map(\.job) == [job.rawValue])
    }

    @Test("of what a job failed with little is kept while it is tried again")
    func brief() {
        var (front, worker, job) = running()
        let long = Failure(
            code: .loaderFailed, text: String(repeating: "é", count: 2_000), arguments: ["a", "b"], retryable: true,
            retryAfter: .seconds(1))
        fail(job, &worker, &front, with: long)
        #expect(front.machine.state.jobs.lastFailures[job.rawValue]?.roughByteCount == 256)
        pass(2_000, &worker, &front)
        fail(job, &worker, &front, with: long)
        pass(4_000, &worker, &front)
        fail(job, &worker, &front, with: long)
        #expect(front.job(job)?.failure?.text == long.text && front.job(job)?.failure?.arguments == ["a", "b"])
        #expect(front.machine.state.bytes == front.machine.state.recountedBytes)
    }

    @Test("rules that cannot be are refused with what is wrong with them")
    func faults() {
        func fault(_ rule: RetryRule) -> String { JobOptions(retry: rule).fault ?? "" }
        #expect(fault(RetryRule()).isEmpty && fault(RetryRule(attempts: 1_000)).isEmpty)
        #expect(fault(RetryRule(attempts: 0)) == "a job has 1 to 1,000 attempts, not 0")
        #expect(fault(RetryRule(attempts: 1_001)) == "a job has 1 to 1,000 attempts, not 1001")
        #expect(fault(RetryRule(backOff: BackOff(first: .zero))) == "a back-off is 1 ms or more, and at most a day")
        #expect(fault(RetryRule(backOff: BackOff(longest: .seconds(86_401)))) == "a back-off is 1 ms or more, and at most a day")
        let falling = BackOff(first: .seconds(9), longest: .seconds(3))
        #expect(fault(RetryRule(backOff: falling)).hasPrefix("the longest back-off, "))
        var (front, worker) = FrontHarness.serving()
        let reply = front.askSubmit(1, loader: "slow", JobOptionsColumn(JobOptions(retry: RetryRule(attempts: 0))))
        worker.take(front.settle())
        guard case .refused(let failure, _)? = reply else { return #expect(Bool(false), "\(String(describing: reply))") }
        #expect(failure.code == .invalidData && worker.held.isEmpty)
    }
}
