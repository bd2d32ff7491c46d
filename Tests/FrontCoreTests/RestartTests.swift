//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Restart")
struct RestartTests {
    @Test("after a restart every accepted job waits, runs or has ended as before, and replies are kept")
    func everything() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let ended = front.run(1, on: &worker)
        worker.end(ended.rawValue, result: [4], in: &front)
        let running = front.run(1, loader: "slow", on: &worker)
        let waiting = front.submit(1, loader: "slow", priority: 3)
        var next = front.restarted()
        #expect([ended, running, waiting].map { next.job($0)?.state } == [.succeeded, .running, .waiting])
        #expect(next.job(ended)?.result == [4])
        // No worker has come back yet.
        var counts = next.counts
        counts?.unoffered = []
        #expect(next.counts?.unoffered == [LoaderCount("slow", 1)] && counts == front.counts)
        next.open()
        let fresh = next.submit(1, loader: "slow")
        #expect(fresh.rawValue == waiting.rawValue + 1)
    }

    @Test("a worker that comes back keeps its job under a new lease; what it does not hold waits again")
    func reregister() {
        var (front, worker) = FrontHarness.serving()
        let jobs = (0..<2).map { _ in front.submit(1, loader: "slow") }
        worker.take(front.settle())
        worker.held.removeLast()
        let old = worker.held[0].lease
        var next = front.restarted()
        next.follow()
        worker.register(with: &next)
        #expect(
            next.path() == [
                "entry workerRegistered 1", "entry attemptsEnded 2: dropped", "entry granted 1 to worker 1 again",
                "worker 1: registered keep 1", "changed jobs job/2, workers worker/1",
            ])
        #expect(worker.held[0].lease != old)
        #expect(next.job(jobs[0])?.attempts == 1)
        worker.take(next.settle())
        #expect(next.path() == ["entry granted 2 to worker 1", "worker 1: grant 2", "changed jobs counts, jobs job/2, workers worker/1"])
    }

    @Test("a session that nobody has taken up yet lasts for its ten minutes from the restart, however long the machine has run")
    func sessionsStay() {
        var front = FrontHarness()
        front.open()
        front.pass(milliseconds: 5 * 3_600_000)
        var next = front.restarted(isTakenUp: false)
        next.follow()
        next.pass(milliseconds: 599_999)
        next.settle()
        #expect(next.path() == [])
        next.pass(milliseconds: 1)
        next.settle()
        #expect(next.path() == ["entry sessionEnded \(front.session)", "changed clients clients, front front"])
    }

    @Test("slots of recorded grants stay taken until the longest lease is over")
    func slotsStay() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        var next = front.restarted()
        next.follow()
        next.pass(milliseconds: 5_499)
        next.settle()
        #expect(next.path() == [])
        next.pass(milliseconds: 1)
        next.settle()
        #expect(
            next.path() == [
                "entry attemptsEnded 1: workerLost", "entry workerLost 1", "changed jobs counts, jobs job/1, workers worker/1",
            ])
        #expect(next.job(job)?.state == .waiting)
    }

    @Test("a checkpoint and the rows after it give the same state as all rows")
    func checkpoint() throws {
        var (front, worker) = FrontHarness.serving()
        _ = front.submit(600, loader: "slow")
        _ = front.submit(6)
        worker.take(front.settle())
        let before = front.entries.count
        let base = front.machine.state.baseEntries()
        let (slice, next) = front.machine.state.slice(from: 1, chunkLimit: 1)
        for job in worker.held.prefix(3).map(\.job) { worker.end(job, result: [7], in: &front) }
        _ = front.submit(10, loader: "slow", priority: 9)
        worker.take(front.settle())
        let between = front.entries.count
        let (rest, end) = front.machine.state.slice(from: try #require(next), chunkLimit: 100)
        #expect(end == nil)
        var other = FrontMachine(settings: front.settings, now: front.now)
        other.restore(base, of: TurnNumber(UInt64(before)), isSlice: true)
        other.restore(slice, of: TurnNumber(UInt64(before)), isSlice: true)
        other.restore(rest, of: TurnNumber(UInt64(between)), isSlice: true)
        for index in before..<front.entries.count {
            other.restore([front.entries[index]], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        #expect(other.state.jobs.totals.counts == front.machine.state.jobs.totals.counts)
        for id in UInt64(1)...616 {
            var (restored, served) = (other.job(id), front.machine.job(id))
            // Why a job waits depends on who is attached, and nobody is after a restart.
            restored?.waitReason = nil
            served?.waitReason = nil
            #expect(restored == served)
            #expect(other.state.jobs[id].lease == front.machine.state.jobs[id].lease)
        }
        #expect(other.state.jobs.scheduler.count == front.machine.state.jobs.scheduler.count)
    }

    @Test("what changes while a checkpoint is written is not lost: a worker that came meanwhile holds its job, a feed that changed has")
    func changesDuringACheckpoint() throws {
        let items = try #require(FeedKey(text: "items?parameter=sample"))
        var front = FrontHarness()
        front.open()
        let job = front.submit(1, loader: "slow")
        _ = front.ask(.feed(items, .sort(view: "shared", order: SortOrder(field: "price"), version: nil)))
        front.settle()
        let before = front.entries.count
        let base = front.machine.state.baseEntries()
        // Between the checkpoint's first slice and the one with the jobs.
        var worker = WorkerHarness(1)
        worker.register(with: &front)
        worker.take(front.settle())
        _ = front.ask(.feed(items, .filter(view: "shared", text: "milk", version: nil)))
        let between = front.entries.count
        let (slice, end) = front.machine.state.slice(from: 1, chunkLimit: 100)
        #expect(end == nil)
        var other = FrontMachine(settings: front.settings, now: front.now)
        other.restore(base, of: TurnNumber(UInt64(before)), isSlice: true)
        other.restore(slice, of: TurnNumber(UInt64(between)), isSlice: true)
        for index in before..<front.entries.count {
            other.restore([front.entries[index]], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        #expect(other.job(job.rawValue)?.state == .running)
        #expect(other.state.jobs[job.rawValue].lease == front.machine.state.jobs[job.rawValue].lease)
        guard case .view(let view)? = other.item("view", of: .view(items, "shared")) else {
            Issue.record("the view is lost")
            return
        }
        #expect(view.filter == "milk")
    }

    @Test("in memory mode ids are not used twice and nothing is granted before the known workers are back")
    func memory() {
        var front = FrontHarness { $0.durability = .memory }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let job = front.run(1, on: &worker)
        #expect(worker.held.count == 1)
        var next = front.restarted()
        next.open()
        let later = next.submit(1)
        #expect(later > job)
        next.settle()
        var other = WorkerHarness(2)
        other.register(with: &next)
        other.take(next.settle())
        #expect(other.held.isEmpty)
        worker.register(with: &next)
        #expect(worker.decisions.map(\.decision) == [.drop])
        _ = worker.renew(&next) + other.renew(&next)
        worker.take(next.settle())
        other.take(next.settle())
        #expect(worker.held.count + other.held.count == 1)
    }

    @Test("a log with any number of ended jobs is read with those that are kept, by number or by bytes", arguments: [true, false])
    func longLog(byNumber: Bool) {
        var front = FrontHarness { if byNumber { $0.bounds.retention[.succeeded].count = 4 } else { $0.bounds.endedByteCount = 40 } }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        for number in 0..<30 {
            let job = front.run(1, loader: "slow", on: &worker)
            worker.take(worker.end(job.rawValue, result: Array(repeating: UInt8(number), count: 10), in: &front))
            worker.take(front.settle())
        }
        var machine = FrontMachine(settings: front.settings, now: front.now)
        for (index, entry) in front.entries.enumerated() {
            machine.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false)
            #expect(machine.state.jobs.ended.count <= 5)
        }
        for id in UInt64(1)...30 { #expect(machine.state.jobs.state(of: id) == front.machine.state.jobs.state(of: id), "\(id)") }
        #expect(machine.state.jobs.ended.count > 1)
    }

    @Test("no lease is given twice, also by a life that begins with a checkpoint in which the jobs it was for are forgotten")
    func leases() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].count = 0 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        var leases: [UInt64] = []
        for _ in 0..<4 {
            let job = front.run(1, loader: "slow", on: &worker)
            leases += worker.held.map(\.lease)
            worker.take(worker.endAll(in: &front))
            #expect(front.job(job) == nil)
        }
        var next = front.restarted()
        next.machine = FrontMachine(settings: next.settings, now: next.now)
        next.machine.restore(front.machine.wholeCheckpoint, of: TurnNumber(99), isSlice: true)
        var actions: [FrontAction] = []
        next.machine.start(at: next.now, into: &actions)
        next.open()
        var other = WorkerHarness(2)
        other.register(with: &next)
        _ = next.submit(1, loader: "slow")
        other.take(next.settle())
        leases += other.held.map(\.lease)
        #expect(leases.count == 5 && Set(leases).count == 5, "\(leases)")
    }

    @Test("who cancelled a waiting job and when is known after a restart too, and is part of what a replay is compared by")
    func cancelReceipt() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1, loader: "slow")
        front.pass(milliseconds: 1_000)
        _ = front.ask(.job(.cancel(job)))
        let receipt = front.job(job)?.cancel
        #expect(receipt?.requestedBy == "test" && receipt?.stoppedAt == front.now.wall)
        let next = front.restarted()
        #expect(next.job(job)?.cancel == receipt)
        #expect(next.job(job)?.state == .cancelled)
        #expect(front.machine.state.image.difference(from: next.machine.state.image, withJobs: true) == nil)
        let other = FrontHarness()
        var entries = front.entries
        entries.removeAll { if case .cancelRequested = $0 { true } else { false } }
        var without = FrontMachine(settings: other.settings, now: other.now)
        for (index, entry) in entries.enumerated() { without.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false) }
        #expect(front.machine.state.image.difference(from: without.state.image, withJobs: true)?.hasPrefix("job \(job)") == true)
    }

    @Test("after a restart from a checkpoint collection spares what it spared before: contents, also the versions before the newest")
    func namedObjects() throws {
        var world = FeedWorld()
        let todos = try FeedWorld.key("todos")
        for title in ["a", "b", "c"] {
            _ = try world.accept(.feed(todos, .create(item: Array(title.utf8))))
            world.rest()
            let own = world.front.machine
            var next = FrontMachine(settings: world.front.settings, now: world.front.now)
            next.restore(own.state.baseEntries(), of: TurnNumber(9), isSlice: true)
            let content = try #require(own.state.feeds[todos]?.state.content?.object.digest)
            #expect(own.namedObjects.contains(content))
            #expect(next.namedObjects == own.namedObjects)
        }
        #expect(world.front.machine.namedObjects.count >= 3)
    }

    private struct ReadFault: PassingFault, CustomStringConvertible {
        let mayPass: Bool
        var description: String { "a fault" }
    }

    @Test("rows that cannot be read now are a reason to start again, rows that never can are none")
    func readFaults() {
        #expect(throws: LoopEnding.journalUnreadable(ErrorCause(code: "", text: "a fault"))) {
            _ = try LoopHarness(readFault: ReadFault(mayPass: true))
        }
        #expect(throws: LoopEnding.damaged(ErrorCause(code: "", text: "a fault"))) {
            _ = try LoopHarness(readFault: ReadFault(mayPass: false))
        }
    }

    @Test("a row of a turn that no front comes to is damaged, whatever a journal lets pass", arguments: [0, 1, 1 << 62])
    func untrueTurn(above: UInt64) throws {
        let first = try LoopHarness()
        first.append(JournalRow(turn: TurnNumber(JournalBounds.number + above), entries: []))
        do {
            _ = try LoopHarness(after: first)
            #expect(above == 0)
        } catch {
            guard case LoopEnding.damagedRow(let turn, let cause) = error else { throw error }
            #expect(above > 0 && turn.rawValue - JournalBounds.number == above)
            #expect(cause.text.hasSuffix("no front comes to a turn \(turn)"))
        }
    }

    @Test("turns go on behind the last one that was read: no number is given twice")
    func turnNumbers() throws {
        let first = try LoopHarness()
        for _ in 0..<3 {
            first.client(PeerID(1), .none, .hello(.init(label: "a")))
            try first.turn()
        }
        let second = try LoopHarness(after: first)
        let read = second.rows.count
        second.client(PeerID(1), .none, .hello(.init(label: "b")))
        try second.turn()
        let numbers = second.rows.map(\.turn.rawValue)
        #expect(read > 0 && numbers.count > read)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
    }

    @Test("a restart from a checkpoint knows in which order a worker was given its jobs, and since when the oldest run goes on")
    func heldOrder() throws {
        var (front, worker) = FrontHarness.serving(slots: 2)
        _ = front.submit(2, loader: "slow")
        worker.take(front.settle())
        // The first one comes back, and is given again much later.
        let returned = worker.held.removeFirst()
        var report = WorkerMessage.Ended(report: 77)
        (report.jobs, report.leases, report.outcomes, report.results) = ([1], [returned.lease], [.returned], [[]])
        _ = worker.send(.ended(report), to: &front)
        front.pass(milliseconds: 3_000)
        worker.take(worker.renew(&front))
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [2, 1])
        let live = front.machine.state
        var next = FrontMachine(settings: front.settings, now: front.now)
        next.restore(front.machine.wholeCheckpoint, of: TurnNumber(99), isSlice: true)
        var actions: [FrontAction] = []
        next.start(at: front.now, into: &actions)
        #expect(next.state.oldestGrant == live.oldestGrant)
        #expect(next.state.jobs.heldJobs(by: 0) == [2, 1] && live.jobs.heldJobs(by: 0) == [2, 1])
    }

    @Test("quarantined jobs that are forgotten during a checkpoint are counted no more after a restart", arguments: [true, false])
    func quarantined(isBundled: Bool) throws {
        var bundled = BundledFront { ($0.crashLimit, $0.bounds.retention[.failed].age) = (1, .seconds(60)) }
        let job = bundled.front.run(1, loader: "slow", on: &bundled.worker)
        bundled.front.pass(milliseconds: 6_000)
        bundled.front.settle()
        #expect(bundled.front.counts?.quarantined == 1 && bundled.front.restarted().counts?.quarantined == 1)
        if isBundled { bundled.bundle() }
        #expect(bundled.front.counts?.quarantined == 1 && bundled.front.restarted().counts?.quarantined == 1)
        let begin = bundled.front.entries.count
        var (entries, cursor) = bundled.front.machine.state.beginCheckpoint(.full)
        var slices = [(turn: begin, entries: entries)]
        bundled.front.pass(milliseconds: 60_000)
        bundled.keep(bundled.front.settle())
        #expect(bundled.front.machine.state.jobs.state(of: job.rawValue) == nil && bundled.front.counts?.quarantined == 0)
        while !cursor.isDone {
            entries = cursor.takeSlice(of: bundled.front.machine.state, chunkLimit: 32, byteLimit: 1 << 20)
            slices.append((bundled.front.entries.count, entries))
        }
        var next = bundled.front
        next.machine = FrontMachine(settings: next.settings, now: next.now)
        for slice in slices { next.machine.restore(slice.entries, of: TurnNumber(UInt64(slice.turn)), isSlice: true) }
        for index in begin..<next.entries.count {
            next.machine.restore([next.entries[index]], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        #expect(next.counts?.quarantined == 0)
    }
}
