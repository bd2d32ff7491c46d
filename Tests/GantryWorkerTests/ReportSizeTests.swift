//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Logging
import Testing

@testable import GantryWorker

/// The front's socket takes no frame of a worker over 1 MiB: a report that is larger is never read, however often it is repeated.
@Suite("Every report fits a frame")
struct ReportSizeTests {
    private static let largestFrame = 1 << 20

    /// What each of many jobs comes to.
    enum Kind: String, CaseIterable {
        case results, texts, shortTexts, arguments

        var count: Int { self == .results ? 128 : self == .texts ? 1_024 : self == .arguments ? 64 : 4_096 }

        var result: [UInt8] { Array(repeating: 7, count: self == .results ? 40_000 : 0) }

        var failure: LoaderFailure? {
            func text(_ count: Int) -> String { String(repeating: "x", count: count) }
            return switch self {
            case .results: nil
            case .texts: LoaderFailure(.invalidData, text(4_096))
            case .shortTexts: LoaderFailure(.invalidData, text(1_200))
            case .arguments: LoaderFailure(.invalidData, "no", arguments: (0..<32).map { _ in text(1_024) })
            }
        }
    }

    /// The columns of so many jobs from `first` on, as a bulk loader leaves them.
    private func columns(_ kind: Kind, from first: UInt64 = 1) -> WorkerMessage.Ended {
        var ended = WorkerMessage.Ended(report: 0)
        for job in first..<first + UInt64(kind.count) {
            var failure = kind.failure?.failure
            failure?.id = FailureID(job)
            let outcome: Outcome = failure == nil ? .succeeded : .failed
            ended.append(EndedRow(job: job, lease: job + 10_000, outcome: outcome, result: kind.result[...], failure: failure))
        }
        return ended
    }

    private func frameByteCount(_ report: WorkerMessage.Ended) -> Int {
        WireCodec().encode(WorkerEnvelope(worker: WorkerID(.max), messages: [.ended(report)])).count
    }

    /// All reports have their rows once, in order, under consecutive numbers, and none is larger than a frame.
    private func expect(_ reports: [WorkerMessage.Ended], _ kind: Kind, jobs: ClosedRange<UInt64>, from first: UInt64) {
        #expect(reports.map(\.report) == Array(first..<first + UInt64(reports.count)))
        #expect(reports.flatMap(\.jobs) == Array(jobs))
        for report in reports {
            #expect(frameByteCount(report) <= min(Self.largestFrame, report.greatestByteCount + 64))
            #expect(report.leases.count == report.jobs.count && report.outcomes.count == report.jobs.count)
            #expect(report.results.allSatisfy { Array($0) == kind.result } && report.results.count == report.jobs.count)
            guard kind.failure != nil else { continue }
            #expect(report.failures.map { Int($0.index) } == Array(report.jobs.indices))
            #expect(report.failures.map(\.value.id.rawValue) == report.jobs)
        }
    }

    @Test("what a turn of bulk jobs came to is split, in order, whatever it consists of", arguments: Kind.allCases)
    func bulkJobs(kind: Kind) {
        var retained = RetainedReports(reportByteCount: WorkerSettings.usual.reportByteCount)
        retained.gather(columns(kind))
        let reports = retained.close()
        expect(reports, kind, jobs: 1...UInt64(kind.count), from: 1)
        #expect(reports.count > 1)
        #expect(retained.jobCount == kind.count && retained.byteCount >= reports.reduce(0) { $0 + frameByteCount($1) - 160 })
        for report in reports {
            let isKnown = retained.acknowledge(report.report)
            #expect(isKnown)
        }
        #expect(retained.isEmpty && retained.byteCount == 0)
    }

    @Test("what slots came to is split, and again when it is reported under new leases", arguments: Kind.allCases)
    func slots(kind: Kind) {
        var retained = RetainedReports(reportByteCount: WorkerSettings.usual.reportByteCount)
        for job in UInt64(1)...UInt64(kind.count) {
            var failure = kind.failure?.failure
            failure?.id = FailureID(job)
            retained.gather(job: job, lease: job, outcome: failure == nil ? .succeeded : .failed, result: kind.result, failure: failure)
        }
        let reports = retained.close()
        expect(reports, kind, jobs: 1...UInt64(kind.count), from: 1)
        let byteCount = retained.byteCount
        retained.reregister { (lease: $0 + 50_000, isCancelled: false) }
        let renewed = retained.close()
        expect(renewed, kind, jobs: 1...UInt64(kind.count), from: UInt64(reports.count) + 1)
        #expect(renewed.flatMap(\.leases) == (1...UInt64(kind.count)).map { $0 + 50_000 })
        #expect(retained.byteCount == byteCount)
    }

    @Test("few bulk jobs keep their columns in one report, beside that of the slots")
    func fewRows() {
        var retained = RetainedReports(reportByteCount: WorkerSettings.usual.reportByteCount)
        retained.gather(job: 1, lease: 1, outcome: .returned)
        var few = WorkerMessage.Ended(report: 0)
        for job in UInt64(2)...3 { few.append(EndedRow(job: job, lease: job, outcome: .succeeded)) }
        retained.gather(few)
        #expect(retained.close().map(\.jobs) == [[1], [2, 3]])
        #expect(retained.close().isEmpty)
    }

    @Test("outcomes that wait are bounded in bytes of failures too")
    func keptBytes() {
        var bench = Bench.registered { $0.retainedByteCount = 20_000 }
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        let arguments = (0..<32).map { _ in String(repeating: "x", count: 1_024) }
        _ = bench.on(.reported(.ended(WorkToken(1), .failed(Failure(code: .invalidData, text: "", arguments: arguments)))), at: 2)
        #expect(bench.receive(.grant(Bench.grant("sleep", 6)), at: 3).first == .ignored(.overBound))
    }

    @Test("a turn begins no further batch of bulk jobs when its failures are many bytes")
    func turnOfFailures() throws {
        struct Failing: BulkLoader {
            let name = "fail"
            func run(_ jobs: BulkJobs, into outcomes: inout BulkOutcomes) {
                for _ in jobs { outcomes.fail(LoaderFailure(.invalidData, String(repeating: "x", count: 4_096))) }
            }
        }
        // However slow the machine is, it is not the time that ends the turn.
        let runner = LoaderRunner(
            loaders: [], bulkLoaders: [Failing()], inbox: try WorkerInbox(), logger: Logger(label: "test"),
            turnLength: .seconds(3_600))
        var work = BulkWork()
        for job in UInt64(1)...4_096 { work.append(job: job, lease: job, loader: 0, attempt: 1, argument: []) }
        var ended = WorkerMessage.Ended(report: 0)
        let rows = runner.runBulk(work, into: &ended)
        #expect(rows == ended.jobs.count && rows <= 256)
    }

    @Test("megabytes of one turn all leave, in frames that the front takes")
    func megabytes() throws {
        let tests = LoopTests()
        var loop = tests.makeLoop()
        try tests.attach(&loop)
        var grant = Bench.grant("noop")
        for lease in UInt64(1)...200 {
            grant.jobs.append(lease)
            grant.leases.append(lease)
            grant.loaderIndexes.append(0)
            grant.attempts.append(1)
            grant.arguments.append(Array(repeating: 7, count: 40_000))
        }
        let sent = try tests.turn(&loop, at: 10, hearing: tests.frame(.grant(grant)))
        #expect(loop.transport.sent.allSatisfy { $0.count <= Self.largestFrame })
        #expect(loop.counters.unsentFrames == 0 && !loop.isBacklogged)
        let reports = sent.flatMap(\.messages).compactMap { if case .ended(let ended) = $0 { ended } else { nil } }
        #expect(reports.flatMap(\.jobs) == grant.jobs)
    }
}

extension WorkerSettings {
    /// A worker's settings as they are unless something else is said.
    fileprivate static let usual = WorkerSettings(
        worker: WorkerID(1), name: "w", processID: 1, slots: 64, prefetch: 4_096, loaders: Bench.loaders)
}
