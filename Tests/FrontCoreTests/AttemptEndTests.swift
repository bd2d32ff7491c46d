//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("How attempts end without an outcome, as the journal has it")
struct AttemptEndTests {
    /// The jobs of each entry that makes jobs wait again, and its cause.
    private func requeued(_ front: FrontHarness) -> [Requeued] {
        front.entries.compactMap { entry in
            guard case .attemptsEnded(let entry) = entry else { return nil }
            return Requeued(entry.jobs.map(\.job), entry.cause)
        }
    }

    private struct Requeued: Equatable {
        let jobs: [JobID]
        let cause: AttemptEndCause

        init(_ jobs: [JobID], _ cause: AttemptEndCause) { (self.jobs, self.cause) = (jobs, cause) }
    }

    /// A front whose worker runs a job of each loader.
    private func busy(_ loaders: String...) -> (FrontHarness, WorkerHarness, [JobID]) {
        var (front, worker) = FrontHarness.serving()
        let jobs = loaders.map { front.submit(1, loader: $0) }
        worker.take(front.settle())
        return (front, worker, jobs)
    }

    @Test("the lease of their worker is over: with one job in hand, with neighbors, after a drain", arguments: [1, 2], [false, true])
    func leaseOver(count: Int, drains: Bool) {
        var (front, worker, jobs) = count == 1 ? busy("slow") : busy("slow", "slow")
        if drains { _ = worker.send(.draining, to: &front) }
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(requeued(front) == [Requeued(jobs, .workerLost)])
        #expect(requeued(front.restarted()) == requeued(front))
    }

    @Test("the process of their worker has ended")
    func processEnded() {
        let process = ProcessIdentity(namespace: "boot/1", number: 77, start: 1_234)
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        (worker.process, worker.seen) = (process, process)
        front.open()
        worker.register(with: &front)
        let job = front.run(1, loader: "slow", on: &worker)
        front.handle(.processEnded(process))
        front.pass(milliseconds: 500)
        front.settle()
        #expect(requeued(front) == [Requeued([job], .workerLost)])
    }

    @Test("their worker was last heard by an earlier life of the front")
    func earlierLife() {
        var (front, _, jobs) = busy("slow")
        front = front.restarted()
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(requeued(front) == [Requeued(jobs, .workerLost)])
    }

    @Test("their worker closed its registration")
    func closed() {
        var (front, worker, jobs) = busy("slow")
        _ = worker.send(.close(), to: &front)
        #expect(requeued(front) == [Requeued(jobs, .workerClosed)])
    }

    @Test("their worker registered without them, and died of them later")
    func dropped() {
        var (front, worker, jobs) = busy("slow", "slow")
        worker.held.removeFirst()
        worker.register(with: &front)
        #expect(requeued(front) == [Requeued([jobs[0]], .dropped)])
        _ = worker.send(.overdue(jobs: [jobs[0].rawValue]), to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(
            requeued(front) == [Requeued([jobs[0]], .dropped), Requeued([jobs[1]], .workerLost), Requeued([jobs[0]], .culprit)])
    }

    @Test("their grants stayed unseen")
    func unseen() {
        var (front, worker) = FrontHarness.serving()
        let job = front.submit(1, loader: "slow")
        front.settle()
        for _ in 0..<13 {
            _ = worker.renew(&front)
            front.settle()
            front.pass(milliseconds: 1_000)
        }
        #expect(requeued(front) == [Requeued([job], .grantUnseen)])
    }

    @Test("the front stood still for a whole lease")
    func loopPause() {
        var (front, _, jobs) = busy("slow")
        front.pass(milliseconds: 20_000)
        front.handle(.loopPaused(.seconds(20)))
        front.settle()
        #expect(requeued(front) == [Requeued(jobs, .loopPause)])
    }

    @Test("their loader returned a cancel that nobody had asked for")
    func unasked() {
        var (front, worker, jobs) = busy("slow")
        worker.end(jobs[0].rawValue, .cancelled, in: &front)
        #expect(requeued(front) == [Requeued(jobs, .cancelUnasked)])
    }

    @Test("grants that come back unstarted are no attempts, ends and cancels are in other entries")
    func others() {
        var (front, worker, jobs) = busy("slow", "once")
        worker.end(jobs[0].rawValue, .returned, in: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(jobs[0])?.state == .waiting && front.job(jobs[1])?.state == .failed)
        #expect(requeued(front) == [Requeued([jobs[0]], .returned)])
        #expect(front.counts?.requeuedTotal == 0 && front.machine.state.jobs[jobs[0].rawValue].attempts == 0)
    }

    @Test("a grant that comes back unstarted leaves the attempts that were before it")
    func later() {
        var (front, worker, jobs) = busy("slow")
        let failure = Failure(code: .unreachable, text: "no answer", retryable: true)
        for (outcome, attempts) in [(Outcome.failed, 1), (.failed, 2), (.returned, 2)] {
            worker.end(jobs[0].rawValue, outcome, failure: outcome == .failed ? failure : nil, in: &front)
            #expect(front.job(jobs[0])?.attempts == UInt32(attempts))
            if outcome == .failed { #expect(front.ask(.job(.promote(jobs[0]))) == .done(version: 0)) }
            _ = worker.renew(&front)
            worker.take(front.settle())
        }
        #expect(front.job(jobs[0])?.state == .running && front.job(jobs[0])?.attempts == 3)
    }

    @Test("an entry states how its jobs stand: taken twice it changes nothing more", arguments: [AttemptEndCause.workerLost, .returned])
    func statesResults(cause: AttemptEndCause) {
        var (front, _, jobs) = busy("slow")
        let id = jobs[0].rawValue
        let ended = JournalEntry.AttemptsEnded(
            jobs: [JournalEntry.EndedAttempt(job: jobs[0], attempts: 4, crashCount: 2, isSuspected: true)], cause: cause)
        for _ in 0..<2 {
            front.machine.restore([.attemptsEnded(ended)], of: TurnNumber(99), isSlice: false)
            let record = front.machine.state.jobs[id]
            #expect(record.state == .waiting && record.attempts == 4 && record.crashCount == 2 && record.flags.contains(.suspected))
        }
    }

    @Test("a job in quarantine has the deaths that its last entry states")
    func quarantine() {
        var (front, _, jobs) = busy("slow")
        var ended = JournalEntry.EndedJobs(at: WallTime(milliseconds: 1))
        ended.append(jobs[0].rawValue, .quarantined, crashCount: 3)
        front.machine.restore([.ended(ended)], of: TurnNumber(99), isSlice: false)
        #expect(front.machine.state.jobs[jobs[0].rawValue].crashCount == 3)
    }
}
