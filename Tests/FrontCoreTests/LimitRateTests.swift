//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Rates of limits")
struct LimitRateTests {
    private let base = LimitTests()

    /// A front of a known boot with two workers of eight slots.
    func serving(_ rules: [String: LimitRule], bound: Int? = nil, workers count: Int = 2) -> (FrontHarness, [WorkerHarness]) {
        var front = FrontHarness {
            $0.boot = BootInstant(id: "one", uptime: .seconds(1))
            if let bound { $0.bounds.limitValues = bound }
        }
        front.open()
        for (name, rule) in rules.sorted(by: { $0.key < $1.key }) { #expect(set(name, rule, &front) == .done(version: 0)) }
        var workers = (1...UInt64(count)).map { WorkerHarness($0) }
        for index in workers.indices { workers[index].register(with: &front, slots: 8, prefetch: 0) }
        return (front, workers)
    }

    func set(_ name: String, _ rule: LimitRule, _ front: inout FrontHarness) -> Reply? { front.ask(.limit(.set(name, rule))) }

    func rate(_ count: UInt32, _ seconds: Int64 = 1, burst: UInt32? = nil, capacity: UInt32? = nil) -> LimitRule {
        LimitRule(capacity: capacity, refill: LimitRefill(count, per: .seconds(seconds), burst: burst))
    }

    func submit(_ count: Int, naming keys: [LimitKey] = [LimitKey("api")], _ front: inout FrontHarness) -> UInt64 {
        front.submit(count, loader: "slow", JobOptionsColumn(JobOptions(limitKeys: keys))).rawValue
    }

    /// Time passes in which workers renew their leases.
    func pass(_ milliseconds: Int64, _ front: inout FrontHarness, _ workers: inout [WorkerHarness]) {
        for from in stride(from: 0, to: milliseconds, by: 1_000) {
            front.pass(milliseconds: min(1_000, milliseconds - from))
            for index in workers.indices { workers[index].take(workers[index].renew(&front)) }
            base.settle(&front, &workers)
        }
    }

    func tokens(_ front: FrontHarness, _ name: String = "api", value: String = "") -> UInt32? {
        guard let summary = base.summary(name, front), let refill = summary.rule.refill else { return nil }
        return refill.tokens(fullAt: summary.values.first { $0.value == value }?.fullAt ?? summary.fullAt, at: front.now.wall)
    }

    @Test("the burst begins at once, then one with each token, when it comes and not before; nothing bounds how many run")
    func begins() {
        var (front, workers) = serving(["api": rate(10, burst: 3)])
        let first = submit(8, &front)
        base.settle(&front, &workers)
        #expect(base.held(workers) == Array(first..<first + 3) && tokens(front) == 0)
        let next = front.now.wall.advanced(by: .milliseconds(100))
        #expect(front.job(JobID(first + 3))?.waitReason == .limitFull(LimitKey("api"), .tokens(next: next)))
        #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic.advanced(by: .milliseconds(100)) } == true)
        for more in 1...5 {
            pass(99, &front, &workers)
            #expect(base.held(workers).count == 2 + more)
            pass(1, &front, &workers)
            #expect(base.held(workers).count == 3 + more)
            base.check(front)
        }
        #expect(base.summary("api", front).map { [$0.inUse, $0.waiting] } == [8, 0])
    }

    @Test("a limit with both bounds what runs and what begins; its reason is the one that binds")
    func both() {
        var (front, workers) = serving(["api": rate(10, burst: 4, capacity: 2)])
        let first = submit(6, &front)
        base.settle(&front, &workers)
        #expect(base.held(workers) == [first, first + 1] && tokens(front) == 2)
        #expect(front.job(JobID(first + 2))?.waitReason == .limitFull(LimitKey("api"), .permits(inUse: 2, capacity: 2)))
        for job in first..<first + 3 { base.end(job, &front, &workers) }
        #expect(base.held(workers) == [first + 3])
        guard case .limitFull(_, .tokens)? = front.job(JobID(first + 4))?.waitReason else {
            return #expect(Bool(false), "\(String(describing: front.job(JobID(first + 4))?.waitReason))")
        }
        pass(100, &front, &workers)
        #expect(base.held(workers) == [first + 3, first + 4])
        base.check(front)
    }

    @Test("a job of two limits takes tokens and permits of both or of none")
    func together() {
        var (front, workers) = serving(["api": rate(1, 10, burst: 1), "tenant": rate(1, 10, burst: 2)])
        let keys = [LimitKey("tenant", value: "a"), LimitKey("api")]
        let first = submit(2, naming: keys, &front)
        base.settle(&front, &workers)
        #expect(base.held(workers) == [first] && tokens(front, "tenant", value: "a") == 1)
        pass(9_999, &front, &workers)
        #expect(base.held(workers) == [first])
        pass(1, &front, &workers)
        #expect(base.held(workers) == [first, first + 1] && tokens(front, "tenant", value: "a") == 1)
        base.check(front)
    }

    @Test("each value has tokens of its own")
    func values() {
        var (front, workers) = serving(["tenant": rate(1, 60, burst: 1)])
        let keys = ["", "a", "b"].map { LimitKey("tenant", value: $0) }
        let jobs = keys.map { submit(2, naming: [$0], &front) }
        base.settle(&front, &workers)
        #expect(base.held(workers) == jobs)
        pass(60_000, &front, &workers)
        #expect(base.held(workers).count == 6)
        base.check(front)
    }

    @Test("a changed rate counts by the old one up to that turn, for values with and without tokens missing, and wakes who waits")
    func changed() {
        var (front, workers) = serving(["api": rate(1, 10, burst: 2)])
        let first = submit(12, &front)
        base.settle(&front, &workers)
        pass(5_000, &front, &workers)
        #expect(base.held(workers).count == 2)
        #expect(set("api", rate(10, 1, burst: 5), &front) == .done(version: 0))
        base.check(front)
        // Half a token by the old rate, the other half in 50 ms by the new one.
        pass(49, &front, &workers)
        #expect(base.held(workers).count == 2)
        pass(1, &front, &workers)
        #expect(base.held(workers).count == 3)
        // A value of which none was taken has the old burst, and what has come since.
        #expect(tokens(front, value: "other") == 2)
        pass(400, &front, &workers)
        #expect(tokens(front, value: "other") == 5 && base.held(workers).count == 7)
        #expect(set("api", LimitRule(capacity: 8), &front) == .done(version: 0))
        base.settle(&front, &workers)
        #expect(base.held(workers) == Array(first..<first + 8) && !front.machine.state.jobs.limits.hasRates)
        base.check(front)
    }

    @Test("levels outlast the front, by its rows and by a checkpoint, and time in which no front runs counts; another boot adds nothing")
    func restarts() {
        var (front, workers) = serving(["api": rate(1, 10, burst: 4)])
        let first = submit(3, &front)
        base.settle(&front, &workers)
        pass(5_000, &front, &workers)
        #expect(set("api", rate(1, 20, burst: 6), &front) == .done(version: 0))
        base.check(front)
        var stored = FrontHarness().machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(900), isSlice: true)
        #expect(front.machine.state.jobs.limits.differingBucket(from: stored.state.jobs.limits) == nil)
        #expect(front.machine.state.jobs.limits.entries == stored.state.jobs.limits.entries)
        front.pass(milliseconds: 10_000)
        var next = front.restarted()
        next.settle()
        // One and a half by the old rate, half a one by the new one while no front ran.
        #expect(tokens(next) == 2 && base.held(workers).contains(first))
        next.pass(milliseconds: 40_000)
        (next.now.monotonic, next.settings.boot) = (MonotonicTime(nanoseconds: 0), BootInstant(id: "two", uptime: .zero))
        next = next.restarted()
        next.settle()
        #expect(tokens(next) == 2)
        next.pass(milliseconds: 20_000)
        #expect(tokens(next) == 3)
        base.check(next)
    }

    @Test(
        "a checkpoint that was stored while a rate changed is changed by no entry up to its turn, and nothing that is short is forgotten",
        arguments: [(10, 10, 9), (1, 3_600, 1_000)] as [(Int64, Int64, UInt32)])
    func stored(old: Int64, new: Int64, burst: UInt32) {
        var (front, workers) = serving(["api": rate(1, old, burst: burst)])
        _ = submit(2, &front)
        base.settle(&front, &workers)
        let head = front.machine.wholeCheckpoint.filter { if case .limitChanged = $0 { true } else { false } }
        pass(500, &front, &workers)
        #expect(set("api", rate(3, new, burst: burst), &front) == .done(version: 0))
        let change = front.entries.last { if case .limitChanged = $0 { true } else { false } }
        let slice = front.machine.wholeCheckpoint.filter { if case .tokensChanged = $0 { true } else { false } }
        #expect(!slice.isEmpty)
        var other = FrontHarness().machine
        other.restore(head, of: TurnNumber(5), isSlice: true)
        other.restore(slice, of: TurnNumber(7), isSlice: true)
        #expect(other.state.jobs.limits.uses.contains { $0.bucket != nil })
        other.restore([change].compactMap { $0 }, of: TurnNumber(6), isSlice: false)
        #expect(front.machine.state.jobs.limits.differingBucket(from: other.state.jobs.limits) == nil)
    }

    @Test("a value that is full when its last job ends behind a checkpoint is forgotten by who reads both as by the front")
    func forgottenBehindCheckpoint() {
        var (front, workers) = serving(["api": rate(1, 10, burst: 1)])
        let first = submit(1, naming: [LimitKey("api", value: "a")], &front)
        base.settle(&front, &workers)
        pass(20_000, &front, &workers)
        _ = submit(1, naming: [LimitKey("api", value: "b")], &front)
        base.settle(&front, &workers)
        var restored = FrontHarness().machine
        restored.restore(front.machine.wholeCheckpoint, of: TurnNumber(900), isSlice: true)
        #expect(restored.state.jobs.limits.ratedUses == 2)
        let known = front.entries.count
        base.end(first, &front, &workers)
        restored.restore(Array(front.entries[known...]), of: TurnNumber(901), isSlice: false)
        #expect(front.machine.state.jobs.limits.ratedUses == 1 && restored.state.jobs.limits.ratedUses == 1)
    }

    @Test("steps of the wall clock bring no tokens and take none; what is shown goes by the new time")
    func clockSteps() {
        var (front, workers) = serving(["api": rate(1, 10, burst: 1)])
        let first = submit(2, &front)
        base.settle(&front, &workers)
        for step in [86_400_000, -172_800_000, FrontHarness.year, -2 * FrontHarness.year] {
            front.setWallClock(milliseconds: step)
            base.settle(&front, &workers)
            #expect(base.held(workers) == [first])
            let next = front.now.wall.advanced(by: .milliseconds(10_000))
            #expect(front.job(JobID(first + 1))?.waitReason == .limitFull(LimitKey("api"), .tokens(next: next)))
            #expect(base.summary("api", front)?.values.first?.fullAt == next)
        }
        pass(10_000, &front, &workers)
        #expect(base.held(workers) == [first, first + 1])
    }

    @Test("a value without jobs is kept until its tokens are back, and then forgotten; so many values there are at most")
    func forgotten() {
        var (front, workers) = serving(["api": rate(1, 10, burst: 2)], bound: 3)
        func code(_ reply: Reply?) -> FailureCode? { if case .refused(let failure, _)? = reply { failure.code } else { nil } }
        func ask(_ values: String...) -> Reply? {
            let rows = values.map { JobOptions(limitKeys: [LimitKey("api", value: $0)]) }
            return front.askSubmit(rows.count, loader: "slow", JobOptionsColumn(rows))
        }
        #expect(code(ask("a", "b", "c", "d")) == .busy && code(ask("a", "b")) == nil)
        base.settle(&front, &workers)
        for job in base.held(workers) { base.end(job, &front, &workers) }
        #expect(front.machine.state.jobs.limits.ratedUses == 2 && base.summary("api", front)?.valueCount == 2)
        #expect(code(ask("c", "d")) == .busy && code(ask("a", "c")) == nil)
        base.settle(&front, &workers)
        base.check(front)
        for job in base.held(workers) { base.end(job, &front, &workers) }
        pass(10_000, &front, &workers)
        // Of the first one two are missing.
        #expect(front.machine.state.jobs.limits.ratedUses == 1 && tokens(front, value: "a") == 1)
        base.check(front)
        #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic.advanced(by: .milliseconds(10_000)) } == true)
        pass(10_000, &front, &workers)
        #expect(front.machine.state.jobs.limits.ratedUses == 0 && !front.machine.state.jobs.limits.isUsed)
        base.check(front)
        #expect(set("tenant", LimitRule(capacity: 1), &front) == .done(version: 0))
        _ = submit(1, naming: [LimitKey("tenant", value: "x")], &front)
        for value in ["a", "b", "c"] { _ = submit(1, naming: [LimitKey("tenant", value: value)], &front) }
        #expect(code(set("tenant", rate(1), &front)) == .busy)
    }

    @Test("a limit that is deleted forgets its tokens; what says nothing, and what cannot be, is refused")
    func refused() {
        var (front, workers) = serving(["api": rate(1, 60, burst: 1)])
        func code(_ reply: Reply?) -> FailureCode? { if case .refused(let failure, _)? = reply { failure.code } else { nil } }
        let job = submit(1, &front)
        base.settle(&front, &workers)
        base.end(job, &front, &workers)
        #expect(tokens(front) == 0 && front.ask(.limit(.delete("api"))) == .done(version: 0))
        #expect(!front.machine.state.jobs.limits.isUsed && front.machine.state.jobs.limits.ratedUses == 0)
        base.check(front)
        #expect(set("api", rate(1, 60, burst: 1), &front) == .done(version: 0) && tokens(front) == 1)
        let wrong = [LimitRule(), rate(0), rate(1, 0), rate(1, 2_592_001), rate(1, burst: 0), rate(1_000_001), rate(1, burst: 1_000_001)]
        for rule in wrong { #expect(code(set("api", rule, &front)) == .invalidData, "\(rule)") }
        #expect(code(set("api", LimitRule(refill: LimitRefill(1, per: .microseconds(1_000_500))), &front)) == .invalidData)
        let most = LimitRule(capacity: 1_000_000, refill: LimitRefill(1_000_000, per: .seconds(2_592_000), burst: 1_000_000))
        #expect(set("api", most, &front) == .done(version: 0))
        base.check(front)
    }

    @Test("bulk jobs take a token each, as many at once as there are")
    func bulk() {
        var (front, workers) = serving(["api": rate(100, burst: 10)])
        workers[0].register(with: &front, slots: 4, prefetch: 500)
        let first = front.submit(40, JobOptionsColumn(JobOptions(limitKeys: [LimitKey("api")]))).rawValue
        base.settle(&front, &workers)
        #expect(base.held(workers).count == 10 && tokens(front) == 0)
        pass(55, &front, &workers)
        #expect(base.held(workers) == Array(first..<first + 15))
        base.check(front)
    }

    @Test("thousands of buckets that are full at once are forgotten so many in a turn, and the next turns go on")
    func bounded() {
        var limits = LimitTable()
        limits.apply(limits.change(of: "tenant", to: rate(1, 10, burst: 1), at: 0, lease: 1))
        let count = 10_000
        let levels = (0..<count).map {
            JournalEntry.TokenLevel(LimitKey("tenant", value: "\($0)"), level: 0, lengthTime: Int64($0 * 7_919 % 5_000))
        }
        limits.apply(JournalEntry.TokensChanged(levels))
        #expect(limits.ratedUses == count && limits.due.count == count)
        var turns = 0
        repeat {
            limits.apply(JournalEntry.TokensChanged(limits.pass(to: 15_000)))
            turns += 1
            #expect(limits.isUnfinished == (limits.ratedUses > 0))
        } while limits.isUnfinished && turns < 100
        #expect(turns > 2 && !limits.isUsed, "\(turns) turns")
    }

    @Test("a full disk and a limit without a rate leave no deadline that is over")
    func deadlines() {
        var (front, workers) = serving(["api": rate(10, burst: 1)])
        _ = submit(2, &front)
        base.settle(&front, &workers)
        front.handle(.storageFull(true))
        pass(1_000, &front, &workers)
        #expect(front.machine.nextDeadline.map { $0 > front.now.monotonic } != false)
        front.handle(.storageFull(false))
        #expect(set("api", LimitRule(capacity: 1), &front) == .done(version: 0))
        pass(1_000, &front, &workers)
        #expect(front.machine.nextDeadline.map { $0 > front.now.monotonic } != false)
        base.check(front)
    }
}
