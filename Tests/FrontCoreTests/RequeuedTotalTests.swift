//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("How often jobs waited again")
struct RequeuedTotalTests {
    /// A front whose worker was lost with two jobs in hand and another one that it had dropped and named.
    private func lossy() -> FrontHarness {
        var (front, worker) = FrontHarness.serving(slots: 3)
        let jobs = (0..<3).map { _ in front.submit(1, loader: "slow") }
        worker.take(front.settle())
        #expect(front.counts?.requeuedTotal == 0)
        worker.held.removeFirst()
        worker.register(with: &front, slots: 3)
        #expect(front.counts?.requeuedTotal == 1)
        _ = worker.send(.overdue(jobs: [jobs[0].rawValue]), to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(jobs[0])?.crashCount == 1)
        return front
    }

    /// What a new life knows that begins with the last checkpoint and reads the log behind the turn of its head.
    /// - Parameter slices: each slice with the turn after which it was made.
    private func restored(_ front: FrontHarness, _ slices: [(turn: Int, entries: [JournalEntry])]) -> FrontMachine {
        var machine = FrontMachine(settings: front.settings, now: front.now)
        for slice in slices { machine.restore(slice.entries, of: TurnNumber(UInt64(slice.turn)), isSlice: true) }
        // Rows that the checkpoint has already may still be there.
        for (index, entry) in front.entries.enumerated() { machine.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false) }
        return machine
    }

    private func total(_ machine: FrontMachine) -> UInt64? {
        if case .counts(let counts) = machine.item("counts", of: .jobs) { return counts.requeuedTotal }
        return nil
    }

    @Test("each job that a worker had and has no longer is counted each time; a culprit, which waits already, is not")
    func counted() {
        var front = lossy()
        #expect(front.counts?.requeuedTotal == 3)
        var second = WorkerHarness(2)
        second.register(with: &front)
        second.take(front.settle())
        let held = UInt64(second.held.count)
        #expect(held > 0)
        _ = second.send(.close(), to: &front)
        #expect(front.counts?.requeuedTotal == 3 + held)
    }

    @Test("grants that come back unstarted, ends, and what is lost for good are not counted")
    func others() {
        var (front, worker) = FrontHarness.serving(slots: 4)
        let jobs = ["slow", "once", "slow", "slow"].map { front.submit(1, loader: $0) }
        worker.take(front.settle())
        worker.end(jobs[0].rawValue, .returned, in: &front)
        worker.end(jobs[2].rawValue, in: &front)
        _ = front.ask(.job(.cancel(jobs[3])))
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.map { front.job($0)?.state } == [.waiting, .failed, .succeeded, .cancelled])
        #expect(front.counts?.requeuedTotal == 0)
    }

    @Test("observers are told when jobs wait again")
    func observed() {
        var (front, worker) = FrontHarness.serving()
        _ = front.run(1, loader: "slow", on: &worker)
        var second = WorkerHarness(2)
        second.register(with: &front)
        front.pass(milliseconds: 1_000)
        front.settle()
        // As many jobs wait and run as before.
        _ = worker.send(.close(), to: &front)
        #expect(front.settle().contains(.changed(.jobs, key: "counts")))
        #expect(front.counts?.running == 1 && front.counts?.requeuedTotal == 1)
    }

    @Test("a restart counts the same, with and without a checkpoint")
    func restart() {
        let front = lossy()
        #expect(front.restarted().counts?.requeuedTotal == 3)
        let whole = [(turn: front.entries.count, entries: front.machine.wholeCheckpoint)]
        #expect(total(restored(front, whole)) == 3)
    }

    @Test("what waits again behind the head of a checkpoint is counted once, though a later slice has the job as it is then")
    func betweenSlices() {
        var (front, worker) = FrontHarness.serving()
        _ = front.run(1, loader: "slow", on: &worker)
        var (entries, cursor) = front.machine.state.beginCheckpoint(.full)
        var slices = [(turn: front.entries.count, entries: entries)]
        _ = worker.send(.close(), to: &front)
        #expect(front.counts?.requeuedTotal == 1)
        while !cursor.isDone {
            entries = cursor.takeSlice(of: front.machine.state, chunkLimit: 100, byteLimit: .max)
            slices.append((front.entries.count, entries))
        }
        let machine = restored(front, slices)
        #expect(total(machine) == 1)
        #expect(front.machine.state.image.difference(from: machine.state.image, withJobs: true) == nil)
    }

    @Test("a replay that has not counted is told apart from the front")
    func compared() throws {
        let front = lossy()
        var replayed = front.machine.state.image
        replayed.counts.requeuedTotal = 2
        #expect(try #require(front.machine.state.image.difference(from: replayed, withJobs: true)).hasPrefix("the counts: "))
    }
}
