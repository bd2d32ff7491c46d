//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Memory mode")
struct MemoryModeTests {
    @Test("a checkpoint leaves out what the log leaves out: nothing that had ended runs again")
    func checkpoint() throws {
        let peer = PeerID(9)
        let first = try LoopHarness(checkpointByteCount: 500) { $0.durability = .memory }
        let (session, _) = try first.begin(worker: peer)
        let job = JobID(1)
        first.client(PeerID(7), session, .submit(LoopHarness.submit(2, loader: "rare")))
        let cancel = ClientMessage.Request(number: RequestNumber(2), lowestUnanswered: RequestNumber(2), body: .job(.cancel(JobID(2))))
        first.client(PeerID(7), session, .request(cancel))
        try first.turn()
        #expect(first.loop.item("job", of: .job(job)) != nil)
        guard case .counts(let before)? = first.loop.item("counts", of: .jobs), before.cancelled == 1 else {
            Issue.record("nothing was cancelled")
            return
        }
        // What feeds are is journaled, so a checkpoint becomes due while the job waits.
        let items = try #require(FeedKey(text: "items"))
        for number in UInt64(3)...31 {
            let body = RequestBody.feed(items, .filter(view: "shared", text: "text \(number)", version: nil))
            let request = ClientMessage.Request(number: RequestNumber(number), lowestUnanswered: RequestNumber(number), body: body)
            first.client(PeerID(7), session, .request(request))
            try first.turn()
        }
        #expect(first.rows.contains { $0.isSlice })
        let next = try LoopHarness(after: first) { $0.durability = .memory }
        #expect(next.loop.item("job", of: .job(job)) == nil)
        guard case .counts(let counts)? = next.loop.item("counts", of: .jobs) else {
            Issue.record("no counts")
            return
        }
        #expect(counts == JobCounts())
        #expect(next.loop.item("view", of: .view(items, "shared")) != nil)
    }

    @Test("leases are reserved by themselves: grants that are given again and again use them up while no job comes")
    func reservedLeases() {
        var front = FrontHarness { $0.durability = .memory }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        _ = front.submit(1, loader: "slow")
        let reserved = front.machine.state.jobs.numbers.reservedLeases
        #expect(reserved > 1_000_000)
        // Who is not known is granted nothing, and uses the lease up.
        var granted = JournalEntry.GrantedJobs(worker: WorkerID(99), at: front.now.wall)
        (granted.jobs, granted.leases) = ([1], [reserved - 1_001])
        front.machine.turn.record(.granted(granted))
        worker.take(front.settle())
        #expect(
            front.machine.state.jobs.numbers.nextLease < reserved && front.machine.state.jobs.numbers.reservedLeases > reserved + 1_000_000)
    }

    @Test("a life that journals its jobs hands out no number again that one without them did: items and leases are named by them")
    func numbersAfterMemory() {
        var front = FrontHarness { $0.durability = .memory }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 8)
        let jobs = (0..<3).map { _ in front.run(1, loader: "slow", on: &worker) }
        let leases = worker.held.map(\.lease)
        front.settings.durability = .full
        var next = front.restarted(isTakenUp: false)
        next.session = .none
        next.open()
        let job = next.submit(1, loader: "slow")
        #expect(job > jobs.max() ?? job)
        var other = WorkerHarness(2)
        other.register(with: &next)
        other.take(next.settle())
        #expect(next.machine.state.jobs.numbers.nextLease > leases.max() ?? .max)
    }

    @Test("jobs that were accepted durably are not taken over before they have ended: this life would forget their ends")
    func afterDurableLife() throws {
        let worker = PeerID(9)
        let first = try LoopHarness()
        let (session, _) = try first.begin(worker: worker)
        first.client(PeerID(7), session, .submit(LoopHarness.submit(1, loader: "rare")))
        try first.turn()
        #expect(throws: LoopEnding.holdsDurableJobs(1)) { try LoopHarness(after: first) { $0.durability = .memory } }
        let cancel = ClientMessage.Request(number: RequestNumber(2), lowestUnanswered: RequestNumber(2), body: .job(.cancel(JobID(1))))
        first.client(PeerID(7), session, .request(cancel))
        try first.turn()
        let next = try LoopHarness(after: first) { $0.durability = .memory }
        guard case .counts(let counts)? = next.loop.item("counts", of: .jobs) else {
            Issue.record("no counts")
            return
        }
        #expect(counts.cancelled == 1, "what has ended is still known")
    }

    @Test("an entry that leaves a worker's job behind leaves it in line and counted, and a cancel of it ends nobody")
    func leftBehind() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.machine.turn.record(.workerLost(JournalEntry.WorkerLost(worker.id)))
        #expect(front.counts?.waiting == 1)
        #expect(front.counts?.running == 0)
        let reply = front.ask(.job(.cancel(job)))
        #expect(reply == .cancelling(job))
        #expect(front.counts?.waiting == 0)
    }

    @Test("after a restart nothing is granted before every worker has renewed and ended what it was told to drop")
    func droppedWork() {
        var front = FrontHarness { $0.durability = .memory }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let running = front.run(1, loader: "slow", on: &worker)
        #expect(worker.held.map(\.job) == [running.rawValue])
        var next = front.restarted()
        next.open()
        let later = next.submit(1, loader: "slow")
        worker.register(with: &next)
        #expect(worker.decisions.map(\.decision) == [.drop])
        var other = WorkerHarness(2)
        other.register(with: &next)
        _ = other.renew(&next)
        other.take(next.settle())
        #expect(other.held.isEmpty, "the first worker has not said what still runs there")
        _ = worker.send(.overdue(jobs: [running.rawValue]), to: &next)
        _ = worker.renew(&next)
        other.take(next.settle())
        #expect(other.held.isEmpty, "the dropped work has not ended")
        _ = worker.send(.overdue(jobs: []), to: &next)
        let actions = next.settle()
        worker.take(actions)
        other.take(actions)
        #expect((worker.held + other.held).map(\.job) == [later.rawValue])
    }

    @Test("a load that the life before has not journaled is forgotten: its feed does nothing, in an entry, and can be loaded")
    func forgottenLoad() throws {
        var world = FeedWorld { $0.durability = .memory }
        let key = try FeedWorld.key("items?parameter=sample")
        _ = try world.accept(.feed(key, .load))
        var next = world.front.restarted(isTakenUp: false)
        #expect(next.feed(key)?.activity == .idle)
        #expect(next.started.lines.filter { $0.contains("feedChanged") } == ["entry feedChanged items?parameter=sample idle"])
        next.open()
        guard case .accepted(let load, joined: false)? = next.ask(.feed(key, .load)) else {
            Issue.record("it is not loaded")
            return
        }
        #expect(next.feed(key)?.activity.job == load)
    }

    @Test("once every worker has come back jobs are granted for good: one that comes later and has not renewed holds nobody up")
    func overForGood() {
        var front = FrontHarness { $0.durability = .memory }
        var (worker, other) = (WorkerHarness(1), WorkerHarness(2))
        front.open()
        worker.register(with: &front, slots: 1)
        var next = front.restarted()
        next.open()
        worker.register(with: &next, slots: 1)
        let first = next.submit(1, loader: "slow")
        guard case .restarting? = next.job(first)?.waitReason else { return #expect(Bool(false), "it does not wait for the restart") }
        _ = worker.renew(&next)
        worker.take(next.settle())
        #expect(worker.held.map(\.job) == [first.rawValue])
        let second = next.submit(1, loader: "slow")
        next.settle()
        #expect(next.job(second)?.waitReason == .slotsTaken)
        other.register(with: &next, slots: 1)
        other.take(next.settle())
        #expect(other.held.map(\.job) == [second.rawValue])
    }

    @Test("why a feed waits after a restart does not change from turn to turn")
    func steadyReason() throws {
        var front = FrontHarness { $0.durability = .memory }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        var next = front.restarted()
        next.open()
        _ = next.ask(.feed(try #require(FeedKey(text: "items")), .load))
        next.settle()
        let before = next.entries.count
        for _ in 0..<20 {
            // Two clocks are read one after the other: their milliseconds do not go on together.
            next.now.monotonic = next.now.monotonic.advanced(by: .milliseconds(7))
            next.now.wall = next.now.wall.advanced(by: .milliseconds(8))
            next.settle()
        }
        #expect(next.entries.count == before)
    }
}
