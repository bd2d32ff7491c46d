//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Jobs that wait for their time")
struct ScheduledJobTests {
    private func front(_ change: (inout FrontSettings) -> Void = { _ in }) -> FrontHarness {
        var front = FrontHarness {
            $0.boot = BootInstant(id: "one", uptime: .seconds(1))
            change(&$0)
        }
        front.open()
        return front
    }

    private func submit(_ front: inout FrontHarness, _ start: JobStart, priority: UInt8 = 5, loader: String = "slow") -> JobID {
        front.submit(1, loader: loader, JobOptionsColumn(JobOptions(priority: priority, start: start)))
    }

    private func state(_ front: FrontHarness, _ job: JobID) -> JobState? { front.machine.state.jobs.state(of: job.rawValue) }

    /// The order in which a worker with one slot gets the jobs that wait.
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

    @Test("a job with a delay is granted when that is over and not a millisecond before, also after a restart")
    func delay() {
        var front = front()
        let job = submit(&front, .after(.milliseconds(1_500)))
        front.settle()
        #expect(state(front, job) == .scheduled && order(front).isEmpty)
        #expect(front.machine.state.jobs.counts.scheduled == 1 && front.machine.state.jobs.counts.waiting == 0)
        front.pass(milliseconds: 1_499)
        front.settle()
        #expect(state(front, job) == .scheduled)
        var restarted = front.restarted()
        for front in [front, restarted] { #expect(order(front).isEmpty) }
        front.pass(milliseconds: 1)
        restarted.pass(milliseconds: 1)
        front.settle()
        restarted.settle()
        for front in [front, restarted] {
            #expect(state(front, job) == .waiting && order(front) == [job])
            #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
        }
    }

    @Test("time in which no front runs counts, and another boot begins what was left anew")
    func boots() {
        func begin(_ boot: String) -> FrontHarness {
            var front = front { $0.boot = BootInstant(id: boot, uptime: .seconds(1)) }
            front.settings.boot = BootInstant(id: boot, uptime: .nanoseconds(front.now.monotonic.nanoseconds))
            return front
        }
        var before = begin("one")
        let job = submit(&before, .after(.seconds(10)))
        before.settle()
        before.pass(milliseconds: 9_000)
        var same = before.restarted()
        same.pass(milliseconds: 1_000)
        same.settle()
        #expect(state(same, job) == .waiting)
        var other = before
        other.settings.boot = BootInstant(id: "two", uptime: .nanoseconds(other.now.monotonic.nanoseconds))
        other = other.restarted()
        other.pass(milliseconds: 9_999)
        other.settle()
        #expect(state(other, job) == .scheduled)
        other.pass(milliseconds: 1)
        other.settle()
        #expect(state(other, job) == .waiting)
    }

    @Test("the first boot, and a later one whose clock shows less, show when a delay ends, and end it then")
    func laterBoot() {
        var first = front { $0.boot = BootInstant(id: "one", uptime: .seconds(1)) }
        first.pass(milliseconds: 1_000_000)
        let job = submit(&first, .after(.seconds(10)))
        #expect(first.job(job)?.dueAt == first.now.wall.advanced(by: .seconds(10)))
        var later = first
        later.now = FrontTime(monotonic: MonotonicTime(nanoseconds: 5_000_000_000), wall: first.now.wall.advanced(by: .seconds(60)))
        later.settings.boot = BootInstant(id: "two", uptime: .seconds(5))
        later = later.restarted()
        #expect(later.job(job)?.dueAt == later.now.wall.advanced(by: .seconds(10)))
        later.pass(milliseconds: 9_999)
        later.settle()
        #expect(state(later, job) == .scheduled)
        later.pass(milliseconds: 1)
        later.settle()
        #expect(state(later, job) == .waiting)
    }

    @Test(
        "no step of the wall clock moves the end of a delay; a point comes as soon as the wall clock shows it",
        arguments: [7_200_000, FrontHarness.year, -FrontHarness.year])
    func steps(of step: Int64) {
        var front = front()
        let delayed = submit(&front, .after(.seconds(60)))
        let dated = submit(&front, .at(front.now.wall.advanced(by: .seconds(7_200))))
        front.settle()
        let shown = front.job(delayed)?.dueAt
        #expect(shown == front.now.wall.advanced(by: .seconds(60)))
        front.setWallClock(milliseconds: step)
        front.settle()
        front.pass(milliseconds: 1)
        front.settle()
        #expect(state(front, delayed) == .scheduled && state(front, dated) == (step > 0 ? .waiting : .scheduled))
        #expect(front.job(delayed)?.dueAt == front.now.wall.advanced(by: .milliseconds(59_999)))
        front.pass(milliseconds: 59_999)
        front.settle()
        #expect(state(front, delayed) == .waiting)
    }

    @Test("who observes a job that has a time is told when the wall clock is set, by which it is shown; of other jobs nothing is said")
    func shownTimes() {
        var front = front()
        let delayed = submit(&front, .after(.seconds(60)))
        let plain = submit(&front, .now)
        let limited = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(totalTimeout: .seconds(60))))
        for job in [delayed, plain, limited] { front.handle(.topicObserved(.job(job), true)) }
        front.settle()
        front.setWallClock(milliseconds: 7_200_000)
        #expect(front.decided == ["changed job/\(delayed) job, job/\(limited) job"])
        #expect(front.job(delayed)?.dueAt == front.now.wall.advanced(by: .seconds(60)))
        #expect(front.job(limited)?.endsBy == front.now.wall.advanced(by: .seconds(60)))
    }

    @Test("its place in line counts from its time: behind what waited before, before what came after, each by its priority")
    func rank() {
        var front = front()
        let first = submit(&front, .after(.seconds(10)))
        let urgent = submit(&front, .after(.seconds(10)), priority: 6)
        front.pass(milliseconds: 5_000)
        let early = submit(&front, .now)
        front.settle()
        front.pass(milliseconds: 5_000)
        front.settle()
        front.pass(milliseconds: 1_000)
        let late = submit(&front, .now)
        #expect(order(front) == [urgent, early, first, late])
        #expect(order(front.restarted()) == [urgent, early, first, late])
    }

    @Test("a time that is over is now, and the reply says of how many that is so")
    func overdue() {
        var front = front()
        let past = JobOptions(start: .at(front.now.wall.advanced(by: .seconds(-5))))
        let future = JobOptions(start: .at(front.now.wall.advanced(by: .seconds(5))))
        let reply = front.askSubmit(3, loader: "slow", JobOptionsColumn([past, future, past]))
        #expect(reply == .jobsAccepted(first: JobID(1), count: 3, dueNow: 2))
        #expect(
            front.decided == [
                "entry jobsAccepted 1 2 3", "entry replyRetained 1 jobsAccepted 1 and 2 more, 2 due now",
                "client 7: reply 1 jobsAccepted 1 and 2 more, 2 due now",
            ])
        #expect((1...3).map { state(front, JobID($0)) } == [.waiting, .scheduled, .waiting])
    }

    @Test("promote makes a job due now, delay moves it, and what waits already can be moved too")
    func moved() {
        var front = front()
        let job = submit(&front, .after(.seconds(100)))
        let other = submit(&front, .now)
        front.pass(milliseconds: 1)
        front.follow()
        #expect(front.ask(.job(.promote(job))) == .done(version: 0))
        #expect(front.path() == ["entry jobsDue 1", "entry replyRetained 3 done", "client 7: reply 3 done"])
        #expect(order(front) == [other, job])
        #expect(front.ask(.job(.promote(job))) == .done(version: 0))
        #expect(front.ask(.job(.delay(other, .after(.seconds(5))))) == .done(version: 0))
        #expect(
            front.path() == [
                "entry replyRetained 4 done", "client 7: reply 4 done", "entry jobDelayed 2", "entry replyRetained 5 done",
                "client 7: reply 5 done",
            ])
        #expect(order(front) == [job] && order(front.restarted()) == [job])
        #expect(front.ask(.job(.delay(other, .at(front.now.wall.advanced(by: .seconds(50)))))) == .done(version: 0))
        front.pass(milliseconds: 49_999)
        front.settle()
        #expect(order(front) == [job])
        front.pass(milliseconds: 1)
        front.settle()
        #expect(order(front) == [job, other] && front.machine.state.jobs.scheduled.count == 0)
        #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
    }

    @Test("a scheduled job can be cancelled and gets another priority; it keeps that when its time comes")
    func changed() {
        var front = front()
        let cancelled = submit(&front, .after(.seconds(10)))
        let jobs = (0..<2).map { _ in submit(&front, .after(.seconds(10))) }
        front.follow()
        #expect(front.ask(.job(.cancel(cancelled))) == .cancelling(cancelled))
        #expect(front.ask(.job(.reprioritize(jobs[1], priority: 9))) == .done(version: 0))
        front.settle()
        #expect(
            front.path() == [
                "entry cancelRequested 1", "entry ended 1 cancelled", "entry replyRetained 4 cancelling 1",
                "client 7: reply 4 cancelling 1", "entry termsChanged 3", "entry replyRetained 5 done", "client 7: reply 5 done",
                "client 7: answers 1 cancelled", "changed jobs counts",
            ])
        #expect(state(front, jobs[1]) == .scheduled)
        front.pass(milliseconds: 10_000)
        front.settle()
        #expect(front.path() == ["entry jobsDue 2 3", "changed jobs counts"])
        #expect(order(front) == [jobs[1], jobs[0]])
    }

    @Test("what cannot be moved is refused by name, and so is a time that is none")
    func refusals() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let running = front.run(1, loader: "slow", on: &worker)
        func text(_ reply: Reply?, _ code: FailureCode) -> String {
            guard case .refused(let failure, .zero)? = reply, failure.code == code else { return "\(String(describing: reply))" }
            return failure.text
        }
        let only = "only waiting and scheduled jobs can be moved"
        #expect(text(front.ask(.job(.delay(running, .after(.seconds(1))))), .conflict) == "job \(running) is running: \(only)")
        #expect(text(front.ask(.job(.promote(running))), .conflict) == "job \(running) is running: \(only)")
        worker.end(running.rawValue, in: &front)
        #expect(text(front.ask(.job(.promote(running))), .conflict) == "job \(running) has succeeded: \(only)")
        #expect(front.ask(.job(.promote(JobID(77)))) == .unknownJob(JobID(77)))
        let far = front.now.wall.advanced(by: .seconds(365 * 86_400 + 1))
        let refused = front.askSubmit(1, loader: "slow", JobOptionsColumn(JobOptions(start: .at(far))))
        #expect(text(refused, .invalidData).hasSuffix("is more than 365 days ahead: choose an earlier time"))
        let waiting = front.submit(1, loader: "once")
        #expect(text(front.ask(.job(.delay(waiting, .after(.seconds(366 * 86_400))))), .invalidData) == "a delay is at most 365 days")
        #expect(text(front.ask(.job(.delay(waiting, .after(.seconds(-1))))), .invalidData) == "a delay is not negative")
        #expect(front.machine.state.jobs.counts.scheduled == 0)
    }

    @Test("a feed's job has no time: it is refused, whether it waits for a worker or for another job of its key")
    func feeds() throws {
        var world = FeedWorld()
        let todos = try FeedWorld.key("todos")
        for job in try (0..<2).map({ try world.accept(.feed(todos, .create(item: [UInt8($0)]))) }) {
            for request in [JobRequest.delay(job, .after(.seconds(1))), .promote(job)] {
                guard case .refused(let failure, _)? = world.front.ask(.job(request)) else {
                    Issue.record("\(request) is taken")
                    continue
                }
                #expect(failure.code == .conflict && failure.text == "job \(job) works for a feed: only submitted jobs have a time")
            }
        }
    }

    @Test("who looks at it sees when its time comes and why it waits, and when that has come")
    func shown() throws {
        var front = front()
        let job = submit(&front, .after(.seconds(3)))
        let due = front.now.wall.advanced(by: .seconds(3))
        let summary = try #require(front.job(job))
        #expect(summary.state == .scheduled && summary.dueAt == due && summary.waitReason == .delayed(until: due))
        #expect(summary.options == JobOptions())
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else {
            Issue.record("no explanation")
            return
        }
        #expect(explanation.timeline.last == "waits: its time comes at \(due.rfc3339)" && explanation.placeInLine == nil)
        front.handle(.topicObserved(.job(job), true))
        front.pass(milliseconds: 3_000)
        front.settle()
        #expect(front.decided == ["entry jobsDue 1", "changed job/1 job, jobs counts"])
        #expect(front.job(job)?.dueAt == nil && front.job(job)?.waitReason == .noWorker(loader: "slow"))
    }

    @Test("so many that are due at once become due in turns of a bounded size, those whose time came first before the others")
    func many() {
        var front = front()
        let count = JobQueue.dueAtOnce + 100
        for start in stride(from: 0, to: count, by: 500) {
            let options = (start..<min(start + 500, count)).map { JobOptions(start: .after(.milliseconds(Int64(1 + ($0 * 7) % 10)))) }
            for option in options { _ = front.submit(1, loader: "slow", JobOptionsColumn(option)) }
        }
        front.pass(milliseconds: 20)
        front.settle()
        #expect(front.machine.state.jobs.counts.waiting == UInt64(JobQueue.dueAtOnce))
        let dues = front.entries.compactMap { if case .jobsDue(let due) = $0 { due.jobs } else { nil } }
        #expect(dues.map(\.count) == [JobQueue.dueAtOnce])
        let times = dues[0].map { (($0 - 1) * 7) % 10 }
        #expect(times == times.sorted())
        front.settle()
        #expect(front.machine.state.jobs.counts.scheduled == 0)
    }

    @Test("a queue that is full counts what is scheduled")
    func bound() {
        var front = front { $0.bounds.queuedJobs = 2 }
        _ = submit(&front, .after(.seconds(5)))
        _ = submit(&front, .now)
        guard case .refused(let failure, _)? = front.askSubmit(1, loader: "slow") else {
            Issue.record("a third job was accepted")
            return
        }
        #expect(failure.code == .busy && failure.text.hasPrefix("2 jobs are waiting or scheduled (limit 2)"))
    }

    @Test("a checkpoint stores it with its time, and what is left of that after another boot")
    func checkpoint() {
        var front = front()
        let jobs = [submit(&front, .after(.seconds(5))), submit(&front, .at(front.now.wall.advanced(by: .seconds(9))))]
        var stored = front.restarted(isTakenUp: false)
        stored.machine = FrontMachine(settings: stored.settings, now: stored.now)
        let turn = TurnNumber(UInt64(front.entries.count))
        for entry in front.machine.wholeCheckpoint { stored.machine.restore([entry], of: turn, isSlice: true) }
        for job in jobs {
            #expect(stored.machine.state.jobs[job.rawValue].due == front.machine.state.jobs[job.rawValue].due)
            #expect(state(stored, job) == .scheduled)
        }
        #expect(stored.machine.state.jobs.numbers.lengths == front.machine.state.jobs.numbers.lengths)
        #expect(stored.machine.state.jobs.counts.scheduled == 2)
    }
}
