//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// What the scheduler's order and costs are to who asks the front.
@Suite("The queue of the front")
struct QueueRuleTests {
    /// A front whose two jobs are suspected, because worker 1 died with both, and worker 2, which ran a job of its own meanwhile.
    private func suspects(slots: UInt32) -> (front: FrontHarness, worker: WorkerHarness, suspects: [JobID], other: JobID) {
        var front = FrontHarness()
        var (first, second) = (WorkerHarness(1), WorkerHarness(2))
        front.open()
        first.register(with: &front)
        let suspects = (0..<2).map { _ in front.submit(1, loader: "slow") }
        first.take(front.settle())
        second.register(with: &front, slots: slots)
        let other = front.submit(1, loader: "slow")
        second.take(front.settle())
        front.pass(milliseconds: 4_000)
        _ = second.renew(&front)
        front.pass(milliseconds: 1_500)
        second.take(front.settle())
        return (front, second, suspects, other)
    }

    @Test("a suspected job is alone in its worker until it ends, also when no other is suspected and jobs wait beside free slots")
    func alone() {
        var (front, worker, suspects, other) = suspects(slots: 4)
        #expect(suspects.map { front.job($0)?.waitReason } == [.suspected, .suspected])
        _ = front.ask(.job(.cancel(suspects[1])))
        _ = front.submit(5, loader: "slow")
        worker.take(worker.end(other.rawValue, in: &front))
        #expect(worker.held.map(\.job) == [suspects[0].rawValue])
        for _ in 0..<3 { worker.take(worker.renew(&front) + front.settle()) }
        #expect(worker.held.map(\.job) == [suspects[0].rawValue])
        worker.take(worker.end(suspects[0].rawValue, in: &front))
        #expect(worker.held.count == 4)
    }

    @Test("a job of an hour and a suspected job behind it keep free slots from others for 10 s, not for an hour")
    func gracePeriod() {
        var (front, worker, suspects, other) = suspects(slots: 4)
        _ = front.submit(20, loader: "slow")
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [other.rawValue])
        for second in 1...10 {
            front.pass(milliseconds: 1_000)
            worker.take(worker.renew(&front) + front.settle())
            #expect(worker.held.count == (second < 10 ? 1 : 4), "after \(second) s")
        }
        #expect(suspects.map { front.job($0)?.state } == [.waiting, .waiting])
    }

    @Test("a running job shows since when it runs, and explain how often it was granted and where it is")
    func runningShown() {
        var (front, _, job) = FrontHarness.running()
        #expect(front.job(job)?.startedAt == front.now.wall)
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else {
            Issue.record("it is not explained")
            return
        }
        let worker = front.job(job)?.worker ?? ""
        #expect(!worker.isEmpty && explanation.timeline.contains("granted once, now at \(worker)"), "\(explanation.timeline)")
    }

    @Test("explain says of a job that nobody was ever granted who asked for it, on which terms, and what it waits for")
    func neverGranted() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1, loader: "slow")
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else {
            Issue.record("it is not explained")
            return
        }
        let reason = WaitReason.noWorker(loader: "slow")
        let unknown = reason.unknownStart.map { "when it starts is not known: \($0)" } ?? ""
        #expect(explanation.timeline == ["accepted from test", explanation.job.options.line, "waits: \(reason.line)", unknown])
    }

    @Test("the topic of a job has the job, its progress only once there is some, and nothing where there is no such job")
    func items() {
        var (front, worker, job) = FrontHarness.running()
        #expect(front.machine.itemKeys(of: .job(job)) == ["job"])
        let report = WorkerMessage.ProgressReport(
            job: job, lease: LeaseID(worker.held[0].lease), progress: JobProgress(percent: 5))
        _ = worker.send(.progress([report]), to: &front)
        #expect(front.machine.itemKeys(of: .job(job)) == ["job", "progress"])
        #expect(front.machine.itemKeys(of: .job(JobID(999))) == [])
    }

    private func place(of job: JobID, in front: inout FrontHarness) -> UInt64? {
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else { return nil }
        return explanation.placeInLine
    }

    @Test("explain tells the place in a line of any length, and costs as much with twice as many jobs before")
    func explain() {
        let costs = [8_000, 16_000].map { count in
            var front = FrontHarness()
            front.open()
            for _ in 0..<count / 1_000 { _ = front.submit(1_000, loader: "slow") }
            let last = front.submit(1, loader: "slow")
            let urgent = front.submit(2, loader: "slow", priority: 9)
            _ = front.submit(2, loader: "slow", priority: 0)
            #expect(place(of: last, in: &front) == UInt64(count) + 2)
            #expect(place(of: urgent.advanced(by: 1), in: &front) == 1)
            front.settle()
            let before = front.machine.steps
            for offset in [1, count / 4, count / 2, count - 1] { _ = place(of: JobID(UInt64(offset)), in: &front) }
            front.settle()
            return front.machine.steps - before
        }
        #expect(Double(costs[1]) < 1.3 * Double(costs[0]), "\(costs)")
    }

    @Test("a turn costs as much with twice as many loader names that nobody offers")
    func waitingNames() {
        let costs = [500, 1_000].map { count in
            var (front, worker) = FrontHarness.serving()
            for number in 1..<count { _ = front.submit(1, loader: "name-\(number)") }
            front.settle()
            let before = front.machine.steps
            for _ in 0..<10 {
                let job = front.run(1, loader: "slow", on: &worker)
                #expect(worker.held.map(\.job) == [job.rawValue])
                worker.end(job.rawValue, in: &front)
            }
            return front.machine.steps - before
        }
        #expect(Double(costs[1]) < 1.3 * Double(costs[0]), "\(costs)")
    }

    @Test("jobs that come back from workers that leave together cost a step or two each, with twice as many workers as well")
    func leaving() {
        let costs = [4, 8].map { count in
            var front = FrontHarness()
            var workers = (1...count).map { WorkerHarness(UInt64($0)) }
            front.open()
            for index in workers.indices { workers[index].register(with: &front, slots: 1, prefetch: 4_096) }
            for _ in workers { _ = front.submit(4_096) }
            // A turn grants a bounded number of bytes.
            for _ in 0..<2 { front.settle() }
            #expect(front.counts?.running == UInt64(count * 4_096))
            // Some wait before them, some behind.
            for priority in [3, 9] as [UInt8] { _ = front.submit(4_096, priority: priority) }
            let before = front.machine.steps
            for index in workers.indices { _ = workers[index].send(.close(), to: &front) }
            // Some of them in each turn.
            repeat { front.settle() } while !front.machine.state.left.isEmpty
            #expect(front.counts?.waiting == UInt64((count + 2) * 4_096))
            return front.machine.steps - before
        }
        #expect(costs[0] >= 4 * 4_096 && costs[1] < 2 * 8 * 4_096, "\(costs)")
        #expect(Double(costs[1]) < 2.3 * Double(costs[0]), "\(costs)")
    }

    @Test("a restart has the jobs in the same order, whatever their priority and however they came to wait")
    func restart() {
        var (front, worker, suspects, _) = suspects(slots: 1)
        for priority in [5, 9, 0, 3, 9] as [UInt8] { _ = front.submit(70, loader: "slow", priority: priority) }
        _ = front.submit(3, loader: "elsewhere")
        worker.take(worker.endAll(in: &front))
        let restarted = front.restarted()
        let (own, other) = (front.machine.state.image, restarted.machine.state.image)
        #expect(own.queues.keys.sorted() == ["elsewhere", "slow", "slow, suspected"])
        #expect(own.queues["slow"]?.count == 350 && own.queues["slow, suspected"] == [suspects[1].rawValue])
        #expect(own.difference(from: other, withJobs: true) == nil)
        #expect(DurableImage.agree(front.machine.state, restarted.machine.state, marks: [:], withJobs: true))
        var wrong = other
        wrong.queues["slow"]?.swapAt(1, 2)
        #expect(own.difference(from: wrong, withJobs: true)?.hasPrefix("the queue of slow") == true)
    }
}
