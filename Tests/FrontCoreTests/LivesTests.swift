//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Lives of the front")
struct LivesTests {
    /// A front that ends now and starts again after a while, on the boot that it says.
    private func restart(_ front: FrontHarness, after milliseconds: Int64, boot: String = "one") -> FrontHarness {
        var front = front
        front.pass(milliseconds: milliseconds)
        front.settings.boot = BootInstant(id: boot, uptime: .nanoseconds(front.now.monotonic.nanoseconds))
        return front.restarted()
    }

    /// A front with a job that a worker holds which is never heard again.
    private func orphaned() -> (front: FrontHarness, job: JobID) {
        var front = FrontHarness { $0.boot = BootInstant(id: "one", uptime: .seconds(1)) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let job = front.run(1, loader: "slow", on: &worker)
        return (front, job)
    }

    @Test("a front that is killed every three seconds frees the slots of a dead worker one lease after its first restart")
    func killedOften() {
        var (front, job) = orphaned()
        for _ in 0..<2 {
            front = restart(front, after: 3_000)
            front.settle()
            #expect(front.job(job)?.state == .running)
        }
        front.pass(milliseconds: 2_499)
        front.settle()
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 1)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("a worker that has registered since keeps its lease, counted from the life after that one")
    func registeredSince() {
        var (front, job) = orphaned()
        front = restart(front, after: 3_000)
        var worker = WorkerHarness(1)
        worker.held = front.machine.state.jobs.heldJobs(by: 0).map { ($0, front.machine.state.jobs[$0].lease, nil) }
        worker.register(with: &front)
        #expect(worker.decisions.map(\.decision) == [.keep])
        front = restart(front, after: 3_000)
        front.pass(milliseconds: 5_499)
        front.settle()
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 1)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("its lease counts from the life after that one though another worker's counts from an earlier one")
    func registeredBesideAnother() {
        var (front, _) = orphaned()
        var first = WorkerHarness(2)
        first.register(with: &front)
        let job = front.submit(1, loader: "slow")
        first.take(front.settle())
        #expect(first.held.map(\.job) == [job.rawValue])
        front = restart(front, after: 3_000)
        var second = WorkerHarness(2)
        second.held = first.held
        second.register(with: &front)
        #expect(second.decisions.map(\.decision) == [.keep])
        front = restart(front, after: 3_000)
        front.pass(milliseconds: 5_499)
        front.settle()
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 1)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("after a reboot leases count from the first life of the present boot", arguments: ["two", ""])
    func reboot(boot: String) {
        var (front, job) = orphaned()
        front = restart(front, after: 3_000)
        front = restart(front, after: 3_000, boot: boot)
        front.pass(milliseconds: 5_499)
        front.settle()
        #expect(front.job(job)?.state == .running)
        front = restart(front, after: 0, boot: boot)
        front.pass(milliseconds: 1)
        front.settle()
        // Where the boot is not known, each life counts anew.
        #expect(front.job(job)?.state == (boot.isEmpty ? .running : .waiting))
    }

    @Test("a checkpoint keeps the lives that leases count from, and the next version of a feed")
    func checkpoint() throws {
        var (front, job) = orphaned()
        let items = try #require(FeedKey(text: "items?parameter=sample"))
        front.open()
        front = restart(front, after: 3_000)
        front.open()
        var worker = WorkerHarness(2)
        worker.register(with: &front)
        _ = front.ask(.feed(items, .load))
        worker.take(front.settle())
        var result = FeedResult()
        result.content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 1, itemCount: 1)
        while let held = worker.held.first { worker.take(worker.end(held.job, feed: result, in: &front)) }
        _ = front.ask(.feed(items, .reset(version: nil)))
        front.settle()
        let next = try #require(front.machine.state.feeds[items]?.nextVersion)
        #expect(next > 1)
        // The next life reads a checkpoint that this one has written.
        var other = restart(front, after: 1_000)
        other.machine = FrontMachine(settings: other.settings, now: other.now)
        other.machine.restore(front.machine.wholeCheckpoint, of: TurnNumber(99), isSlice: true)
        var actions: [FrontAction] = []
        other.machine.start(at: other.now, into: &actions)
        #expect(other.machine.state.feeds[items]?.nextVersion == next)
        #expect(other.machine.state.jobs.numbers.lastRankTime == front.machine.state.jobs.numbers.lastRankTime)
        other.pass(milliseconds: 4_499)
        other.settle()
        #expect(other.job(job)?.state == .running)
        other.pass(milliseconds: 1)
        other.settle()
        #expect(other.job(job)?.state == .waiting)
    }
}
