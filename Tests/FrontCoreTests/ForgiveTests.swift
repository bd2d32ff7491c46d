//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Jobs that are forgiven the crashes of their workers")
struct ForgiveTests {
    /// A front with a job whose worker has died so often, and that waits again.
    private func crashed(_ count: Int) -> (FrontHarness, JobID) {
        var front = FrontHarness()
        front.open()
        var job = JobID.none
        for number in 1...count {
            var worker = WorkerHarness(UInt64(number))
            worker.register(with: &front)
            if number == 1 { job = front.submit(1, loader: "slow") }
            worker.take(front.settle())
            #expect(front.job(job)?.state == .running)
            front.pass(milliseconds: 5_500)
            front.settle()
        }
        return (front, job)
    }

    @Test("none counts any more: it waits as any other, after a restart too, and three more crashes end it")
    func forgiven() {
        var (front, job) = crashed(2)
        #expect(front.job(job)?.crashCount == 2 && front.machine.state.jobs[job.rawValue].standing == .suspected)
        #expect(front.ask(.job(.forgive(job))) == .done(version: 0))
        for front in [front, front.restarted()] {
            #expect(front.job(job)?.crashCount == 0 && front.job(job)?.state == .waiting)
            #expect(front.machine.state.jobs[job.rawValue].standing == .queued)
            #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
        }
        for number in UInt64(11)...13 {
            #expect(front.job(job)?.state == .waiting)
            var worker = WorkerHarness(number)
            worker.register(with: &front)
            worker.take(front.settle())
            front.pass(milliseconds: 5_500)
            front.settle()
        }
        #expect(front.job(job)?.state == .quarantined && front.job(job)?.crashCount == 3)
    }

    @Test("who asks learns how many crashes count against a job, and who observes it is told that none does any more", arguments: [1, 2])
    func shown(count: Int) {
        var (front, job) = crashed(count)
        func counted() -> [String] {
            guard case .explanation(let told)? = front.ask(.job(.explain(job))) else { return ["no explanation"] }
            return told.timeline.filter { $0.contains("against it") }
        }
        let crashes = count == 1 ? "1 crash of a worker counts" : "2 crashes of workers count"
        #expect(counted() == [crashes + " against it (limit 3)"])
        front.handle(.topicObserved(.job(job), true))
        #expect(front.ask(.job(.forgive(job))) == .done(version: 0))
        #expect(front.decided.first == "entry crashesForgiven \(job)" && front.decided.last == "changed job/\(job) job")
        #expect(counted() == [])
    }

    @Test("an action with many jobs is for those with something to forgive")
    func many() {
        var (front, job) = crashed(2)
        let other = front.submit(1, loader: "slow")
        #expect(front.ask(.job(.bulk(BulkRequest(.forgive, JobQuery(), isDry: true)))) == .selected(bulk: 0, jobs: 1, next: nil))
        #expect(front.ask(.job(.bulk(BulkRequest(.forgive, JobQuery())))) == .selected(bulk: 4_000_001, jobs: 0, next: nil))
        front.settle()
        #expect(front.job(job)?.crashCount == 0 && front.job(other)?.crashCount == 0)
        #expect(front.counts?.bulkActions.map(\.done) == [1])
    }

    @Test("with nothing to forgive nothing is written, and who does not wait is refused")
    func nothing() {
        var front = FrontHarness.serving().0
        let job = front.submit(1, loader: "nobody-offers-it")
        front.settle()
        let count = front.entries.count
        #expect(front.ask(.job(.forgive(job))) == .done(version: 0))
        #expect(front.entries.dropFirst(count).allSatisfy { if case .replyRetained = $0 { true } else { false } })
        #expect(front.ask(.job(.forgive(JobID(77)))) == .unknownJob(JobID(77)))
        let running = front.submit(1, loader: "slow")
        front.settle()
        guard case .refused(let failure, _) = front.ask(.job(.forgive(running))) else { return #expect(Bool(false)) }
        #expect(failure.code == .conflict)
        #expect(failure.text == "job \(running) is running: only a waiting job is forgiven the crashes of its workers")
    }

    @Test("one that waits for a time goes on waiting for it")
    func delayed() {
        var (front, job) = crashed(1)
        #expect(front.ask(.job(.delay(job, .after(.seconds(60))))) == .done(version: 0))
        let due = front.machine.state.jobs[job.rawValue].due
        #expect(front.ask(.job(.forgive(job))) == .done(version: 0))
        #expect(front.job(job)?.state == .scheduled && front.job(job)?.crashCount == 0)
        #expect(due != nil && front.machine.state.jobs[job.rawValue].due == due)
    }
}
