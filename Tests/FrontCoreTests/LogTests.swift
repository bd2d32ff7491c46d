//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@testable import FrontCore

@Suite("Lines that jobs write")
struct LogTests {
    private func line(_ text: String) -> LogLine { LogLine(attempt: 1, at: WallTime(milliseconds: 1), text: text) }

    private func explanation(_ job: JobID, _ front: inout FrontHarness) -> JobExplanation? {
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else { return nil }
        return explanation
    }

    /// A worker reports lines of a job, under the lease that it holds.
    private func write(_ texts: [String], _ job: JobID, _ worker: inout WorkerHarness, _ front: inout FrontHarness, omitted: UInt64 = 0) {
        guard let held = worker.held.first(where: { $0.job == job.rawValue }) else { return }
        let log = JobLog(texts.map(line), omitted: omitted)
        _ = worker.send(.log([WorkerMessage.LogReport(job: job, lease: LeaseID(held.lease), log: log)]), to: &front)
        front.settle()
    }

    /// The lines of a job as they are shown; the same after a restart and out of a checkpoint.
    private func log(_ job: JobID, _ front: inout FrontHarness) -> [String] {
        let known = explanation(job, &front)?.log
        var again = front.restarted()
        again.open()
        #expect(explanation(job, &again)?.log == known)
        var stored = FrontHarness().machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(UInt64(front.entries.count)), isSlice: true)
        #expect((stored.state.jobs.runs.log(of: job.rawValue)?.withoutState ?? JobLog()) == known)
        #expect(stored.state.bytes == stored.state.recountedBytes)
        #expect(stored.state.jobs.runs.live.lineByteCount == front.machine.state.jobs.runs.live.lineByteCount)
        #expect(front.machine.state.bytes == front.machine.state.recountedBytes && front.machine.state.runsMiscount == nil)
        return known?.lines.map(\.text) ?? ["unknown"]
    }

    @Test("what is written stays with the job, from attempt to attempt, over a restart, and when it has ended")
    func kept() {
        var (front, worker, job) = FrontHarness.running(slots: 1)
        #expect(log(job, &front) == [])
        write(["one", "two"], job, &worker, &front)
        #expect(log(job, &front) == ["one", "two"])
        let failure = Failure(code: .unreachable, text: "no answer", retryable: true)
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
        #expect(front.job(job)?.state == .scheduled && log(job, &front) == ["one", "two"])
        front.pass(milliseconds: 1_500)
        _ = worker.renew(&front)
        worker.take(front.settle())
        write(["three"], job, &worker, &front)
        worker.end(job.rawValue, in: &front)
        #expect(front.job(job)?.state == .succeeded && log(job, &front) == ["one", "two", "three"])
        #expect(front.machine.state.jobs.runs.live.lineByteCount == 0)
    }

    @Test("the last lines come with the outcome, once however often that is reported; lines of a run that is over are late")
    func last() {
        var (front, worker, job) = FrontHarness.running(slots: 1)
        guard let held = worker.held.first else {
            Issue.record("not there")
            return
        }
        var ended = WorkerMessage.Ended(report: 9)
        (ended.jobs, ended.leases, ended.outcomes, ended.results) = ([job.rawValue], [held.lease], [.succeeded], [[]])
        ended.logs = [Indexed(index: 0, value: JobLog([line("last")]))]
        for _ in 0..<2 {
            _ = worker.send(.ended(ended), to: &front)
            front.settle()
        }
        #expect(front.job(job)?.state == .succeeded && log(job, &front) == ["last"])
        write(["late"], job, &worker, &front)
        #expect(log(job, &front) == ["last"])
    }

    @Test("they go with the job, and those of others stay")
    func forgotten() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].count = 1 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 3)
        let first = front.run(3, loader: "slow", on: &worker)
        let jobs = [first, first.advanced(), first.advanced(by: 2)]
        for job in jobs { write(["of \(job)"], job, &worker, &front) }
        // A checkpoint's part may come for jobs that are there.
        var stored = FrontMachine(settings: front.settings, now: front.now)
        let turn = TurnNumber(UInt64(front.entries.count))
        stored.restore(front.machine.state.baseEntries(), of: turn, isSlice: true)
        for _ in 0..<2 { stored.restore(front.machine.state.slice(from: 1, chunkLimit: 100).entries, of: turn, isSlice: true) }
        #expect(stored.state.runsMiscount == nil && stored.state.jobs.runs.live == front.machine.state.jobs.runs.live)
        for job in jobs.prefix(2) { worker.end(job.rawValue, in: &front) }
        let runs = front.machine.state.jobs.runs
        #expect(front.job(first) == nil && jobs.map { runs.log(of: $0.rawValue)?.lines.count } == [nil, 1, 1])
        #expect(front.machine.state.runsMiscount == nil)
    }

    @Test("the newest 50 lines and 16 KiB are kept, with how many there were before, and control characters move no terminal")
    func bounds() {
        var log = JobLog()
        for number in 0..<120 { log.append(line("\(number)")) }
        #expect(log.lines.count == 50 && log.lines.last?.text == "119" && log.omitted == 70)
        for _ in 0..<50 { log.append(line(String(repeating: "x", count: 5_000))) }
        #expect(log.roughByteCount <= JobLog.byteLimit && log.lines.allSatisfy { $0.text.utf8.count == 1_024 })
        #expect(Int(log.omitted) + log.lines.count == 170)
        #expect(line("a\u{1B}[31mb\tc\u{9B}").text == "a\u{FFFD}[31mb c\u{FFFD}")
        var merged = JobLog([line("first")], omitted: .max)
        merged.append(JobLog([line("second")], omitted: 4))
        #expect(merged.lines.map(\.text) == ["first", "second"] && merged.omitted == JournalBounds.number)
    }

    @Test("a worker that writes more than a turn takes, or than is kept of all jobs, has its lines counted")
    func flood() {
        var front = FrontHarness { ($0.bounds.turnLogByteCount, $0.bounds.logByteCount) = (2_000, 4_000) }
        front.open()
        var worker = WorkerHarness(5)
        worker.register(with: &front, slots: 1)
        let job = front.submit(1, loader: "slow")
        worker.take(front.settle())
        let long = String(repeating: "x", count: 1_000)
        write([long, long], job, &worker, &front)
        #expect(explanation(job, &front)?.log == JobLog(omitted: 2))
        for _ in 0..<10 { write([long], job, &worker, &front) }
        let known = explanation(job, &front)?.log
        #expect(known?.lines.count == 4 && known?.omitted == 8, "\(known?.lines.count ?? 0) \(known?.omitted ?? 0)")
    }

    @Test("a job in a bundle still has its lines")
    func bundled() {
        var front = BundledFront { $0.bounds.bundleJobs = 1 }
        let job = front.front.submit(1, loader: "slow")
        front.worker.take(front.front.settle())
        write(["before the end"], job, &front.worker, &front.front)
        front.keep(front.worker.end(job.rawValue, .failed, failure: Failure(code: .invalidData, text: "x"), in: &front.front))
        #expect(front.bundle() > 0)
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else {
            Issue.record("not there")
            return
        }
        #expect(explanation.log.lines.map(\.text) == ["before the end"])
    }

    /// A worker reports what a job has saved.
    private func save(_ state: [UInt8], _ job: JobID, _ worker: inout WorkerHarness, _ front: inout FrontHarness) {
        guard let held = worker.held.first(where: { $0.job == job.rawValue }) else { return }
        let report = WorkerMessage.LogReport(job: job, lease: LeaseID(held.lease), log: JobLog(resumeState: state))
        _ = worker.send(.log([report]), to: &front)
        front.settle()
    }

    /// What the grants of some actions bring.
    private func states(in actions: [FrontAction], _ worker: WorkerHarness) -> [[UInt8]]? {
        for case .grant(let grant)? in actions.map({ worker.message(in: $0) }) { return grant.resumeStates.map(\.value) }
        return nil
    }

    /// The job fails, and is granted again.
    private func again(_ job: JobID, _ worker: inout WorkerHarness, _ front: inout FrontHarness) -> [[UInt8]]? {
        let failure = Failure(code: .unreachable, text: "no answer", retryable: true)
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
        front.pass(milliseconds: 1_500)
        _ = worker.renew(&front)
        let actions = front.settle()
        worker.take(actions)
        return states(in: actions, worker)
    }

    @Test("what a loader has saved comes with the grant of its next attempt, over a restart too, and is gone when the job has ended")
    func resumes() {
        var (front, worker, job) = FrontHarness.running(slots: 1)
        save([1], job, &worker, &front)
        save([2, 3], job, &worker, &front)
        #expect(log(job, &front) == [])
        #expect(explanation(job, &front)?.timeline.contains("has saved 2 bytes for its next attempt") == true)
        #expect(again(job, &worker, &front) == [[2, 3]])
        #expect(front.restarted().machine.state.jobs.runs.resumeState(of: job.rawValue) == [2, 3])
        write(["a line"], job, &worker, &front)
        #expect(front.machine.state.jobs.runs.resumeState(of: job.rawValue) == [2, 3])
        worker.end(job.rawValue, in: &front)
        #expect(front.machine.state.jobs.runs.resumeState(of: job.rawValue) == nil)
        #expect(front.machine.state.jobs.runs.live.stateByteCount == 0 && log(job, &front) == ["a line"])
    }

    @Test("who saves nothing at all lets the next attempt begin anew")
    func cleared() {
        var (front, worker, job) = FrontHarness.running(slots: 1)
        save([1], job, &worker, &front)
        save([], job, &worker, &front)
        #expect(again(job, &worker, &front) == [])
        #expect(log(job, &front) == [])
    }

    @Test("where there is no room for what is saved, what was saved before stays, and a line says so")
    func stateBound() {
        var front = FrontHarness { $0.bounds.resumeByteCount = 10 }
        front.open()
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 1)
        let job = front.submit(1, loader: "slow")
        worker.take(front.settle())
        save(Array(repeating: 1, count: 8), job, &worker, &front)
        for _ in 0..<3 { save(Array(repeating: 2, count: 11), job, &worker, &front) }
        #expect(log(job, &front) == ["what it saves is not kept: jobs that have not ended have saved all that the front keeps of that"])
        save(Array(repeating: 3, count: 10), job, &worker, &front)
        #expect(again(job, &worker, &front) == [Array(repeating: 3, count: 10)])
    }

    @Test("jobs of one report share the room for what is saved")
    func sharedStateBound() {
        var front = FrontHarness { $0.bounds.resumeByteCount = 10 }
        front.open()
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 2)
        _ = front.submit(2, loader: "slow")
        worker.take(front.settle())
        let reports = worker.held.map { held in
            WorkerMessage.LogReport(
                job: JobID(held.job), lease: LeaseID(held.lease), log: JobLog(resumeState: Array(repeating: 1, count: 8)))
        }
        _ = worker.send(.log(reports), to: &front)
        front.settle()
        let runs = front.machine.state.jobs.runs
        #expect(worker.held.map { runs.resumeState(of: $0.job)?.count ?? 0 } == [8, 0] && runs.live.stateByteCount == 8)
    }

    @Test("a state that is too large is left out as it is read, and a line says so")
    func oversized() throws {
        for (count, isKept) in [(JobLog.resumeByteCount, true), (JobLog.resumeByteCount + 1, false)] {
            var (front, worker, job) = FrontHarness.running(slots: 1)
            let held = try #require(worker.held.first)
            let report = WorkerMessage.LogReport(
                job: job, lease: LeaseID(held.lease), log: JobLog(resumeState: Array(repeating: 1, count: count)))
            let envelope = WorkerEnvelope(
                worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber, messages: [.log([report])])
            for message in try WireCodec().decodeWorker(WireCodec().encode(envelope)).messages { _ = worker.send(message, to: &front) }
            front.settle()
            #expect(front.machine.state.jobs.runs.resumeState(of: job.rawValue)?.count == (isKept ? count : nil))
            #expect(front.machine.state.jobs.runs.log(of: job.rawValue)?.oversizedByteCount ?? 0 == 0)
            #expect(log(job, &front) == (isKept ? [] : ["what it saves is not kept: 65537 bytes, and 65536 are the most"]))
        }
    }

    @Test("on a full disk nothing is kept of lines and states: the room that is left is for how jobs end")
    func fullDisk() {
        var (front, worker, job) = FrontHarness.running(slots: 1)
        front.handle(.storageFull(true))
        let before = front.entries.count
        save([1, 2], job, &worker, &front)
        write(["a line"], job, &worker, &front)
        #expect(front.entries.count == before)
        worker.end(job.rawValue, in: &front)
        #expect(front.entries.count == before + 1 && front.job(job)?.state == .succeeded)
        front.handle(.storageFull(false))
    }
}
