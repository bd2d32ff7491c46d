//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("What entries make of the state")
struct AppliedEntryTests {
    /// A front with a job that its only worker runs.
    private func running() -> (FrontHarness, job: UInt64) {
        var (front, worker) = FrontHarness.serving()
        let job = front.submit(1, loader: "slow").rawValue
        worker.take(front.settle())
        return (front, job)
    }

    @Test("totals of a checkpoint raise every number that goes on from there, and lower none")
    func totals() {
        var state = FrontState()
        let high = JournalEntry.CountsStored(
            JobCounts(), nextJob: JobID(70), nextLease: LeaseID(80), nextRegistrationNumber: RegistrationNumber(90), lastRankTime: 1_000)
        let low = JournalEntry.CountsStored(
            JobCounts(), nextJob: JobID(7), nextLease: LeaseID(8), nextRegistrationNumber: RegistrationNumber(9), lastRankTime: 1)
        for stored in [high, low] {
            state.apply(.countsStored(stored))
            #expect((state.jobs.numbers.nextJob, state.jobs.numbers.nextLease, state.workers.nextRegistrationNumber) == (70, 80, 90))
            #expect(state.jobs.numbers.lastRankTime == 1_000)
        }
    }

    @Test("a grant to a worker that is not known any more uses its leases up all the same")
    func unknownWorker() {
        var state = FrontState()
        var granted = JournalEntry.GrantedJobs(worker: WorkerID(9), at: WallTime(milliseconds: 1))
        (granted.jobs, granted.leases) = ([1, 2], [41, 40])
        state.apply(.granted(granted))
        #expect(state.jobs.numbers.nextLease == 42)
    }

    @Test("an entry of the turn at which a job was stored is not applied to it again: what is stored has it")
    func storedTurn() {
        let (front, job) = running()
        var restored = FrontState()
        for entry in front.machine.wholeCheckpoint { restored.restore(entry, of: TurnNumber(7), isSlice: true) }
        let cancel = JournalEntry.CancelRequested(JobID(job), by: "test", at: front.now.wall)
        for (turn, state) in [(UInt64(6), JobState.running), (7, .running), (8, .cancelling)] {
            restored.restore(.cancelRequested(cancel), of: TurnNumber(turn), isSlice: false)
            #expect(restored.jobs[job].state == state)
        }
    }

    @Test("a bucket that a checkpoint has stored has the rates of that turn and before in it: none of them changes it, or shows it full")
    func storedBucket() {
        func rule(_ seconds: Int64) -> LimitRule { LimitRule(refill: LimitRefill(1, per: .seconds(seconds), burst: 1)) }
        let key = LimitKey("api", value: "a")
        var limits = LimitTable()
        limits.apply(limits.change(of: "api", to: rule(10), at: 0, lease: 1), turn: 5)
        limits.apply(JournalEntry.TokensChanged([.init(key, level: 30_000, lengthTime: 1_000)]), turn: 7, stored: 7)
        // By the time that a later slice brings it would be full at the faster rate, which that turn has had for a moment.
        let other = JournalEntry.TokenLevel(LimitKey("api", value: "b"), level: 0, lengthTime: 20_000)
        limits.apply(JournalEntry.TokensChanged([other]), turn: 9, stored: 9)
        for seconds: Int64 in [1, 60] { limits.apply(limits.change(of: "api", to: rule(seconds), at: 1_000, lease: 1), turn: 7) }
        #expect(limits.ratedUses == 2 && limits.pass(to: 30_999).isEmpty && limits.tokens(of: key) == 0)
        #expect(limits.pass(to: 31_000) == [JournalEntry.TokenLevel(key, level: 60_000, lengthTime: 31_000)])
    }

    /// Rates of 1 in so many seconds.
    private func rate(_ seconds: Int64, burst: UInt32 = 1) -> LimitRule {
        LimitRule(refill: LimitRefill(1, per: .seconds(seconds), burst: burst))
    }

    @Test("a bucket that was short while its rate was a fast one stays short in a restart, however late the later slices are")
    func slicesBetweenRates() {
        var (live, restored) = (LimitTable(), LimitTable())
        let (early, late) = (LimitKey("api", value: "a"), LimitKey("api", value: "b"))
        live.apply(live.change(of: "api", to: rate(10), at: 0, lease: 1), turn: 4)
        for case .limitChanged(let head) in live.entries { restored.apply(head) }
        live.apply(JournalEntry.TokensChanged([.init(early, level: 0, lengthTime: 1_000)]), turn: 5)
        let (levels, next) = live.levels(from: 0, looks: 1)
        #expect(levels.map(\.key) == [early] && next == nil)
        restored.apply(JournalEntry.TokensChanged(levels), stored: 6)
        var rows: [(turn: UInt64, entry: JournalEntry.LimitChanged)] = []
        // By the fast one it would be full at 2900.
        for (turn, seconds, time) in [(7, 1, 2_000), (8, 60, 2_500)] as [(UInt64, Int64, LengthTime)] {
            rows.append((turn, live.change(of: "api", to: rate(seconds), at: time, lease: 1)))
            live.apply(rows[rows.count - 1].entry, turn: turn)
        }
        live.apply(JournalEntry.TokensChanged([.init(late, level: 0, lengthTime: 20_000)]), turn: 9)
        restored.apply(JournalEntry.TokensChanged(live.levels(from: 1, looks: 9).levels), stored: 10)
        for row in rows { restored.apply(row.entry, turn: row.turn) }
        #expect(live.differingBucket(from: restored) == nil && restored.ratedUses == 2)
        #expect([live, restored].map { [$0.tokens(of: early), $0.tokens(of: late)] } == [[0, 0], [0, 0]])
        #expect([live, restored].map { table in table.useIndexes[early].map { table.nextToken(of: $0) } } == [26_500, 26_500])
        // A row brings one that a checkpoint has stored up to date as it does others.
        let full = JournalEntry.TokensChanged([.init(early, level: 60_000, lengthTime: 26_500)])
        live.apply(full, turn: 11)
        restored.apply(full, turn: 11)
        #expect(live.ratedUses == 1 && restored.ratedUses == 1)
    }

    @Test("a stored bucket is full by no rate that its limit had before, when the last job that names it ends in a restart")
    func leftBetweenRates() {
        var (live, restored) = (LimitTable(), LimitTable())
        let key = LimitKey("api", value: "a")
        live.apply(live.change(of: "api", to: rate(1, burst: 2), at: 0, lease: 1), turn: 4)
        for case .limitChanged(let head) in live.entries { restored.apply(head) }
        live.enter(1, [key])
        let taken = JournalEntry.TokensChanged([.init(key, level: 1_000, lengthTime: 1_000)])
        live.apply(taken, turn: 5)
        live.leave(1)
        let change = live.change(of: "api", to: rate(60, burst: 2), at: 1_000, lease: 1)
        live.apply(change, turn: 7)
        restored.apply(JournalEntry.TokensChanged(live.levels(from: 0, looks: 9).levels), stored: 8)
        restored.enter(1, [key])
        restored.apply(taken, turn: 5)
        restored.leave(1)
        restored.apply(change, turn: 7)
        #expect(live.differingBucket(from: restored) == nil && live.tokens(of: key) == 1 && restored.tokens(of: key) == 1)
        let full = [JournalEntry.TokenLevel(key, level: 120_000, lengthTime: 61_000)]
        for time: LengthTime in [60_999, 61_000] {
            let expected = time == 61_000 ? full : []
            #expect(live.pass(to: time) == expected && restored.pass(to: time) == expected)
        }
    }

    @Test("what one table has forgotten as full and another has not yet looked at differs in nothing, and what is short does")
    func comparedLater() {
        var (early, late) = (LimitTable(), LimitTable())
        let key = LimitKey("api", value: "a")
        let change = early.change(of: "api", to: rate(10), at: 0, lease: 1)
        let other = JournalEntry.TokensChanged([.init(LimitKey("api", value: "b"), level: 0, lengthTime: 20_000)])
        early.apply(change)
        late.apply(change)
        early.apply(JournalEntry.TokensChanged([.init(key, level: 0, lengthTime: 1_000)]))
        late.apply(JournalEntry.TokensChanged([.init(key, level: 0, lengthTime: 1_000)]))
        early.apply(other, stored: 7)
        late.apply(other)
        late.enter(1, [key])
        late.leave(1)
        #expect(early.ratedUses == 2 && late.ratedUses == 1)
        #expect(early.differingBucket(from: late) == nil && late.differingBucket(from: early) == nil)
        early.apply(JournalEntry.TokensChanged([.init(key, level: 0, lengthTime: 15_000)]))
        #expect(early.differingBucket(from: late) == key && late.differingBucket(from: early) == key)
    }

    @Test("with an ended job goes what was noted of its cancel")
    func forgottenCancel() {
        var front = FrontHarness { $0.bounds.retention[.cancelled].age = .seconds(1) }
        front.open()
        let job = front.submit(1)
        _ = front.ask(.job(.cancel(job)))
        #expect(front.machine.state.jobs.cancels[job.rawValue] != nil)
        front.settle()
        front.pass(milliseconds: 2_000)
        front.settle()
        #expect(front.job(job) == nil)
        #expect(front.machine.state.jobs.cancels.isEmpty)
    }

    @Test("how far a worker is with a cancel is of this life: a checkpoint has only that it was asked for")
    func cancelSteps() throws {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        _ = front.ask(.job(.cancel(job)))
        let before = front.machine.wholeCheckpoint
        let lease = LeaseID(try #require(worker.held.first).lease)
        _ = worker.send(.cancelStep(lease, .stopping), to: &front)
        #expect(front.machine.state.jobs.cancels[job.rawValue]?.stoppingAt != nil)
        #expect(front.machine.wholeCheckpoint == before)
    }

    @Test("a worker that reregisters is known as it says now")
    func registeredAgain() {
        var (front, worker) = FrontHarness.serving(slots: 2)
        worker.register(with: &front, slots: 5)
        let registration = front.machine.state.workers[0]?.registration
        #expect(registration?.slots == 5)
        for _ in 0..<6 { _ = front.submit(1, loader: "slow") }
        worker.take(front.settle())
        #expect(worker.held.count == 5)
    }

    @Test("a worker is told what a feed's job sorts, and whether what it makes is the only copy of a user's own")
    func work() throws {
        var world = FeedWorld()
        let (items, todos) = (try FeedWorld.key("items?parameter=sample"), try FeedWorld.key("todos"))
        func work(_ job: JobID) -> FeedWork? { world.worker.held.first { $0.job == job.rawValue }?.work }
        for key in [items, todos] {
            let load = try world.accept(.feed(key, .load))
            world.grant()
            #expect(work(load)?.isPersistent == false && work(load)?.content == nil)
            world.rest()
        }
        let content = try #require(world.front.feed(items)?.content)
        let sort = try world.accept(.feed(items, .filter(view: "shared", text: "ab", version: nil)))
        world.grant()
        #expect(work(sort)?.filter == "ab" && work(sort)?.isPersistent == false && work(sort)?.content == content.object)
        let create = try world.accept(.feed(todos, .create(item: [1])))
        world.grant()
        #expect(work(create)?.isPersistent == true && work(create)?.item == [1])
    }

    @Test("of a view that is forgotten nothing is kept: one of the same name begins anew")
    func forgottenView() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("items?parameter=sample")
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        _ = world.front.ask(.feed(key, .filter(view: "mine", text: "ab", version: nil)))
        world.rest()
        _ = world.front.ask(.feed(key, .select(view: "mine", itemID: "1", version: nil)))
        world.rest()
        #expect(world.front.machine.state.feeds.view("mine", of: key)?.selectedAfter != JobID.none)
        let order = try #require(world.front.view(key, "mine")?.revision?.order).digest
        #expect(world.front.machine.state.feeds.names(order))
        world.front.machine.turn.record(.viewForgotten(JournalEntry.ViewForgotten(key, "mine")))
        #expect(world.front.machine.state.feeds.view("mine", of: key) == nil)
        #expect(world.front.view(key, "mine") == nil)
        // Nor of what it was read by, which would lie on the disk for ever.
        #expect(!world.front.machine.state.feeds.names(order))
    }

    @Test("who asks for a feed that loads already because somebody is attached has asked for it")
    func askedWhileLoading() throws {
        var (front, worker) = FrontHarness.serving()
        let lazy = try FeedWorld.key("lazy")
        _ = front.ask(.feed(lazy, .attach(view: "shared")))
        worker.take(front.settle())
        #expect(front.machine.state.feeds[lazy]?.isAskedFor == false)
        _ = front.ask(.feed(lazy, .load))
        #expect(front.machine.state.feeds[lazy]?.isAskedFor == true)
        // So it goes on when nobody is attached any more.
        _ = front.ask(.feed(lazy, .detach(view: "shared")))
        front.pass(milliseconds: 3_000)
        front.settle()
        #expect(worker.held.first.map { front.job(JobID($0.job))?.state } == .running)
    }
}
