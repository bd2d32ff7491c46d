//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import Testing

@Suite("The clock of ranks")
struct RankClockTests {
    @Test(
        "a step of the wall clock neither stops the aging of those that wait nor reorders them",
        arguments: [86_400_000, -86_400_000, FrontHarness.year, -FrontHarness.year])
    func wallClockSteps(by step: Int64) {
        var front = FrontHarness()
        front.open()
        let real = front.now.wall
        front.now.wall = real.advanced(by: .milliseconds(step))
        _ = front.submit(1, loader: "slow")
        front.now.wall = real
        let old = front.submit(1, loader: "slow", priority: 0)
        front.pass(milliseconds: 3 * 3_600_000)
        let new = front.submit(1, loader: "slow", priority: 9)
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 2)
        worker.take(front.settle())
        #expect(worker.held.map(\.job).last == old.rawValue)
        #expect(!worker.held.map(\.job).contains(new.rawValue))
    }

    @Test(
        "the clock goes on at its level after a restart, whatever the wall clock shows then",
        arguments: [-86_400_000, FrontHarness.year, -FrontHarness.year])
    func restart(after step: Int64) {
        var front = FrontHarness()
        front.open()
        let old = front.submit(1, loader: "slow", priority: 0)
        front.pass(milliseconds: 600_000)
        _ = front.submit(1, loader: "other")
        front.now.wall = front.now.wall.advanced(by: .milliseconds(step))
        var next = front.restarted()
        next.open()
        let new = next.submit(1, loader: "slow", priority: 9)
        var worker = WorkerHarness(1)
        worker.register(with: &next, slots: 2)
        worker.take(next.settle())
        #expect(worker.held.map(\.job) == [old.rawValue, new.rawValue])
    }
}
