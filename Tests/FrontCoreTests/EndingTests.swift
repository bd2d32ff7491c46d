//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Jobs that end by the time")
struct EndingTests {
    /// How a job waits when its time comes.
    enum Wait: CaseIterable {
        case inLine, delayed, paused, limited, givenBack, delayedAgain
    }

    private func front() -> FrontHarness {
        var front = FrontHarness { $0.boot = BootInstant(id: "one", uptime: .seconds(1)) }
        front.open()
        return front
    }

    private func submit(_ front: inout FrontHarness, _ options: JobOptions, count: Int = 1) -> JobID {
        front.submit(count, loader: "slow", JobOptionsColumn(options))
    }

    private func state(_ front: FrontHarness, _ job: JobID) -> JobState? { front.machine.state.jobs.state(of: job.rawValue) }

    private func check(_ front: FrontHarness) {
        #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
        #expect(front.machine.state.miscount == nil && front.machine.state.termsMiscount == nil)
    }

    /// A job that waits so, and expires in ten seconds; nobody else runs.
    private func waiting(_ wait: Wait) -> (FrontHarness, WorkerHarness, JobID) {
        var front = front()
        var worker = WorkerHarness(1)
        var options = JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(10)))
        switch wait {
        case .inLine: break
        case .delayed: options.start = .after(.seconds(9))
        case .delayedAgain: options.start = .after(.seconds(1))
        case .paused: _ = front.ask(.pause(.begin(.everything, reason: "", length: nil)))
        case .limited:
            options.limitKeys = [LimitKey("one")]
            _ = front.ask(.limit(.set("one", LimitRule(capacity: 1))))
            worker.register(with: &front, slots: 2, prefetch: 0)
            _ = submit(&front, JobOptions(limitKeys: [LimitKey("one")]))
            worker.take(front.settle())
        case .givenBack: worker.register(with: &front, slots: 1, prefetch: 0)
        }
        let job = submit(&front, options)
        worker.take(front.settle())
        if wait == .givenBack { worker.end(job.rawValue, .returned, in: &front) }
        if wait == .delayedAgain { _ = front.ask(.job(.delay(job, .after(.seconds(3_600))))) }
        return (front, worker, job)
    }

    @Test("a job that has not started expires at its time, not before, however it waits, after a restart too", arguments: Wait.allCases)
    func expires(wait: Wait) {
        var (front, worker, job) = waiting(wait)
        _ = worker
        #expect(front.job(job)?.options.expiresAt == front.now.wall.advanced(by: .seconds(10)))
        front.pass(milliseconds: 9_999)
        _ = worker.send(.renewal(.none, leases: []), to: &front)
        if wait != .inLine, wait != .givenBack { front.settle() }
        #expect(state(front, job)?.isFinal == false)
        var restarted = front.restarted()
        front.pass(milliseconds: 1)
        restarted.pass(milliseconds: 1)
        front.settle()
        restarted.settle()
        for front in [front, restarted] {
            #expect(state(front, job) == .expired && front.counts?.expired == 1)
            #expect(front.job(job)?.failure == nil && front.machine.state.jobs.ending.isEmpty)
            check(front)
        }
    }

    @Test("a job that has started does not expire, tried again or snoozed; one whose time was over while no front ran does not start")
    func started() {
        for outcome in [Outcome.failed, .snoozed] {
            var (front, worker) = FrontHarness.serving(slots: 1)
            let job = submit(&front, JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(1))))
            worker.take(front.settle())
            let failure = Failure(code: .unreachable, text: "no answer: later", retryable: true)
            worker.take(worker.end(job.rawValue, outcome, failure: failure, snooze: 2_000, in: &front))
            front.pass(milliseconds: 1_001)
            front.settle()
            #expect(state(front, job)?.isFinal == false && front.counts?.expired == 0)
        }
        var front = front()
        let job = submit(&front, JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(10))))
        front.settle()
        front.pass(milliseconds: 20_000)
        var next = front.restarted()
        var worker = WorkerHarness(1)
        worker.register(with: &next, slots: 1, prefetch: 0)
        worker.take(next.settle())
        #expect(worker.held.isEmpty && state(next, job) == .expired)
    }

    @Test(
        "a step of the wall clock counts for a job that expires, and not for its total time",
        arguments: [7_200_000, FrontHarness.year, -FrontHarness.year])
    func steps(of step: Int64) {
        var front = front()
        let dated = submit(&front, JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(7_200))))
        let total = submit(&front, JobOptions(totalTimeout: .seconds(60)))
        front.settle()
        front.setWallClock(milliseconds: step)
        front.settle()
        #expect(front.decided == (step > 0 ? ["entry ended 1 expired", "client 7: answers 1 expired"] : []))
        #expect(state(front, dated) == (step > 0 ? .expired : .waiting) && state(front, total) == .waiting)
        #expect(front.job(total)?.endsBy == front.now.wall.advanced(by: .seconds(60)))
        front.pass(milliseconds: 60_000)
        front.settle()
        #expect(front.decided.prefix(2) == ["entry ended 2 failed: timedOut", "client 7: answers 2 failed"])
        #expect(state(front, total) == .failed && front.job(total)?.failure?.code == .timedOut)
        #expect(front.job(total)?.failure?.retryable == false)
    }

    @Test("times that cannot be are refused, naming the next step")
    func refused() {
        var front = front()
        let now = front.now.wall
        let hour = now.advanced(by: .seconds(3_600))
        for (options, text) in [
            (JobOptions(expiresAt: now), "choose a later time to expire at"),
            (JobOptions(expiresAt: now.advanced(by: .seconds(366 * 86_400))), "choose an earlier time to expire at"),
            (JobOptions(start: .at(hour), expiresAt: hour), "let it expire later"),
            (JobOptions(start: .after(.seconds(3_600)), expiresAt: hour), "let it expire later"),
            (JobOptions(totalTimeout: .seconds(31 * 86_400)), "1 ms to 30 days in all"),
            (JobOptions(totalTimeout: .zero), "1 ms to 30 days in all"),
        ] {
            let reply = front.askSubmit(1, loader: "slow", JobOptionsColumn(options))
            guard case .refused(let failure, _)? = reply else {
                Issue.record("\(options.line): \(String(describing: reply))")
                continue
            }
            #expect(failure.code == .invalidData && failure.text.contains(text), "\(failure.text)")
        }
    }

    @Test("the total time counts from the acceptance, or from when the job's time comes first: moved, it begins anew; a retry does not")
    func totalTime() {
        var front = front()
        let (now, total) = (front.now.wall, Duration.seconds(10))
        let plain = submit(&front, JobOptions(totalTimeout: total))
        let delayed = submit(&front, JobOptions(start: .after(.seconds(5)), totalTimeout: total))
        front.settle()
        #expect(front.job(plain)?.endsBy == now.advanced(by: total) && front.job(delayed)?.endsBy == nil)
        front.pass(milliseconds: 7_000)
        // Nobody looked meanwhile: it counts from the time itself.
        front.settle()
        #expect(front.job(delayed)?.endsBy == now.advanced(by: .seconds(15)))
        _ = front.ask(.job(.delay(delayed, .after(.seconds(1)))))
        #expect(front.job(delayed)?.endsBy == nil)
        check(front)
        front.pass(milliseconds: 1_000)
        front.settle()
        #expect(front.job(delayed)?.endsBy == now.advanced(by: .seconds(18)))
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 2, prefetch: 0)
        worker.take(front.settle())
        worker.take(
            worker.end(plain.rawValue, .failed, failure: Failure(code: .unreachable, text: "no answer: later", retryable: true), in: &front)
        )
        #expect(front.job(plain)?.endsBy == now.advanced(by: total))
        check(front)
        var restarted = front.restarted()
        for milliseconds in [1_999, 1] as [Int64] {
            restarted.pass(milliseconds: milliseconds)
            restarted.settle()
        }
        let ended = restarted.job(plain)
        #expect(ended?.state == .failed && ended?.failure?.code == .timedOut && ended?.endsBy == nil)
        let late = "job 1 was not done within its total time-out of 10 s"
        #expect(ended?.failure?.text.contains(late) == true, "\(ended?.failure?.text ?? "")")
        check(restarted)
    }

    @Test("a worker is told how much of its total time a job has left, and what runs beyond it ends as soon as it would wait again")
    func running() {
        var (front, worker) = FrontHarness.serving(slots: 2, prefetch: 0)
        func deadlines(_ actions: [FrontAction]) -> [[UInt64]] {
            actions.compactMap { if case .grant(let grant)? = worker.message(in: $0) { grant.deadlines } else { nil } }
        }
        _ = front.submit(1, loader: "slow")
        #expect(deadlines(front.settle()) == [[]])
        let job = submit(&front, JobOptions(totalTimeout: .seconds(10)))
        front.pass(milliseconds: 400)
        let actions = front.settle()
        #expect(deadlines(actions) == [[9_600]])
        worker.take(actions)
        front.pass(milliseconds: 3_000)
        _ = worker.renew(&front)
        front.pass(milliseconds: 3_000)
        _ = worker.renew(&front)
        front.pass(milliseconds: 3_000)
        _ = worker.renew(&front)
        front.pass(milliseconds: 1_000)
        _ = worker.renew(&front)
        front.settle()
        #expect(state(front, job) == .running)
        front.follow()
        worker.take(worker.end(job.rawValue, .failed, failure: Failure(code: .unreachable, text: "gone", retryable: true), in: &front))
        front.settle()
        #expect(
            front.path() == [
                "entry attemptsEnded 2: failed", "changed jobs job/2, workers worker/1", "entry ended 2 failed: timedOut",
                "client 7: answers 2 failed", "changed jobs counts",
            ])
        #expect(state(front, job) == .failed && front.job(job)?.failure?.code == .timedOut)
        #expect(front.job(job)?.failure?.text.hasSuffix("its last attempt: gone") == true)
    }

    @Test("a snoozed job waits for its time without a used attempt, is counted, and survives a restart and a checkpoint")
    func snooze() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let job = submit(&front, JobOptions(retry: RetryRule(attempts: 1)))
        worker.take(front.settle())
        for count in 1...3 as ClosedRange<UInt32> {
            worker.take(worker.end(job.rawValue, .snoozed, snooze: 1_500, in: &front))
            let summary = front.job(job)
            #expect(summary?.state == .scheduled && summary?.snoozeCount == count && summary?.attempts == 0)
            #expect(summary?.waitReason == .snoozed(until: front.now.wall.advanced(by: .milliseconds(1_500))))
            check(front)
            front.pass(milliseconds: 1_499)
            _ = worker.renew(&front)
            worker.take(front.settle())
            #expect(worker.held.isEmpty)
            front.pass(milliseconds: 1)
            _ = worker.renew(&front)
            worker.take(front.settle())
            #expect(worker.held.map(\.job) == [job.rawValue])
        }
        #expect(front.counts?.snoozedTotal == 3 && front.counts?.requeuedTotal == 0)
        worker.take(worker.end(job.rawValue, .snoozed, snooze: .max, in: &front))
        #expect(front.job(job)?.dueAt == front.now.wall.advanced(by: SnoozeCount.longest))
        var stored = FrontHarness { $0.boot = front.settings.boot }.machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(UInt64(front.entries.count)), isSlice: true)
        for (index, entry) in front.entries.enumerated() { stored.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false) }
        #expect(stored.state.jobs[job.rawValue].snoozeCount == 4 && stored.state.jobs[job.rawValue].isSnoozed)
        #expect(stored.state.jobs.counts.snoozedTotal == 4)
        // Another time is none that its loader asked for.
        _ = front.ask(.job(.delay(job, .after(.seconds(5)))))
        #expect(front.job(job)?.waitReason == .delayed(until: front.now.wall.advanced(by: .seconds(5))))
        check(front)
    }

    @Test("a run whose time is over shows how its stopping comes on, and fails with its worker as if it had stopped; no crash counts")
    func stops() throws {
        var (front, worker) = FrontHarness.serving(slots: 2, prefetch: 0)
        let late = submit(&front, JobOptions(retry: RetryRule(attempts: 2)))
        let other = front.submit(1, loader: "slow")
        worker.take(front.settle())
        let lease = try #require(worker.held.first { $0.job == late.rawValue }).lease
        for (step, line) in [
            (.timedOut, "its loader was asked to stop"), (.killed, "was killed"), (.ending, "its worker ends because of it"),
        ] as [(WorkerMessage.CancelStep, String)] {
            _ = worker.send(.cancelStep(LeaseID(lease), step), to: &front)
            let cancel = front.job(late)?.cancel
            #expect(front.job(late)?.state == .running && cancel?.requestedBy == CancelReceipt.timeOut)
            #expect(cancel?.stepLine?.contains(line) == true, "\(String(describing: cancel))")
        }
        // Nobody has cancelled that one.
        _ = worker.send(.cancelStep(LeaseID(try #require(worker.held.last).lease), .stopping), to: &front)
        #expect(front.job(other)?.cancel == nil)
        _ = worker.send(.draining, to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(late)?.state == .scheduled && front.job(late)?.failure?.code == .timedOut)
        #expect(front.job(late)?.crashCount == 0 && front.job(late)?.cancel == nil && front.counts?.retriedTotal == 1)
        let requeued = front.job(other)
        #expect(requeued?.state == .waiting && requeued?.crashCount == 0 && !front.isSuspected(other) && front.machine.queue.stops.isEmpty)
        check(front)
    }

    @Test("a run that ends by itself though its time was over shows no stopping any more, in bulk and not", arguments: ["noop", "slow"])
    func endsByItself(loader: String) throws {
        var (front, worker, job) = FrontHarness.running(loader)
        _ = worker.send(.cancelStep(LeaseID(try #require(worker.held.first).lease), .timedOut), to: &front)
        #expect(front.job(job)?.cancel?.requestedBy == CancelReceipt.timeOut)
        worker.end(job.rawValue, in: &front)
        #expect(front.job(job)?.state == .succeeded && front.job(job)?.cancel == nil && front.machine.queue.stops.isEmpty)
    }

    @Test("who asks learns with which options a job was accepted, how often its loader has snoozed a job, and that a job has expired")
    func timelines() {
        var (front, worker) = FrontHarness.serving(slots: 1, prefetch: 0)
        func timeline(_ job: JobID) -> [String] {
            guard case .explanation(let told)? = front.ask(.job(.explain(job))) else { return [] }
            return told.timeline
        }
        let job = submit(&front, JobOptions(tags: ["nightly"]))
        #expect(timeline(job).prefix(2) == ["accepted from test", "priority 5, tag nightly"])
        worker.take(front.settle())
        for often in ["once", "2 times"] {
            worker.take(worker.end(job.rawValue, .snoozed, snooze: 1_000, in: &front))
            #expect(timeline(job).contains("snoozed \(often) by its loader, which uses up no attempt"), "\(timeline(job))")
            front.pass(milliseconds: 1_000)
            _ = worker.renew(&front)
            worker.take(front.settle())
        }
        let dated = submit(&front, JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(1))))
        #expect(!timeline(dated).contains("expired: it had not started by then") && worker.held.map(\.job) == [job.rawValue])
        front.pass(milliseconds: 1_000)
        front.settle()
        #expect(timeline(dated).contains("expired: it had not started by then"), "\(timeline(dated))")
    }

    @Test("a run whose time is over ends its job with its worker where no further attempt is left")
    func lastStop() throws {
        var (front, worker) = FrontHarness.serving(slots: 1, prefetch: 0)
        let job = submit(&front, JobOptions(retry: RetryRule(attempts: 1)))
        worker.take(front.settle())
        _ = worker.send(.cancelStep(LeaseID(try #require(worker.held.first).lease), .timedOut), to: &front)
        _ = worker.send(.draining, to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        let ended = front.job(job)
        #expect(ended?.state == .failed && ended?.failure?.code == .timedOut && ended?.failure?.attempts == 1 && ended?.crashCount == 0)
        let text = "the time of job \(job) was over and its work did not stop, so its worker ended: let its loader heed its cancel"
        #expect(ended?.failure?.text == text && front.counts?.failed == 1 && front.counts?.retriedTotal == 0)
        #expect(front.machine.queue.stops.isEmpty)
        check(front)
    }

    @Test("many jobs that expire at once end in as many turns as it takes, and none starts meanwhile that is first among them")
    func many() {
        var front = front()
        let count = JobQueue.dueAtOnce + 10
        _ = submit(&front, JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(1))), count: count)
        let lasting = front.submit(1, loader: "http")
        front.settle()
        front.pass(milliseconds: 1_000)
        // One with room for all comes in that turn.
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 64)
        worker.take(front.settle())
        #expect(front.counts?.expired == UInt64(JobQueue.dueAtOnce) && worker.held.isEmpty)
        #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic } == true)
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [lasting.rawValue])
        #expect(front.counts?.expired == UInt64(count) && front.machine.state.jobs.ending.isEmpty)
    }

    @Test("on a full disk jobs whose time is over end once there is room, which belongs to what runs; until then the loop sleeps")
    func storageFull() {
        var front = front()
        let job = submit(&front, JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(1))))
        let late = submit(&front, JobOptions(totalTimeout: .seconds(1)))
        front.settle()
        front.handle(.storageFull(true))
        front.pass(milliseconds: 5_000)
        front.settle()
        #expect(state(front, job) == .waiting && state(front, late) == .waiting)
        #expect(front.machine.nextDeadline.map { $0 > front.now.monotonic } ?? true)
        front.handle(.storageFull(false))
        front.settle()
        #expect(state(front, job) == .expired && state(front, late) == .failed)
        check(front)
    }

    @Test("a unique key is joined whenever the second one says \"in ten minutes\", and an expired job gives its key back")
    func uniqueKeys() {
        var front = front()
        func ask() -> Reply? {
            let options = JobOptions(uniqueKey: UniqueKey("k"), expiresAt: front.now.wall.advanced(by: .seconds(600)))
            return front.askSubmit(1, loader: "slow", JobOptionsColumn(options))
        }
        guard case .jobsAccepted(let first, _, _, .new)? = ask() else {
            Issue.record("not accepted")
            return
        }
        front.pass(milliseconds: 1_000)
        guard case .jobsAccepted(first, _, _, .joined)? = ask() else {
            Issue.record("not joined")
            return
        }
        front.pass(milliseconds: 599_000)
        front.settle()
        #expect(state(front, first) == .expired)
        guard case .jobsAccepted(let second, _, _, .new)? = ask() else {
            Issue.record("not accepted again")
            return
        }
        #expect(second != first)
    }
}
