//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Testing

@Suite("How ended jobs grow old")
struct AgeClockTests {
    @Test("a step of the wall clock makes the front forget none, and time that passes does", arguments: [700_000_000, -700_000_000])
    func steps(by step: Int64) {
        var front = FrontHarness { $0.bounds.endedMilliseconds = 60_000 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let job = front.submit(1)
        worker.take(front.settle())
        _ = worker.endAll(in: &front)
        front.now.wall = front.now.wall.adding(milliseconds: step)
        front.settle()
        #expect(front.job(job) != nil)
        front.pass(milliseconds: 59_000)
        front.settle()
        #expect(front.job(job) != nil)
        front.pass(milliseconds: 2_000)
        front.settle()
        #expect(front.job(job) == nil)
    }
}
