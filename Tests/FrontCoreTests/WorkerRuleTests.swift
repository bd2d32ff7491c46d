//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Workers")
struct WorkerRuleTests {
    @Test("a registration that the network repeats after the worker has spoken under its attachment changes nothing")
    func repeatedRegistration() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        _ = worker.renew(&front)
        let current = worker.registrationNumber
        let actions = front.handle(.workerSent(worker.peer, Principal.everything, worker.firstRegistration))
        #expect(actions == [.changed(.front, key: "front")], "a late report is counted, and nothing else")
        #expect(front.late == [.repeatedRegistration: 1])
        #expect(front.job(job)?.state == .running)
        #expect(worker.renew(&front).contains(.answerRenewal(worker.peer, RenewalNumber(worker.renewal))))
        #expect(worker.registrationNumber == current)
    }

    @Test("a registration repeated by a worker that has missed the answer is answered again")
    func missedAnswer() {
        var (front, worker) = FrontHarness.serving()
        let current = worker.registrationNumber
        worker.take(front.handle(.workerSent(worker.peer, Principal.everything, worker.firstRegistration)))
        #expect(worker.registrationNumber > current)
    }

    @Test("a registration that the network repeats behind a newer one is not taken for the worker's present word")
    func repeatedBehindNewer() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        _ = worker.renew(&front)
        // It reregisters and has said nothing since; its first registration, which knows nothing of the job, comes once more.
        worker.register(with: &front)
        front.handle(.workerSent(worker.peer, Principal.everything, worker.firstRegistration))
        #expect(front.decided == ["changed front front"])
        #expect(front.job(job)?.state == .running)
    }

    @Test("a registration that waited unread says nothing of what began when a renewal was answered before it")
    func overtakenRegistration() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        // A row hangs: the renewal is answered at once, and with its answer the job begins. The registration was said before it.
        let renewal = WorkerEnvelope(
            worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber,
            messages: [.renewal(RenewalNumber(1), leases: [])])
        #expect(front.handle(.workerWaits(worker.peer, renewal)) == [.answerRenewal(worker.peer, RenewalNumber(1))])
        worker.take(front.handle(.workerSent(worker.peer, Principal.everything, worker.firstRegistration)))
        #expect(front.job(job)?.state == .running)
        worker.end(job.rawValue, in: &front)
        #expect(front.job(job)?.state == .succeeded)
    }

    @Test("a renewal in a frame that has to wait keeps the lease as any other does")
    func waitingRenewal() {
        var (front, worker, job) = FrontHarness.running()
        front.pass(milliseconds: 4_000)
        let renewal = WorkerEnvelope(
            worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber,
            messages: [.renewal(RenewalNumber(1), leases: worker.held.map(\.lease))])
        front.handle(.workerWaits(worker.peer, renewal))
        front.pass(milliseconds: 4_000)
        front.settle()
        #expect(front.job(job)?.state == .running && front.worker(worker.id)?.state == .live)
        front.pass(milliseconds: 1_500)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("a worker that gives a grant back gets the next one after its next renewal, not at once")
    func givenBack() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.follow()
        worker.take(worker.end(job.rawValue, .returned, in: &front))
        #expect(front.job(job)?.waitReason == .slotsTaken)
        worker.take(front.settle())
        #expect(front.path() == ["entry attemptsEnded 1: returned", "changed jobs job/1, workers worker/1"])
        worker.take(worker.renew(&front) + front.settle())
        #expect(
            front.path() == [
                "worker 1, at once: renewed 1", "entry granted 1 to worker 1", "worker 1: settled 1", "worker 1: grant 1",
                "changed jobs job/1, workers worker/1",
            ])
        #expect(front.job(job)?.attempts == 1)
    }

    @Test("who asks is told that no worker takes jobs now: one has given a grant back, has work to end, or is cut off")
    func notReady() {
        for unready in ["returned", "overdue", "cut off"] {
            var (front, worker) = FrontHarness.serving()
            var job = JobID(0)
            switch unready {
            case "returned":
                job = front.run(1, loader: "slow", on: &worker)
                worker.take(worker.end(job.rawValue, .returned, in: &front))
            case "overdue":
                _ = worker.send(.overdue(jobs: [40]), to: &front)
                job = front.submit(1, loader: "slow")
            default:
                front.handle(.peerLost(worker.peer))
                job = front.submit(1, loader: "slow")
            }
            guard case .explanation(let told)? = front.ask(.job(.explain(job))) else { Issue.record("no explanation"); return }
            #expect(told.job.waitReason == .workersNotReady && told.estimate == nil, "\(unready): \(told.job)")
            let unknown = "when it starts is not known: one of those workers has to take jobs again first"
            #expect(told.timeline.contains(unknown), "\(unready): \(told.timeline)")
            #expect(front.job(job)?.waitReason == .slotsTaken)
        }
    }

    @Test("a worker with overdue work gets no jobs until it says that none is left")
    func overdue() {
        var (front, worker) = FrontHarness.serving()
        _ = worker.send(.overdue(jobs: [40]), to: &front)
        front.follow()
        _ = front.run(1, loader: "slow", on: &worker)
        worker.take(worker.renew(&front) + front.settle())
        #expect(
            front.path() == [
                "entry jobsAccepted 1", "entry replyRetained 1 jobsAccepted 1 and 0 more", "client 7: reply 1 jobsAccepted 1 and 0 more",
                "changed jobs counts", "worker 1, at once: renewed 1",
            ])
        #expect(front.worker(worker.id)?.state == .overdue)
        worker.take(worker.send(.overdue(jobs: []), to: &front) + front.settle())
        #expect(
            front.path() == [
                "changed workers worker/1", "entry granted 1 to worker 1", "worker 1: grant 1", "changed jobs job/1, workers worker/1",
            ])
        #expect(front.worker(worker.id)?.state == .live)
    }

    @Test("what a worker said of overdue work and comes late holds until it renews without naming any", arguments: [false, true])
    func overdueLate(drains: Bool) {
        var (front, worker) = FrontHarness.serving()
        if drains { _ = worker.send(.draining, to: &front) }
        _ = worker.send(.overdue(jobs: [40]), to: &front)
        _ = worker.send(.overdue(jobs: []), to: &front)
        _ = worker.send(.overdue(jobs: [40]), to: &front)
        let job = front.run(1, loader: "slow", on: &worker)
        worker.take(worker.renew(&front) + front.settle())
        #expect(worker.held.isEmpty)
        // Named before each renewal, it lasts.
        _ = worker.send(.overdue(jobs: [40]), to: &front)
        _ = worker.renew(&front)
        #expect(front.machine.state.workers.all.allSatisfy { $0.isOverdue })
        let actions = worker.renew(&front)
        #expect(actions.contains { if case .changed(.workers, _) = $0 { true } else { false } })
        worker.take(actions + front.settle())
        #expect(worker.held.map(\.job) == (drains ? [] : [job.rawValue]))
        #expect(front.worker(worker.id)?.state == (drains ? .draining : .live))
        #expect(!front.machine.state.workers.all.contains { $0.isOverdue })
    }

    @Test("a worker's death counts against the job that it named, and leaves its neighbors without suspicion")
    func culprit() {
        var (front, worker) = FrontHarness.serving()
        let jobs = (0..<3).map { _ in front.submit(1, loader: "slow") }
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == jobs.prefix(2).map(\.rawValue))
        // The first job is given up by the front while its work goes on there.
        worker.held.removeFirst()
        worker.register(with: &front)
        _ = worker.send(.overdue(jobs: [jobs[0].rawValue]), to: &front)
        #expect(front.job(jobs[0])?.state == .waiting)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.map { front.job($0)?.crashCount } == [1, 0, 0])
        #expect(jobs.map { front.isSuspected($0) } == [true, false, false])
    }

    @Test("beside overdue work, too, what must not run twice has an unknown outcome when its worker is lost")
    func overdueNeighbor() {
        var (front, worker) = FrontHarness.serving()
        let (slow, once) = (front.submit(1, loader: "slow"), front.submit(1, loader: "once"))
        worker.take(front.settle())
        worker.held.removeAll { $0.job == slow.rawValue }
        worker.register(with: &front)
        _ = worker.send(.overdue(jobs: [slow.rawValue]), to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(once)?.state == .failed && front.job(once)?.failure?.code == .outcomeUnknown)
    }

    @Test("a job that three workers lost, named and died with is quarantined once, though it waited elsewhere and was named twice")
    func quarantine() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1, loader: "slow")
        for number in UInt64(1)...3 {
            var worker = WorkerHarness(number)
            worker.register(with: &front)
            worker.take(front.settle())
            #expect(worker.held.map(\.job) == [job.rawValue])
            worker.held = []
            worker.register(with: &front)
            _ = worker.send(.overdue(jobs: [job.rawValue, job.rawValue]), to: &front)
            front.settle()
            front.pass(milliseconds: 5_500)
            front.settle()
        }
        #expect(front.job(job)?.state == .quarantined)
        #expect(front.job(job)?.failure?.code == .quarantined)
        let reason =
            "3 workers died on job \(job) or could not take it, so it is not run again: read gantry job explain \(job), then retry it"
        #expect(front.job(job)?.failure?.text.hasPrefix(reason) == true)
        guard case .explanation(let reported)? = front.ask(.job(.explain(job))) else { Issue.record("no explanation"); return }
        // Its failure says so, and the timeline does not repeat it.
        #expect(reported.job.crashCount == 3 && reported.timeline.filter { $0.contains(" died ") || $0.contains("crashes") }.isEmpty)
        #expect(reported.timeline.last == "quarantined" && reported.job.failure?.text.hasPrefix(reason) == true, "\(reported.timeline)")
        #expect(front.counts?.quarantined == 1)
    }

    @Test("a worker cannot count its death against a job that it was never granted")
    func strangersJob() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1, loader: "slow")
        for number in UInt64(1)...3 {
            var worker = WorkerHarness(number)
            worker.register(with: &front, loaders: [])
            _ = worker.send(.overdue(jobs: [job.rawValue]), to: &front)
            front.settle()
            #expect(front.worker(worker.id)?.state == .overdue)
            front.pass(milliseconds: 5_500)
            front.settle()
            #expect(front.worker(worker.id) == nil)
        }
        #expect(front.job(job)?.state == .waiting)
        #expect(front.job(job)?.crashCount == 0)
    }

    @Test("dropped work that has ended before the next renewal is forgotten: it cannot be named later")
    func namedTooLate() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        worker.held = []
        worker.register(with: &front)
        _ = worker.renew(&front)
        _ = worker.send(.overdue(jobs: [job.rawValue]), to: &front)
        front.settle()
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.worker(worker.id) == nil)
        #expect(front.job(job)?.state == .waiting && front.job(job)?.crashCount == 0)
    }

    @Test("a worker's item tells the jobs in its slots and those ahead apart")
    func heldJobs() {
        var (front, worker) = FrontHarness.serving(slots: 2, prefetch: 8)
        _ = front.submit(3)
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        #expect(front.worker(worker.id)?.prefetched == 3 && front.worker(worker.id)?.slotsTaken == 1)
    }

    @Test("observers of the front are told when the disk is full, and when there is room again")
    func storage() {
        var front = FrontHarness()
        for isFull in [true, false] {
            #expect(front.handle(.storageFull(isFull)).lines == ["changed front front"])
            #expect(front.handle(.storageFull(isFull)) == [])
        }
    }

    @Test("who cancels a load that runs takes its progress from its feed's observers")
    func cancelledProgress() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("items?parameter=sample")
        let job = try world.accept(.feed(key, .load))
        world.grant()
        let lease = LeaseID(try #require(world.worker.held.first).lease)
        let report = WorkerMessage.ProgressReport(job: job, lease: lease, progress: JobProgress(percent: 7))
        _ = world.worker.send(.progress([report]), to: &world.front)
        #expect(world.front.machine.item("progress", of: .feed(key)) != nil)
        _ = world.front.ask(.job(.cancel(job)))
        #expect(world.front.machine.item("progress", of: .feed(key)) == nil)
    }
}
