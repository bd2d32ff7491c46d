//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontCore

@Suite("Estimates of waiting jobs")
struct EstimateTests {
    private func explain(_ job: JobID, _ front: inout FrontHarness) -> JobExplanation? {
        guard case .explanation(let explanation)? = front.ask(.explain(job)) else { return nil }
        return explanation
    }

    @Test("a job that nobody offers has no estimate, however many jobs end")
    func nobodyOffers() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let stranger = front.submit(1, loader: "nobody-offers-this")
        for _ in 0..<20 {
            _ = front.submit(1)
            worker.take(front.settle())
            _ = worker.endAll(in: &front)
            front.pass(milliseconds: 500)
        }
        #expect(explain(stranger, &front)?.placeInLine == 0)
        #expect(explain(stranger, &front)?.estimateSeconds == nil)
    }

    @Test("running jobs count: behind slow ones a job waits as long as they take, whatever the pace of quick ones before was")
    func running() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 3)
        for _ in 0..<20 {
            _ = front.submit(1)
            worker.take(front.settle())
            _ = worker.endAll(in: &front)
            front.pass(milliseconds: 100)
        }
        _ = front.submit(3, loader: "slow")
        worker.take(front.settle())
        #expect(worker.held.count == 3)
        let waiting = front.submit(2, loader: "slow")
        for _ in 0..<30 {
            front.pass(milliseconds: 1_000)
            _ = worker.renew(&front)
        }
        let first = try #require(explain(waiting, &front)?.estimateSeconds)
        let second = try #require(explain(waiting.advanced(by: 1), &front)?.estimateSeconds)
        // Three slots of jobs that have run for 30 s: one of 60 s each is expected, so one ends every 20 s.
        #expect((19.0...22.0).contains(first) && (39.0...43.0).contains(second), "\(first) \(second)")
    }

    @Test("an explanation costs as much however many short jobs workers have taken ahead, and counts what it looks at")
    func bounded() {
        func steps(prefetch: UInt32) -> UInt64 {
            var front = FrontHarness()
            var worker = WorkerHarness(1)
            front.open()
            worker.register(with: &front, slots: 1, prefetch: prefetch)
            _ = front.submit(Int(prefetch))
            _ = front.submit(1, loader: "slow")
            worker.take(front.settle())
            let waiting = front.submit(1, loader: "slow")
            let before = front.machine.steps
            _ = explain(waiting, &front)
            return front.machine.steps - before
        }
        #expect(steps(prefetch: 4_000) <= 600)
        #expect(steps(prefetch: 100) >= 100)
    }
}
