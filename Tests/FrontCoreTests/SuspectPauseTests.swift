//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Suspected jobs behind a pause of all")
struct SuspectPauseTests {
    @Test("a pause is no time in which a worker was kept for them, however long it lasts", arguments: [2, 3_600])
    func pauseOfAll(seconds: Int) {
        var front = FrontHarness()
        front.open()
        var (dead, worker) = (WorkerHarness(1), WorkerHarness(2))
        dead.register(with: &front, slots: 2, prefetch: 0)
        let jobs = (0..<2).map { _ in front.submit(1, loader: "slow").rawValue }
        dead.take(front.settle())
        #expect(dead.held.count == 2)
        front.pass(milliseconds: 5_500)
        front.settle()
        worker.register(with: &front, slots: 2, prefetch: 0)
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [jobs[0]])
        // It runs alone, and ends in the pause.
        #expect(front.ask(.pause(.begin(.everything, reason: "", length: nil))) == .done(version: 0))
        worker.take(worker.end(jobs[0], in: &front))
        for _ in 0..<seconds { second(&front, &worker) }
        front.open()
        for _ in 0..<200 { _ = front.submit(10, loader: "slow") }
        #expect(front.ask(.pause(.end(.everything))) == .done(version: 0))
        worker.take(front.settle())
        // Jobs of two seconds each, and always some that wait: nothing is ever idle.
        var waited = 0
        while front.job(JobID(jobs[1]))?.state == .waiting, waited < 100 {
            waited += 2
            for _ in 0..<2 { second(&front, &worker) }
            if let first = worker.held.first { worker.take(worker.end(first.job, in: &front) + front.settle()) }
        }
        #expect(waited < 60, "the suspected job waited \(waited) s after a pause of \(seconds) s")
    }

    private func second(_ front: inout FrontHarness, _ worker: inout WorkerHarness) {
        front.pass(milliseconds: 1_000)
        _ = worker.renew(&front)
        worker.take(front.settle())
    }
}
