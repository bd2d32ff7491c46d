//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Work that goes on in later turns and lives")
struct ContinuationTests {
    /// A front of which a turn takes back so many jobs of lost workers, and a worker that holds eight.
    private static func holding(_ loader: String = "slow", budget: Int = 3) -> (FrontHarness, WorkerHarness, [JobID]) {
        var front = FrontHarness { $0.bounds.lostJobs = budget }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 8)
        let first = front.run(8, loader: loader, on: &worker)
        return (front, worker, (0..<8).map { JobID(first.rawValue + $0) })
    }

    private static func states(_ jobs: [JobID], _ front: FrontHarness) -> [JobState: Int] {
        Dictionary(grouping: jobs.compactMap { front.job($0)?.state }, by: \.self).mapValues(\.count)
    }

    /// The next turn, which must come at once.
    private static func turn(_ front: inout FrontHarness) {
        #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic } == true)
        #expect(front.machine.neglected.work == nil)
        front.settle()
    }

    // MARK: Lost workers

    @Test("a turn takes so many jobs from a lost worker, the newest grants first; an entry says where the next one goes on")
    func losses() {
        var (front, worker, jobs) = Self.holding()
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.map { front.job($0)?.state == .waiting } == [false, false, false, false, false, true, true, true])
        let lost = JournalEntry.LostWorker(worker.id, .workerLost, isSuspected: true)
        #expect(front.machine.state.left.all == [JournalEntry.WorkLeft(.loss(lost), since: front.now.wall, at: .job(jobs[4]))])
        #expect(front.worker(worker.id)?.state == .silent)
        // It has to register to be heard.
        #expect(worker.renew(&front) == [.sendToWorker(worker.peer, .reregister)])
        Self.turn(&front)
        #expect(Self.states(jobs, front) == [.running: 2, .waiting: 6])
        Self.turn(&front)
        #expect(Self.states(jobs, front) == [.waiting: 8])
        #expect(jobs.allSatisfy { front.isSuspected($0) && front.job($0)?.crashCount == 0 })
        #expect(front.machine.state.left.isEmpty && front.worker(worker.id) == nil)
        #expect(front.machine.nextDeadline.map { $0 > front.now.monotonic } ?? true)
    }

    @Test("workers that are lost together share a turn's budget")
    func several() {
        var (front, _, jobs) = Self.holding(budget: 10)
        var other = WorkerHarness(2)
        other.register(with: &front, slots: 8)
        let first = front.run(8, loader: "slow", on: &other)
        let all = jobs + (0..<8).map { JobID(first.rawValue + $0) }
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(Self.states(all, front) == [.running: 6, .waiting: 10])
        Self.turn(&front)
        #expect(Self.states(all, front) == [.waiting: 16])
    }

    @Test(
        "what a loss says of its jobs holds for all of them, also after a restart, from the log and from a checkpoint",
        arguments: [false, true])
    func restarted(fromCheckpoint: Bool) {
        let (before, worker, jobs) = Self.holding("once")
        var front = before
        front.pass(milliseconds: 5_500)
        front.settle()
        var next = front.restarted()
        if fromCheckpoint {
            next.machine = FrontMachine(settings: next.settings, now: front.now)
            next.machine.restore(front.machine.wholeCheckpoint, of: TurnNumber(9), isSlice: true)
            var actions: [FrontAction] = []
            next.machine.start(at: front.now, into: &actions)
        }
        #expect(next.machine.state.left.all == front.machine.state.left.all)
        #expect(next.machine.state.workLeft == ["loss of worker \(worker.id)"])
        for _ in 0..<2 { Self.turn(&next) }
        #expect(jobs.allSatisfy { next.job($0)?.failure?.code == .outcomeUnknown })
        #expect(next.worker(worker.id) == nil && next.machine.state.left.isEmpty)
    }

    @Test("a worker that registers before all was taken from it keeps what it names of the rest, and loses the others")
    func registered() {
        var (front, worker, jobs) = Self.holding()
        front.pass(milliseconds: 5_500)
        front.settle()
        worker.held.removeAll { $0.job == jobs[0].rawValue }
        worker.register(with: &front, slots: 8)
        #expect(front.machine.state.left.isEmpty)
        #expect(worker.held.map(\.job) == jobs[1...4].map(\.rawValue))
        #expect(jobs.map { front.job($0)?.state == .running } == [false, true, true, true, true, false, false, false])
        #expect(front.worker(worker.id)?.state == .live)
        // Nothing that was begun before ends this registration.
        front.pass(milliseconds: 1)
        front.settle()
        #expect(front.worker(worker.id) != nil)
    }

    @Test("a close with much in hand goes on too, and counts as no death")
    func close() {
        var (front, worker, jobs) = Self.holding(budget: 5)
        _ = worker.send(.close(), to: &front)
        front.settle()
        #expect(Self.states(jobs, front) == [.running: 3, .waiting: 5])
        Self.turn(&front)
        #expect(Self.states(jobs, front) == [.waiting: 8])
        #expect(!jobs.contains { front.isSuspected($0) })
        var causes: [AttemptEndCause] = []
        for case .attemptsEnded(let ended) in front.entries { causes.append(ended.cause) }
        #expect(causes == [.workerClosed, .workerClosed])
    }

    @Test("what a worker had not taken as it closed waits again uncounted, in whichever turn it is taken back")
    func untaken() {
        var (front, worker, jobs) = Self.holding(budget: 5)
        _ = worker.send(.close(takenBelow: LeaseID(worker.held[2].lease)), to: &front)
        front.settle()
        Self.turn(&front)
        #expect(Self.states(jobs, front) == [.waiting: 8])
        #expect(jobs.map { front.job($0)?.attempts } == [1, 1, 0, 0, 0, 0, 0, 0])
    }

    @Test(
        "after a restart amid the rest nobody knows what a worker had not taken, nor what it had listed: none of that runs again",
        arguments: [false, true])
    func untakenBeforeRestart(isListed: Bool) {
        var (front, worker, jobs) = Self.holding("once", budget: 5)
        if isListed { _ = worker.renew(&front) }
        _ = worker.send(.close(takenBelow: LeaseID(1)), to: &front)
        front.settle()
        #expect(Self.states(jobs, front) == [.running: 3, isListed ? .failed : .waiting: 5])
        var next = front.restarted()
        Self.turn(&next)
        #expect(next.machine.state.left.isEmpty)
        #expect(jobs.prefix(3).allSatisfy { next.job($0)?.failure?.code == .outcomeUnknown && next.job($0)?.attempts == 1 })
        #expect(jobs.suffix(5).allSatisfy { next.job($0)?.state == (isListed ? .failed : .waiting) })
        #expect(jobs.suffix(5).allSatisfy { next.job($0)?.attempts == (isListed ? 1 : 0) })
    }

    @Test("a worker that has closed and registers before all was taken from it may have begun what it is granted then")
    func reopened() {
        var (front, worker, jobs) = Self.holding("once")
        _ = worker.send(.close(takenBelow: LeaseID(worker.held[0].lease)), to: &front)
        front.settle()
        #expect(Self.states(jobs, front)[.running].map { $0 > 0 } == true)
        worker.register(with: &front, slots: 8)
        worker.take(front.settle())
        #expect(Self.states(jobs, front) == [.running: 8])
        front.pass(milliseconds: 5_500)
        for _ in 0..<3 { Self.turn(&front) }
        #expect(jobs.allSatisfy { front.job($0)?.failure?.code == .outcomeUnknown })
    }

    @Test("a worker that drains by itself has ended, in whichever turn a job is taken from it, and one that has come back since is lost")
    func drained() {
        func areEnded(_ jobs: some Sequence<JobID>, _ front: FrontHarness) -> [Bool] {
            jobs.map { front.job($0)?.failure?.text.contains("ended before its run had") ?? false }
        }
        var (front, worker, jobs) = Self.holding("once")
        _ = worker.send(.draining, to: &front)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(Self.states(jobs, front) == [.running: 5, .failed: 3])
        var other = front
        for _ in 0..<2 { Self.turn(&front) }
        #expect(Self.states(jobs, front) == [.failed: 8])
        #expect(areEnded(jobs, front) == jobs.map { _ in true })
        worker.register(with: &other, slots: 8)
        other.pass(milliseconds: 5_500)
        for _ in 0..<2 { Self.turn(&other) }
        #expect(Self.states(jobs, other) == [.failed: 8])
        #expect(areEnded(jobs, other) == [false, false, false, false, false, true, true, true])
    }

    @Test("the crash of a worker counts against all that it had named as what it could not stop, some in each turn")
    func culprits() {
        var (front, worker, jobs) = Self.holding()
        worker.held = []
        worker.register(with: &front, slots: 8)
        _ = worker.send(.overdue(jobs: jobs.map(\.rawValue)), to: &front)
        front.pass(milliseconds: 5_500)
        var left: [Int] = []
        repeat {
            front.settle()
            left.append(jobs.count { front.job($0)?.crashCount == 0 })
        } while !front.machine.state.left.isEmpty && left.count < 9
        #expect(left == [5, 2, 0])
        #expect(front.worker(worker.id) == nil)
    }

    // MARK: Resets

    /// A feed with a save that runs and five behind it.
    private static func saves(budget: Int = 2) throws -> (FeedWorld, FeedKey, [JobID]) {
        var world = FeedWorld { $0.bounds.resetJobs = budget }
        let key = try FeedWorld.key("todos")
        let saves = try (0..<6).map { try world.accept(.feed(key, .create(item: Array("\($0)".utf8)))) }
        world.grant()
        return (world, key, saves)
    }

    @Test("a reset cancels so many jobs in one turn, what runs first, and the others in the next ones; what came after it stays")
    func reset() throws {
        var (world, key, saves) = try Self.saves()
        #expect(world.front.ask(.feed(key, .reset(version: nil))) == .done(version: 0))
        let later = try world.accept(.feed(key, .create(item: Array("later".utf8))))
        #expect(saves.map { world.front.job($0)?.state } == [.cancelling, .waiting, .waiting, .waiting, .waiting, .cancelled])
        let rest = JournalEntry.WorkLeft(.reset(key, by: "test"), since: world.front.now.wall, at: .job(saves[4]))
        #expect(world.front.machine.state.left.all == [rest])
        var next = world.front.restarted()
        #expect(next.machine.state.left.all == [rest])
        for _ in 0..<2 { Self.turn(&next) }
        #expect(saves.map { next.job($0)?.state } == [.cancelling, .cancelled, .cancelled, .cancelled, .cancelled, .cancelled])
        #expect(next.machine.state.left.isEmpty)
        #expect(next.job(later)?.state == .waiting)
    }

    @Test("nothing becomes of a save that was accepted before a reset and ends before its turn to be cancelled has come")
    func lateSave() throws {
        var (world, key, saves) = try Self.saves(budget: 0)
        #expect(world.front.ask(.feed(key, .reset(version: nil))) == .done(version: 0))
        world.finish(saves[0].rawValue)
        #expect(world.front.job(saves[0])?.state == .succeeded)
        #expect(world.front.feed(key)?.content == nil)
        #expect(world.front.view(key)?.revision == nil)
        #expect(world.front.late == [.feedReset: 1])
    }

    // MARK: What no entry is needed for

    @Test("a turn forgets as many ended jobs as have ended in it and some more; what is beyond its bound goes in the next ones")
    func history() {
        var front = FrontHarness { ($0.bounds.endedByteCount, $0.bounds.forgottenJobs) = (2_000, 2) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 1, prefetch: 64)
        let first = front.run(20, on: &worker)
        worker.take(worker.endAll(resultByteCount: 100, in: &front))
        let large = front.run(1, on: &worker)
        worker.take(worker.end(large.rawValue, result: Array(repeating: 5, count: 1_900), in: &front))
        func kept() -> Int { (0..<20).count { front.job(JobID(first.rawValue + $0)) != nil } }
        var left = [kept()]
        while front.machine.state.bytes.ended[.succeeded] > 2_000, left.count < 12 {
            Self.turn(&front)
            left.append(kept())
        }
        #expect(left.count > 5)
        #expect(zip(left, left.dropFirst()).allSatisfy { $0 - $1 <= 2 })
        #expect(front.job(large) != nil)
        #expect(front.machine.nextDeadline.map { $0 > front.now.monotonic } ?? true)
    }

    @Test("of many observed jobs that wait a turn tells some of their new reason, the others in the next ones")
    func observed() {
        var front = FrontHarness { $0.bounds.waitLooks = 4 }
        front.open()
        let first = front.submit(10, loader: "slow")
        for job in 0..<10 { front.handle(.topicObserved(.job(JobID(first.rawValue + UInt64(job))), true)) }
        front.settle()
        front.handle(.storageFull(true))
        var reported: [Int] = []
        repeat {
            reported.append(front.settle().count { if case .changed(.job, "job") = $0 { true } else { false } })
            #expect(front.machine.neglected.work == nil)
        } while front.machine.nextDeadline.map({ $0 <= front.now.monotonic }) == true && reported.count < 9
        #expect(reported == [4, 4, 2])
    }

    @Test("observers whom nothing would notify any more are said to be neglected, be it of jobs or of feeds", arguments: [false, true])
    func neglected(areFeeds: Bool) throws {
        var front = FrontHarness { $0.bounds.waitLooks = 1 }
        front.open()
        for number in 0..<2 {
            if areFeeds {
                let key = try FeedWorld.key("items?parameter=\(number)")
                _ = front.ask(.feed(key, .load))
            } else {
                front.handle(.topicObserved(.job(front.submit(1, loader: "slow")), true))
            }
        }
        front.settle()
        front.handle(.storageFull(true))
        front.settle()
        #expect(front.machine.neglected.work == nil)
        front.machine.turn.context.forget(.waits)
        #expect(front.machine.neglected.work == "observers of waiting jobs or feeds are to be notified, and nothing says when")
        front.settle()
        #expect(front.machine.neglected.work == nil, "both were notified")
    }

    // MARK: Damaged versions

    /// A list whose third version is damaged.
    private static func damaged() throws -> (FrontHarness, FeedKey, ObjectDigest) {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        for number in 0..<3 {
            _ = try world.accept(.feed(key, .create(item: Array("\(number)".utf8))))
            world.rest()
        }
        let digest = try #require(world.front.feed(key)?.content?.object.digest)
        world.front.handle(.objectDamaged(digest))
        world.front.settle()
        return (world.front, key, digest)
    }

    @Test(
        "a damaged version is forgotten after a day of the wall clock, be it that somebody set it, and stays so", arguments: [false, true])
    func damagedVersion(isSet: Bool) throws {
        var (front, key, digest) = try Self.damaged()
        func known(_ front: FrontHarness) -> [ObjectDigest] { front.machine.state.feeds[key]?.damaged.map(\.object) ?? [] }
        front.pass(milliseconds: 24 * 3_600_000 - 60_000)
        front.settle()
        #expect(known(front) == [digest])
        // A minute back and two forth: only then it has been a day.
        if isSet { front.setWallClock(milliseconds: -60_000) }
        front.settle()
        #expect(known(front) == [digest])
        if isSet { front.setWallClock(milliseconds: 120_000) } else { front.pass(milliseconds: 60_000) }
        front.settle()
        #expect(known(front).isEmpty)
        // Its failure still tells of it: neither a change of the feed nor a restart makes it known again.
        #expect(front.feed(key)?.failure?.arguments.contains(digest.description) == true)
        front.open()
        _ = front.ask(.feed(key, .load))
        #expect(front.feed(key)?.activity.job != nil && known(front).isEmpty)
        var next = front.restarted()
        #expect(known(next).isEmpty)
        next.machine = FrontMachine(settings: next.settings, now: front.now)
        next.machine.restore(front.machine.wholeCheckpoint, of: TurnNumber(9), isSlice: true)
        #expect(known(next).isEmpty)
    }

    @Test("a restart waits for the rest of the day")
    func damagedRestart() throws {
        let (front, key, digest) = try Self.damaged()
        var next = front.restarted()
        #expect(next.machine.state.feeds[key]?.damaged.map(\.object) == [digest])
        next.pass(milliseconds: 24 * 3_600_000)
        next.settle()
        #expect(next.machine.state.feeds[key]?.damaged.isEmpty == true)
    }
}
