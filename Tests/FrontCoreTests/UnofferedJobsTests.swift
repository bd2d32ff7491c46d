//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Waiting jobs that nobody can run")
struct UnofferedJobsTests {
    private let counts = FrontAction.changed(.jobs, key: ItemKey.counts)

    private func unoffered(_ front: FrontHarness) -> [LoaderCount] { front.counts?.unoffered ?? [] }

    @Test("they are counted by loader, most first, however many newer ones wait, and after a restart")
    func counted() {
        var (front, _) = FrontHarness.serving()
        _ = front.submit(2, loader: "rare")
        _ = front.submit(1, loader: "b")
        _ = front.submit(1, loader: "a")
        _ = front.submit(3_000, loader: "noop")
        let expected = [LoaderCount("rare", 2), LoaderCount("a", 1), LoaderCount("b", 1)]
        #expect(unoffered(front) == expected && front.counts?.unofferedOthers == 0)
        // Nobody has come back there yet.
        let next = front.restarted()
        #expect(unoffered(next).filter { $0.loader != "noop" } == expected)
    }

    @Test("observers are told when the last worker that offers their loader goes and when one comes, though no job moves; else nothing")
    func reported() {
        var (front, worker, _) = FrontHarness.running(slots: 1)
        _ = front.submit(1, loader: "slow")
        front.pass(milliseconds: 1_000)
        front.settle()
        let before = front.counts
        #expect(before?.unoffered == [] && before?.waiting == 1)
        _ = worker.send(.draining, to: &front)
        front.pass(milliseconds: 1_000)
        #expect(front.settle().contains(counts))
        #expect(unoffered(front) == [LoaderCount("slow", 1)] && front.counts?.waiting == 1)
        front.pass(milliseconds: 1_000)
        #expect(!front.settle().contains(counts))
        var other = WorkerHarness(2)
        other.register(with: &front)
        front.pass(milliseconds: 1_000)
        front.settle()
        #expect(unoffered(front).isEmpty)
    }

    @Test(
        "a job that is moved in its line is no news of the counts, unless its loader is not offered or another one is the oldest that is next"
    )
    func moved() {
        var (front, _, _) = FrontHarness.running(slots: 1)
        let first = front.submit(1, loader: "slow")
        let second = front.submit(1, loader: "slow")
        front.pass(milliseconds: 1_000)
        let third = front.submit(1, loader: "slow")
        func isTold(_ job: JobID, priority: UInt8) -> Bool {
            front.pass(milliseconds: 100)
            front.settle()
            let before = front.counts
            let number = RequestNumber(front.nextRequest)
            front.nextRequest += 1
            let body = RequestBody.job(.reprioritize(job, priority: priority))
            let asked = front.send(.request(.init(number: number, lowestUnanswered: number, body: body)))
            #expect((front.counts != before) == (job == third), "what observers would see")
            front.pass(milliseconds: 100)
            return (asked + front.settle()).contains(counts)
        }
        #expect(!isTold(second, priority: 6))
        #expect(!isTold(first, priority: 6))
        #expect(isTold(third, priority: 9))
    }

    @Test("beyond 32 loaders the jobs of the others are summed up")
    func bound() {
        var (front, _) = FrontHarness.serving()
        for number in 0..<40 { _ = front.submit(number < 32 ? 2 : 1, loader: "loader\(number)") }
        let reported = unoffered(front)
        #expect(reported.count == 32 && reported.allSatisfy { $0.count == 2 } && front.counts?.unofferedOthers == 8)
    }
}
