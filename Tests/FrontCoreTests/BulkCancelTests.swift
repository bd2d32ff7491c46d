//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Cancels of many jobs in the journal")
struct BulkCancelTests {
    /// Cancels all jobs of a loader, until nothing is left of that.
    private func cancelAll(of loader: String, _ front: inout FrontHarness) {
        _ = front.ask(.job(.bulk(BulkRequest(.cancel, JobQuery(loader: loader)))))
        for _ in 0..<100 where !front.machine.state.left.isEmpty { front.settle() }
    }

    private func cancels(_ front: FrontHarness) -> [JobID] {
        front.entries.compactMap { if case .cancelRequested(let cancel) = $0 { cancel.job } else { nil } }
    }

    private func ends(_ front: FrontHarness) -> [[UInt64]] {
        front.entries.compactMap { if case .ended(let ended) = $0 { ended.jobs } else { nil } }
    }

    /// What a restart from the journal knows is what the front does.
    private func expectReplay(_ front: FrontHarness) {
        #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
    }

    @Test("waiting jobs have an entry each, and the ends of a turn make one together")
    func oneEntry() {
        var front = FrontHarness { $0.bounds.bulkActionJobs = 2 }
        front.open()
        let first = front.submit(5, loader: "idle")
        cancelAll(of: "idle", &front)
        let jobs = (0..<UInt64(5)).reversed().map { first.advanced(by: $0) }
        #expect(cancels(front) == jobs)
        #expect(ends(front) == [[5, 4], [3, 2], [1]])
        #expect(jobs.allSatisfy { front.job($0)?.cancel?.requestedBy == "test" && front.job($0)?.cancel?.stoppedAt == front.now.wall })
        #expect(front.counts?.bulkActions.map { [$0.done, $0.passedOver] } == [[5, 0]])
        expectReplay(front)
    }

    @Test("of a job that runs only the request is written, and its end with the worker's report")
    func running() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let first = front.submit(3, loader: "slow")
        worker.take(front.settle())
        cancelAll(of: "slow", &front)
        #expect(Set(cancels(front)) == Set((0..<UInt64(3)).map { first.advanced(by: $0) }))
        #expect(ends(front) == [[3, 2]])
        #expect(front.job(first)?.state == .cancelling)
        expectReplay(front)
        worker.take(worker.end(first.rawValue, .cancelled, in: &front))
        #expect(front.job(first)?.state == .cancelled)
        expectReplay(front)
    }

    @Test("a job that waits behind another one of its key ends with it in one entry, and the key is free")
    func behind() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let key = UniqueKey("page", mode: .buffer)
        let first = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(retry: RetryRule(attempts: 3), uniqueKey: key)))
        worker.take(front.settle())
        let failure = Failure(code: .unreachable, text: "the origin does not answer", retryable: true)
        worker.take(worker.end(first.rawValue, .failed, failure: failure, in: &front))
        let second = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(retry: RetryRule(attempts: 2), uniqueKey: key)))
        #expect(second != first && front.job(first)?.state == .scheduled && front.job(second)?.state == .waiting)
        cancelAll(of: "slow", &front)
        #expect(ends(front) == [[second.rawValue, first.rawValue]])
        #expect(front.machine.state.jobs.keys.count == 0)
        expectReplay(front)
    }
}
