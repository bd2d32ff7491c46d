//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryAuditRecord
import GantryModel
import GantryPackedColumns
import GantryPlatform
import Logging
import TestSupport
import Testing

@testable import GantryWorker

@Suite("Jobs with limits at a worker")
struct LimitedWorkTests {
    private let temporary: TemporaryFolder
    private var folder: String { temporary.path + "/audit" }

    init() throws { temporary = try TemporaryFolder() }

    private struct Answering: Loader {
        let name = "sleep"
        func run(_ job: JobContext) async throws -> LoaderResult { LoaderResult(text: "done") }
    }

    private struct Noting: BulkLoader {
        let name = "noop"
        func run(_ jobs: BulkJobs, into outcomes: inout BulkOutcomes) { for job in jobs { outcomes.succeed(job.argument) } }
    }

    private static let failure = Failure(code: .storageFull, text: "its start could not be recorded: the disk is full", retryable: true)

    private func limited(_ lease: UInt64) -> LimitedRun {
        LimitedRun(
            lease: LeaseID(lease), front: Bench.front, limits: [GrantedLimit(LimitKey("api"), LimitRule(capacity: 2))], takenAt: 9)
    }

    private func grant(_ loader: String, _ leases: UInt64..., limited: [UInt32]) -> WorkerBoundMessage.Grant {
        var grant = Bench.grant(loader)
        for lease in leases {
            grant.jobs.append(100 + lease)
            grant.leases.append(lease)
            grant.loaderIndexes.append(0)
            grant.attempts.append(1)
            grant.arguments.append(String(lease).utf8)
        }
        (grant.limitSets, grant.limitIndexes, grant.takenAt) = ([[GrantedLimit(LimitKey("api"), LimitRule(capacity: 2))]], limited, 9)
        return grant
    }

    private func runner(_ inbox: WorkerInbox, folder: String?, note: @escaping (String?) -> Void = { _ in }) -> LoaderRunner {
        let record = folder.map { RecordWriter(folder: $0, writer: RecordWriterName(.worker, 1), label: "w") }
        return LoaderRunner(
            loaders: [Answering()], bulkLoaders: [Noting()], inbox: inbox, logger: Logger(label: "test"),
            recorder: StartRecorder(record, note: note), turnLength: .seconds(3_600))
    }

    private func work(_ lease: UInt64, limited: LimitedRun?) -> WorkStart {
        WorkStart(
            token: WorkToken(lease), job: JobID(100 + lease), attempt: 1, loader: 0, wall: WallTime(milliseconds: 5), argument: [],
            feedWork: nil, limited: limited)
    }

    private var audited: [AuditedRun] {
        get throws { try RecordFolder.read(folder).audited(at: SystemClock.wallMilliseconds() * 1_000_000) { _ in true } }
    }

    @Test("a grant's limits go to the run that they are of")
    func granted() {
        var bench = Bench.registered(slots: 3)
        let actions = bench.take(grant("sleep", 5, 6, limited: [0, 1]), at: 1)
        let starts = actions.compactMap { if case .start(let work) = $0 { work } else { nil } }
        #expect(starts.map(\.limited) == [nil, limited(6)])
        let bulk = bench.receive(.grant(grant("noop", 7, 8, limited: [1, 0])), at: 2) + bench.on(.tick, at: 2)
        let work = bulk.compactMap { if case .runBulk(let work) = $0 { work } else { nil } }
        #expect(work.map(\.limited) == [[107: limited(7)]])
        var crooked = grant("sleep", 9, limited: [2])
        #expect(bench.receive(.grant(crooked), at: 3).contains(.ignored(.malformed)))
        crooked.limitIndexes = [1, 1]
        #expect(bench.receive(.grant(crooked), at: 3).contains(.ignored(.malformed)))
    }

    @Test(
        "a job whose start could not be written down is returned unstarted with the reason; one that was cancelled meanwhile is cancelled")
    func returned() throws {
        var bench = Bench.registered()
        _ = bench.take(grant("sleep", 5, 6, limited: [1, 1]), at: 1)
        _ = bench.receive(.cancel(leases: [6]), at: 2)
        _ = bench.on(.reported(.ended(WorkToken(1), .unstarted(Self.failure))), at: 3)
        _ = bench.on(.reported(.ended(WorkToken(2), .unstarted(Self.failure))), at: 3)
        let sent = bench.on(.turnEnds, at: 3).compactMap { if case .send(.ended(let ended)) = $0 { ended } else { nil } }
        let ended = try #require(sent.first)
        #expect(ended.outcomes == [.returned, .cancelled] && ended.failures.map(\.index) == [0])
        #expect(ended.failures[0].value.text == Self.failure.text && ended.failures[0].value.id == FailureID(105))
    }

    @Test("a start is in the record before the loader begins, and its stop before the front can learn of it")
    func recorded() async throws {
        let inbox = try WorkerInbox()
        let runner = runner(inbox, folder: folder)
        runner.start(work(1, limited: nil))
        #expect(!FileManager.default.fileExists(atPath: folder))
        runner.noteLease(until: MonotonicTime(nanoseconds: 77))
        runner.start(work(2, limited: limited(2)))
        let begun = try audited
        #expect(begun.map { $0.starts.map(\.job) } == [[JobID(102)]] && begun[0].ending == .running && begun[0].starts[0].leaseEnd == 77)
        var reports: [WorkReport] = []
        while reports.count < 2 {
            _ = try NumberedDescriptor.waitReadable(inbox.signal.fileDescriptor, upTo: .seconds(10))
            inbox.signal.drain()
            runner.takeReports(into: &reports)
        }
        #expect(try audited.map(\.ending) == [.stopped])
    }

    @Test("where a start cannot be recorded the loader does not begin, that is said once, and it begins again when it can be")
    func unrecorded() throws {
        try Data().write(to: URL(fileURLWithPath: folder))
        var notes: [String?] = []
        let inbox = try WorkerInbox()
        let runner = runner(inbox, folder: folder) { notes.append($0) }
        for lease in UInt64(1)...2 { runner.start(work(lease, limited: limited(lease))) }
        #expect(!runner.isRunning)
        var reports: [WorkReport] = []
        runner.takeReports(into: &reports)
        let failures = reports.compactMap { if case .ended(_, .unstarted(let failure)) = $0 { failure } else { nil } }
        #expect(failures.count == 2 && failures.allSatisfy { $0.code == .storageFailed && $0.text.contains(folder) }, "\(failures)")
        #expect(notes.count == 1 && notes[0]?.hasPrefix("its start could not be recorded: ") == true)
        try FileManager.default.removeItem(atPath: folder)
        runner.start(work(3, limited: limited(3)))
        #expect(runner.isRunning && notes.count == 2 && notes[1] == nil)
    }

    @Test("a worker without a folder for its record gives jobs with limits back, and runs the others")
    func withoutFolder() throws {
        let runner = runner(try WorkerInbox(), folder: nil)
        runner.start(work(1, limited: limited(1)))
        #expect(!runner.isRunning)
        runner.start(work(2, limited: nil))
        #expect(runner.isRunning)
        #expect(WorkerConfiguration(endpoint: "ipc:///srv/gantry/run/workers", name: "w").recordFolder == "/srv/gantry/audit")
        #expect(WorkerConfiguration(endpoint: "tcp://127.0.0.1:7703", name: "w").recordFolder == nil)
        #expect(try WorkerConfiguration(ofFront: "/srv/gantry", name: "w").recordFolder == "/srv/gantry/audit")
    }

    @Test("bulk jobs with limits are recorded in batches of their own, or given back", arguments: [true, false])
    func bulk(isRecorded: Bool) throws {
        if !isRecorded { try Data().write(to: URL(fileURLWithPath: folder)) }
        let runner = runner(try WorkerInbox(), folder: folder)
        var work = BulkWork()
        for job in UInt64(1)...6 {
            work.append(job: job, lease: job, loader: 1, attempt: 1, argument: [UInt8(job)], limited: job > 4 ? limited(job) : nil)
        }
        var ended = WorkerMessage.Ended(report: 0)
        #expect(runner.runBulk(work, into: &ended) == 6)
        let last: Outcome = isRecorded ? .succeeded : .returned
        #expect(ended.jobs == [1, 2, 3, 4, 5, 6] && ended.outcomes == [.succeeded, .succeeded, .succeeded, .succeeded, last, last])
        #expect(ended.failures.map(\.index) == (isRecorded ? [] : [4, 5]) && ended.results.count == 6)
        guard isRecorded else { return }
        let runs = try audited
        #expect(runs.map { $0.starts.map(\.job) } == [[JobID(5), JobID(6)]] && runs[0].ending == .stopped)
    }
}
