//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Runs that are kept of jobs")
struct RunTests {
    private static let unreachable = Failure(code: .unreachable, text: "the origin does not answer: try later", retryable: true)
    private static let often = JobOptions(
        retry: RetryRule(attempts: 40, backOff: BackOff(first: .seconds(1), longest: .seconds(1), hasJitter: false)))

    private func explanation(_ job: JobID, _ front: inout FrontHarness) -> JobExplanation? {
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else { return nil }
        return explanation
    }

    /// Each known run of a job as its attempt, worker and end; the same after a restart and out of a checkpoint.
    private func runs(_ job: JobID, _ front: inout FrontHarness) -> [String] {
        let known = explanation(job, &front)?.runs
        var again = front.restarted()
        again.open()
        #expect(explanation(job, &again)?.runs == known)
        var stored = FrontHarness().machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(UInt64(front.entries.count)), isSlice: true)
        #expect((stored.state.jobs.runs[job.rawValue] ?? JobRuns()) == known && stored.state.bytes == stored.state.recountedBytes)
        #expect(stored.state.jobs.runs.live.runByteCount == front.machine.state.jobs.runs.live.runByteCount)
        #expect(front.machine.state.bytes == front.machine.state.recountedBytes)
        return known?.newest.map { "\($0.attempt) \($0.worker) \($0.end.name)" } ?? ["unknown"]
    }

    @Test("a job that succeeds in its first run takes nothing, one that was tried again has all of its runs")
    func kept() {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let plain = front.submit(1, loader: "slow")
        worker.take(front.settle())
        worker.end(plain.rawValue, in: &front)
        #expect(runs(plain, &front) == [] && front.machine.state.jobs.runs[plain.rawValue] == nil)
        let job = front.submit(1, loader: "slow", JobOptionsColumn(Self.often))
        worker.take(front.settle())
        let startedAt = front.now.wall
        front.pass(milliseconds: 250)
        worker.take(worker.end(job.rawValue, .failed, failure: Self.unreachable, in: &front))
        #expect(runs(job, &front) == ["1 w1 failed"])
        let run = front.machine.state.jobs.runs[job.rawValue]?.newest.first
        #expect(run?.startedAt == startedAt && run?.endedAt == startedAt.advanced(by: .milliseconds(250)))
        #expect(run?.code == .unreachable && run?.text == Self.unreachable.text)
        front.pass(milliseconds: 1_000)
        _ = worker.renew(&front)
        worker.take(front.settle())
        worker.take(worker.end(job.rawValue, .snoozed, snooze: 500, in: &front))
        #expect(runs(job, &front) == ["1 w1 failed", "2 w1 snoozed"])
        front.pass(milliseconds: 1_000)
        _ = worker.renew(&front)
        worker.take(front.settle())
        worker.end(job.rawValue, in: &front)
        #expect(runs(job, &front) == ["1 w1 failed", "2 w1 snoozed", "2 w1 succeeded"])
        #expect(front.machine.state.jobs.runs.live.runByteCount == 0)
        let timeline = explanation(job, &front)?.timeline ?? []
        #expect(
            timeline.contains { $0.hasPrefix("run 1 at w1 from ") && $0.hasSuffix(": failed, unreachable: \(Self.unreachable.text)") })
    }

    @Test("how a run ended: failed for good, out of time, cancelled, given back unstarted, stopped by its worker, lost, and a crash")
    func ends() {
        for (outcome, failure, end) in [
            (Outcome.failed, Failure(code: .invalidData, text: "no JSON"), "1 w1 failed"),
            (.failed, Failure(code: .timedOut, text: "late"), "1 w1 timedOut"),
            (.returned, Failure(code: .busy, text: "no room"), "1 w1 returned"),
            (.cancelled, nil, "1 w1 stopped"),
        ] as [(Outcome, Failure?, String)] {
            var (front, worker, job) = FrontHarness.running(slots: 1)
            worker.end(job.rawValue, outcome, failure: failure, in: &front)
            #expect(runs(job, &front) == [end])
            // Nobody has cancelled it: the line says what has become of the run, and no more.
            guard outcome == .cancelled else { continue }
            #expect(explanation(job, &front)?.timeline.contains { $0.hasSuffix(": given back: its worker stopped it") } == true)
        }
        var (front, worker, job) = FrontHarness.running(slots: 1)
        _ = front.ask(.job(.cancel(job)))
        worker.end(job.rawValue, in: &front)
        #expect(front.job(job)?.state == .cancelled && runs(job, &front) == ["1 w1 cancelled"])
        #expect(explanation(job, &front)?.timeline.contains { $0.hasSuffix(": cancelled") } == true)
        // A worker with one job that dies is a crash of it; one with two may be either's.
        (front, worker, job) = FrontHarness.running(slots: 1)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(job)?.crashCount == 1 && runs(job, &front) == ["1 w1 crashed"])
        (front, worker, job) = FrontHarness.running(slots: 2)
        let other = front.submit(1, loader: "once")
        worker.take(front.settle())
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(runs(job, &front) == ["1 w1 lost"] && runs(other, &front) == ["1 w1 lost"])
        #expect(front.job(other)?.failure?.code == .outcomeUnknown)
    }

    @Test("a run says how long it took, and one in which the clock was set back none")
    func length() {
        func run(_ ended: Int64) -> JobRun {
            JobRun(attempt: 2, worker: "w", startedAt: WallTime(milliseconds: 1_000), endedAt: WallTime(milliseconds: ended), end: .stopped)
        }
        let times = "from 1970-01-01T00:00:01.000Z to 1970-01-01T00:00:03.250Z (2.25 s)"
        #expect(run(3_250).line == "run 2 at w \(times): given back: its worker stopped it")
        #expect(run(3_250).length == .milliseconds(2_250) && run(0).length == .zero)
    }

    @Test("a waiting job that is cancelled had no run, and a late report adds none")
    func late() {
        var (front, worker, job) = FrontHarness.running(slots: 1)
        let waiting = front.submit(1, loader: "slow")
        _ = front.ask(.job(.cancel(waiting)))
        #expect(runs(waiting, &front) == [])
        var twin = worker
        worker.end(job.rawValue, .failed, failure: Failure(code: .invalidData, text: "first"), in: &front)
        twin.end(job.rawValue, .failed, failure: Failure(code: .invalidData, text: "second"), in: &front)
        #expect(front.machine.state.jobs.runs[job.rawValue]?.newest.map(\.text) == ["first"])
    }

    @Test("the newest twenty and 4 KiB of them are kept, with how many more there were, and giving back again counts as one")
    func bounds() {
        var runs = JobRuns()
        let run = JobRun(attempt: 1, worker: "w", startedAt: WallTime(milliseconds: 1), endedAt: WallTime(milliseconds: 2), end: .failed)
        for _ in 0..<25 { runs.append(run) }
        #expect(runs.newest.count == 20 && runs.omitted == 5)
        #expect(runs.lines.first == "5 more runs ended before")
        let long = run.failed(with: Failure(code: .unreachable, text: String(repeating: "x", count: 4_000)))
        for _ in 0..<25 { runs.append(long) }
        #expect(runs.roughByteCount <= JobRuns.byteLimit && runs.newest.allSatisfy { $0.text.utf8.count == 256 } && runs.omitted > 30)
        #expect(Int(runs.omitted) + runs.newest.count == 50)
        runs = JobRuns()
        let returned = JobRun(attempt: 1, worker: "w", startedAt: run.startedAt, endedAt: run.endedAt, end: .returned)
        for _ in 0..<1_000 { runs.append(returned) }
        #expect(runs.newest == [returned] && runs.omitted == 999)
        #expect(JobRuns(Array(repeating: long, count: 100)).roughByteCount <= JobRuns.byteLimit)
    }

    @Test("a job that fails for ever has a bounded place, and one beyond the bound of all has none")
    func bounded() {
        var front = FrontHarness { $0.bounds.runByteCount = 1_000 }
        front.open()
        var worker = WorkerHarness(5)
        worker.register(with: &front, slots: 1)
        let job = front.submit(1, loader: "slow", JobOptionsColumn(Self.often))
        for _ in 0..<30 {
            worker.take(front.settle())
            worker.take(worker.end(job.rawValue, .failed, failure: Self.unreachable, in: &front))
            front.pass(milliseconds: 1_000)
            _ = worker.renew(&front)
        }
        let kept = front.machine.state.jobs.runs
        #expect(front.job(job)?.attempts == 30 && kept.live.runByteCount > 800 && kept.live.runByteCount < 1_300)
        _ = runs(job, &front)
    }

    @Test("a job in a bundle still has its runs")
    func bundled() throws {
        var front = BundledFront { $0.bounds.bundleJobs = 1 }
        let job = front.fail("no answer")
        #expect(front.front.machine.state.jobs.runs[job] != nil)
        #expect(front.bundle() > 0)
        #expect(front.front.machine.state.jobs.runs[job] == nil, "they take no memory any more")
        guard case .explanation(let explanation)? = front.ask(.job(.explain(JobID(job)))) else {
            Issue.record("no explanation")
            return
        }
        let run = try #require(explanation.runs.newest.first)
        #expect(run.end == .failed && run.text == "no answer" && explanation.runs.newest.count == 1)
    }
}
