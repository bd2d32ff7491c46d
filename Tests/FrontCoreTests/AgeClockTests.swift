//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

private let hour: Int64 = 3_600_000

@Suite("How ended jobs grow old")
struct AgeClockTests {
    @Test(
        "a step of the wall clock, before or after a job's end, makes the front forget none, and time that passes does",
        arguments: [(before: Int64(0), after: Int64(700_000_000)), (before: 700_000_000, after: 0), (before: -700_000_000, after: 0)])
    func steps(before: Int64, after: Int64) {
        var front = FrontHarness { $0.bounds.retention[.succeeded].age = .seconds(60) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        front.settle()
        front.setWallClock(milliseconds: before)
        let job = front.run(1, on: &worker)
        _ = worker.endAll(in: &front)
        front.setWallClock(milliseconds: after)
        front.settle()
        #expect(front.job(job) != nil)
        front.pass(milliseconds: 59_000)
        front.settle()
        #expect(front.job(job) != nil)
        // One that ended when the wall clock showed too much is kept as much longer.
        front.pass(milliseconds: 2_000 + max(0, before))
        front.settle()
        #expect(front.job(job) == nil)
    }

    /// A loop whose job has ended, and is forgotten after an hour.
    private func ended() throws -> LoopHarness {
        let front = try LoopHarness { $0.bounds.retention[.succeeded].age = .seconds(3_600) }
        let (client, worker) = (PeerID(7), PeerID(9))
        let (session, registered) = try front.begin(worker: worker)
        front.client(client, session, .submit(LoopHarness.submit(1, loader: "slow")))
        try front.turn()
        let grants = try front.takeSent(toWorker: worker).compactMap { if case .grant(let grant) = $0 { grant } else { nil } }
        var report = WorkerMessage.Ended(report: 1)
        (report.jobs, report.leases, report.results) = ([1], grants.flatMap(\.leases), [[]])
        report.outcomes = [.succeeded]
        front.worker(worker, registered.saying(.ended(report)))
        try front.turn()
        #expect(state(front) == .succeeded)
        return front
    }

    private func state(_ front: LoopHarness) -> JobState? {
        guard case .job(let job)? = front.loop.item("job", of: .job(JobID(1))) else { return nil }
        return job.state
    }

    @Test("an ended job is forgotten when its time has come, without anything else happening")
    func age() throws {
        let front = try ended()
        front.pass(milliseconds: hour - 1)
        try front.turn()
        #expect(state(front) == .succeeded)
        front.pass(milliseconds: 1)
        try front.turn(1)
        #expect(state(front) == nil)
    }

    @Test("a front that has just started, and reads nothing, knows when the first ended job is too old")
    func agedAfterRestart() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].age = .seconds(5) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        _ = front.run(1, on: &worker)
        _ = worker.endAll(in: &front)
        front.pass(milliseconds: 2_000)
        var next = front.restarted(isTakenUp: false)
        #expect(next.machine.nextDeadline == next.now.monotonic.advanced(by: .seconds(3)))
    }

    @Test("jobs that are all too old at once are forgotten in several turns")
    func many() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].age = .seconds(1) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 1, prefetch: 4_096)
        for _ in 0..<3 {
            _ = front.submit(4_000)
            worker.take(front.settle())
            _ = worker.endAll(in: &front)
        }
        front.pass(milliseconds: 2_000)
        var kept: [Int] = []
        for _ in 0..<3 {
            front.settle()
            kept.append(front.machine.state.jobs.ended.line(of: .succeeded).count)
        }
        #expect(kept == [12_000 - 4_096, 12_000 - 8_192, 0])
    }

    @Test("it follows the wall clock back and not forward")
    func clock() {
        var clock = AgeClock()
        var wall: Int64 = 1_000
        func shown(step: Int64) -> Int64 {
            wall += step
            clock.step(by: .milliseconds(step))
            let shown = clock.time(at: WallTime(milliseconds: wall))
            #expect(clock.wallTime(of: shown).milliseconds == wall)
            return shown.milliseconds
        }
        #expect(shown(step: 0) == 1_000)
        #expect(shown(step: 89_000) == 1_000)
        #expect(shown(step: -88_000) == 1_000)
        #expect(shown(step: -1_500) == 500)
        #expect(shown(step: 400) == 500)
    }

    @Test("steps that no number holds leave it where it is or at the wall clock")
    func largestSteps() {
        var clock = AgeClock()
        clock.step(by: .milliseconds(Int64.max))
        clock.step(by: .milliseconds(Int64.max))
        #expect(clock.time(at: WallTime(milliseconds: .max)).milliseconds == 0)
        clock.step(by: .milliseconds(Int64.min))
        #expect(clock.time(at: WallTime(milliseconds: 7)).milliseconds == 7)
    }

    @Test(
        "the loop sees that the wall clock was set, and no job is older by that",
        arguments: [(set: Int64(0), later: Int64(3_600_000)), (108_000_000, 3_600_000), (-1_000, 3_601_000), (400, 3_599_600)])
    func loop(set: Int64, later: Int64) throws {
        let front = try ended()
        front.setWallClock(milliseconds: set)
        try front.turn(1)
        #expect(state(front) == .succeeded)
        front.pass(milliseconds: later - 1)
        try front.turn(1)
        #expect(state(front) == .succeeded)
        front.pass(milliseconds: 1)
        try front.turn(1)
        #expect(state(front) == nil)
    }

    @Test("a reply of the turn at which its session was stored is in it already, or forgotten")
    func storedReplies() {
        let (id, number) = (SessionID(9), RequestNumber(5))
        let kept = RetainedReply(number: number, reply: .done(version: 1), fingerprint: 0)
        var state = FrontState(requestWindow: 10)
        state.restore(.sessionOpened(JournalEntry.SessionOpened(id, label: "", nonce: 1)), of: TurnNumber(7), isSlice: true)
        for (turn, isPersistent) in [(UInt64(7), false), (8, true)] {
            state.restore(
                .replyRetained(JournalEntry.ReplyRetained(id, kept, lowestUnanswered: number)), of: TurnNumber(turn), isSlice: false)
            #expect((state.sessions[id]?.reply(to: number) != nil) == isPersistent)
        }
    }
}
