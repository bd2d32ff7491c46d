//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// What a message costs is counted, so that a turn ends before it makes others wait.
@Suite("Steps of messages")
struct StepCountTests {
    /// A front with a worker that holds so many bulk jobs, and the steps of what is done then.
    private func steps(
        holding count: Int, of body: (inout WorkerHarness, inout FrontHarness) -> [FrontAction]
    ) -> UInt64 {
        var (front, worker) = FrontHarness.serving(slots: 1, prefetch: UInt32(count))
        _ = front.submit(count)
        worker.take(front.settle())
        #expect(worker.held.count == count)
        let before = front.machine.steps
        _ = body(&worker, &front)
        return front.machine.steps - before
    }

    @Test("an empty renewal, a refusal and a refusal without leases of a worker that holds 2,000 jobs cost 2,000 steps at least")
    func held() {
        #expect(steps(holding: 2_000) { $0.send(.renewal(RenewalNumber(1), leases: []), to: &$1) } >= 2_000)
        for leases in [[], [UInt64(1)]] {
            let refused = WorkerMessage.RefusedGrants(leases: leases, code: .busy, reason: "busy")
            #expect(steps(holding: 2_000) { $0.send(.refusedGrants(refused), to: &$1) } >= 2_000)
        }
    }

    @Test("each report of progress costs a step, also one that is late")
    func progress() {
        let report = WorkerMessage.ProgressReport(job: JobID(99), lease: LeaseID(99), progress: JobProgress(percent: 1))
        let reports = Array(repeating: report, count: 5_000)
        #expect(steps(holding: 1) { $0.send(.progress(reports), to: &$1) } >= 5_000)
    }

    @Test("a turn in which little ends looks at few jobs to give memory back, however many wait")
    func compaction() {
        var front = FrontHarness()
        front.open()
        _ = front.submit(20_000, loader: "slow")
        front.settle()
        let before = front.machine.steps
        front.settle()
        #expect(front.machine.steps - before < 1_000)
    }

    @Test("ended jobs that are forgotten in a turn cost a step each")
    func forgotten() {
        var front = FrontHarness { $0.bounds.endedAge = .seconds(1) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 1, prefetch: 3_000)
        _ = front.submit(3_000)
        worker.take(front.settle())
        _ = worker.endAll(in: &front)
        front.pass(milliseconds: 2_000)
        let before = front.machine.steps
        front.settle()
        #expect(front.machine.steps - before >= 3_000)
    }

    @Test("a look at the leases of 100 workers costs 100 steps, a frame of 5,000 renewals that has to wait 5,000")
    func workers() {
        var front = FrontHarness()
        var workers = (1...100).map { WorkerHarness($0) }
        for index in workers.indices { workers[index].register(with: &front) }
        var waiting = WorkerEnvelope(
            worker: workers[0].id, epoch: workers[0].epoch, registrationNumber: workers[0].registrationNumber, messages: [])
        waiting.messages = (1...5_000).map { .renewal(RenewalNumber($0), leases: []) }
        let before = front.machine.steps
        front.handle(.workerWaits(workers[0].peer, waiting))
        #expect(front.machine.steps - before >= 5_000)
        front.pass(milliseconds: 5_500)
        let between = front.machine.steps
        front.settle()
        #expect(front.machine.steps - between >= 100)
    }

    @Test("the end of a process costs a step for each worker")
    func processes() {
        var front = FrontHarness()
        for number in 1...100 {
            var worker = WorkerHarness(UInt64(number))
            worker.register(with: &front)
        }
        let before = front.machine.steps
        front.handle(.processEnded(ProcessIdentity(namespace: "boot/1", number: 77, start: 1_234)))
        #expect(front.machine.steps - before >= 100)
    }

    @Test("a look at a session costs a step for each client that waits")
    func waitingClients() {
        var front = FrontHarness()
        front.open()
        front.pass(milliseconds: 600_000)
        let waiting = (1...5_000).map { PeerID(100 + UInt64($0)) }
        let reading = TurnReading(began: front.now.monotonic, isWorkersDone: true, isClientsDone: true, waitingClients: waiting)
        let before = front.machine.steps
        front.handle(.inputRead(reading))
        #expect(front.machine.steps - before >= 5_000)
    }

    @Test("a list of failed jobs costs a step for each of them, listed or not")
    func failedJobs() {
        var (front, worker) = FrontHarness.serving(slots: 1, prefetch: 500)
        let first = front.submit(500).rawValue
        worker.take(front.settle())
        for job in first..<first + 500 {
            worker.end(job, .failed, failure: Failure(code: .httpStatus, text: "no"), in: &front)
        }
        #expect(front.machine.state.jobs.ended.line(of: .failed).count == 500)
        let before = front.machine.steps
        #expect(front.ask(.job(.list(JobQuery(state: .failed, loader: "none")))) == .jobs([], next: nil, retention: JobRetention()))
        #expect(front.machine.steps - before >= 500)
    }

    @Test("a message that is not understood costs more than the look at it: its sender is told, and others wait for that")
    func notUnderstood() {
        var front = FrontHarness()
        front.open()
        let before = front.machine.steps
        front.handle(.clientSent(PeerID(9), Principal.everything, ClientEnvelope(messages: [.unknown, .unknown])))
        #expect(front.machine.steps - before >= UInt64(2 * TurnContext.rowSteps))
    }

    @Test("a search for a feed that may give way costs a step for each that it finds busy")
    func busyFeeds() throws {
        let keys = try (0...64).map { try FeedWorld.key("items?parameter=\($0)") }
        func steps(beside count: Int) throws -> UInt64 {
            var front = FrontHarness { $0.bounds.feeds = count }
            front.open()
            for key in keys.prefix(count) {
                _ = front.ask(.feed(key, .attach(view: "shared")))
                front.pass(milliseconds: 1)
            }
            let before = front.machine.steps
            guard case .refused? = front.ask(.feed(try #require(keys.last), .load)) else {
                Issue.record("no feed is idle, and one has given way")
                return 0
            }
            return front.machine.steps - before
        }
        // Without a feed there is nothing to search.
        #expect(try steps(beside: 64) >= steps(beside: 0) + 63)
    }

    @Test("progress counts only from the worker that holds the lease")
    func authority() {
        var front = FrontHarness()
        var (holder, other) = (WorkerHarness(1), WorkerHarness(2))
        front.open()
        holder.register(with: &front)
        let job = front.submit(1, loader: "slow")
        holder.take(front.settle())
        other.register(with: &front)
        let report = WorkerMessage.ProgressReport(job: job, lease: LeaseID(holder.held[0].lease), progress: JobProgress(percent: 7))
        _ = other.send(.progress([report]), to: &front)
        #expect(front.machine.item("progress", of: .job(job)) == nil)
        #expect(front.machine.turn.context.summary.lateReports == 1)
        _ = holder.send(.progress([report]), to: &front)
        #expect(front.machine.item("progress", of: .job(job)) == .progress(job, JobProgress(percent: 7)))
    }
}
