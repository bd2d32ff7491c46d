//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Synchronization
import Testing

@testable import GantryWorker

@Suite("Bulk jobs, progress and outcomes")
struct OutcomeTests {
    @Test("bulk jobs run in order from the front of the line, without a word of having started")
    func bulkJobs() {
        var bench = Bench.registered()
        #expect(bench.take(Bench.grant("noop", 5, 6, 7), at: 1) == [.armKillTimer(at: Bench.time(5_200))])
        #expect(bench.machine.nextDeadline == Bench.time(0))
        guard case .runBulk(let first)? = bench.on(.tick, at: 1).first else {
            Issue.record("nothing runs")
            return
        }
        var two = Bench.echo(first)
        two.jobs.removeLast()
        two.leases.removeLast()
        two.outcomes.removeLast()
        two.results = PackedBytes(two.results.dropLast())
        guard case .send(.ended(let sent))? = bench.on(.bulkEnded(two, rows: 2), at: 1).first else {
            Issue.record("no report")
            return
        }
        #expect(sent.report == 1)
        #expect(sent.leases == [5, 6])
        #expect(bench.on(.turnEnds, at: 1) == [])
        guard case .runBulk(let rest)? = bench.on(.tick, at: 2).first else {
            Issue.record("nothing runs")
            return
        }
        #expect(rest.nextRow == 2)
        #expect(rest.next.offset == 2)
        #expect(
            bench.on(.bulkEnded(Bench.echo(rest), rows: 1), at: 2) == [
                .send(Bench.ended(2, .succeeded, 7, result: Array("7".utf8)))
            ])
        #expect(bench.on(.turnEnds, at: 2) == [.disarmKillTimer])
    }

    @Test("bulk jobs beyond the line are given back, and held ones are listed in renewals")
    func fullLine() {
        var bench = Bench.registered(slots: 1, prefetch: 1)
        _ = bench.take(Bench.grant("noop", 5, 6, 7), at: 1)
        #expect(bench.on(.turnEnds, at: 1) == [.send(Bench.ended(1, .returned, 7))])
        #expect(bench.on(.tick, at: 1_000).first == .send(.renewal(RenewalNumber(2), leases: [5, 6, 7])))
    }

    @Test("progress is merged to 20 a second and the last value is kept")
    func progress() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.turnEnds, at: 1)
        func report(_ percent: UInt8) -> WorkerEvent { .reported(.progress(WorkToken(1), JobProgress(percent: percent))) }
        func sent(_ percent: UInt8) -> [WorkerAction] {
            [
                .send(
                    .progress([
                        WorkerMessage.ProgressReport(job: JobID(105), lease: LeaseID(5), progress: JobProgress(percent: percent))
                    ]))
            ]
        }
        _ = bench.on(report(1), at: 100)
        _ = bench.on(report(2), at: 100)
        #expect(bench.on(.turnEnds, at: 100) == sent(2))
        for percent in 3...9 {
            _ = bench.on(report(UInt8(percent)), at: 120)
            #expect(bench.on(.turnEnds, at: 120) == [])
        }
        #expect(bench.machine.nextDeadline == Bench.time(150))
        #expect(bench.on(.turnEnds, at: 150) == sent(9))
        #expect(bench.on(.turnEnds, at: 200) == [])
        _ = bench.on(report(10), at: 201)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 201)
        #expect(bench.on(report(11), at: 202) == [.ignored(.unknownWork)])
        #expect(bench.on(.turnEnds, at: 202) == [.send(Bench.ended(1, .succeeded, 5)), .disarmKillTimer])
    }

    @Test("progress of work that was taken away is not told any more")
    func progressOfDropped() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.turnEnds, at: 1)
        for (percent, time) in [(UInt8(1), Int64(100)), (2, 110)] {
            _ = bench.on(.reported(.progress(WorkToken(1), JobProgress(percent: percent))), at: time)
            _ = bench.on(.turnEnds, at: time)
        }
        bench.epoch = Epoch(11)
        _ = bench.receive(.reregister, at: 120)
        _ = bench.on(.tick, at: 120)
        _ = bench.receive(.registered(Bench.registration(1, [Bench.decision(5, .drop)])), at: 130)
        let sent = bench.on(.turnEnds, at: 500)
        #expect(!sent.contains { if case .send(.progress) = $0 { true } else { false } })
    }

    @Test("an outcome is sent again after two renewal answers without it, until it is settled")
    func repeatedUntilSettled() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([3], nil))), at: 2)
        _ = bench.on(.turnEnds, at: 2)
        var answers: [[WorkerAction]] = []
        for second in 1...4 {
            let renewal = RenewalNumber(UInt64(second) + 1)
            #expect(bench.on(.tick, at: Int64(second) * 1_000) == [.send(.renewal(renewal, leases: [5]))])
            answers.append(bench.receive(.renewed(renewal, cancels: []), at: Int64(second) * 1_000 + 1))
            #expect(bench.receive(.renewed(renewal, cancels: []), at: Int64(second) * 1_000 + 2) == [])
        }
        let again: [WorkerAction] = [.send(Bench.ended(1, .succeeded, 5, result: [3]))]
        #expect(answers == [[], again, [], again])
        #expect(bench.receive(.acknowledged(reports: [1]), at: 4_100) == [])
        #expect(bench.receive(.acknowledged(reports: [1]), at: 4_101) == [.ignored(.unknownReport)])
        #expect(bench.on(.tick, at: 5_000) == [.send(.renewal(RenewalNumber(6), leases: []))])
    }

    @Test("while none becomes durable, reports are repeated in growing pauses and up to a bound of bytes; one that does opens the way")
    func boundedRepeats() {
        var retained = RetainedReports(reportByteCount: 512 << 10)
        let result = [UInt8](repeating: 1, count: 60_000)
        for job in UInt64(1)...30 {
            retained.gather(job: job, lease: job, outcome: .succeeded, result: result)
            _ = retained.close()
        }
        var repeatedAt: [Int] = []
        var bytes = 0
        for answer in 1...240 {
            let again = retained.answered()
            guard !again.isEmpty else { continue }
            repeatedAt.append(answer)
            bytes += again.reduce(0) { $0 + $1.results.byteCount }
            #expect(again.reduce(0) { $0 + $1.results.byteCount } <= RetainedReports.repeatByteCount)
        }
        #expect(repeatedAt.prefix(6) == [2, 4, 8, 16, 32, 64])
        #expect(bytes < 12 << 20, "four minutes of a full disk")
        let isSettled = retained.acknowledge(1)
        #expect(isSettled)
        let next = (1...3).flatMap { _ in retained.answered() }
        #expect(next.first?.report == 2)
    }

    @Test("a result over its bound fails as too large, a failure carries job and attempt")
    func failures() {
        var bench = Bench.registered { $0.resultByteCount = 4 }
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([1, 2, 3, 4, 5], nil))), at: 2)
        _ = bench.on(.reported(.ended(WorkToken(2), .failed(Failure(code: .timedOut, text: "t")))), at: 2)
        guard case .send(.ended(let ended))? = bench.on(.turnEnds, at: 2).first else {
            Issue.record("no report")
            return
        }
        #expect(ended.results == [[], []])
        #expect(ended.failures.map(\.value.code) == [.tooLarge, .timedOut])
        #expect(ended.failures.map(\.value.id) == [FailureID(105), FailureID(106)])
        #expect(ended.failures.map(\.value.attempts) == [1, 1])
    }

    @Test(
        "what the front would drop as malformed is never sent: an id, a detail, a source over its bound fail as too large",
        arguments: ["id", "detail", "source"])
    func feedResults(part: String) {
        var bench = Bench.registered()
        var result = FeedResult()
        switch part {
        case "id": result.itemID = String(repeating: "i", count: 1_025)
        case "detail": result.detail = [UInt8](repeating: 32, count: (64 << 10) + 1)
        default: result.source = ContentSource(rawValue: String(repeating: "s", count: 65))
        }
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], result))), at: 2)
        guard case .send(.ended(let ended))? = bench.on(.turnEnds, at: 2).first else {
            Issue.record("no report")
            return
        }
        #expect(ended.feedResults.isEmpty)
        #expect(ended.failures.map(\.value.code) == [.tooLarge])
    }

    @Test("a failure's texts are cut at their bounds")
    func failureTexts() {
        let long = String(repeating: "ä", count: 5_000)
        let failure = LoaderFailure(FailureCode(rawValue: long), long, arguments: [String](repeating: long, count: 100)).failure
        #expect(failure.code == .loaderFailed && failure.text.utf8.count == 4_096)
        #expect(failure.arguments.count == 32 && failure.arguments.allSatisfy { $0.utf8.count == 1_024 })
    }

    @Test("a code of the loader's own is sent where it has the form of one, any other text as that the loader failed")
    func codes() {
        let own = FailureCode(rawValue: "quotaUsed2")
        #expect(LoaderFailure(own, "x").failure.code == own && LoaderFailure(.busy, "x").failure.code == .busy)
        for text in ["", "Quota", "no space", "a\n", "ä", "a-b", "2a", String(repeating: "a", count: 65)] {
            #expect(LoaderFailure(FailureCode(rawValue: text), "x").failure.code == .loaderFailed, "\(text)")
        }
    }

    @Test("a progress's texts are cut at their bounds")
    func progressTexts() {
        let long = String(repeating: "x", count: 5_000)
        let reported = Mutex<[JobProgress]>([])
        let job = JobContext(job: JobID(1), grantedAt: WallTime(milliseconds: 0)) { progress in reported.withLock { $0.append(progress) } }
        job.report(JobProgress(unit: long, message: long))
        let counts = reported.withLock { $0.map { [$0.unit.utf8.count, $0.message.utf8.count] } }
        #expect(counts == [[64, 256]])
    }

    @Test("large outcomes of one turn are split into several reports")
    func splitReports() {
        var bench = Bench.registered { $0.reportByteCount = 300 }
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 1)
        let big = [UInt8](repeating: 1, count: 90)
        #expect(bench.on(.reported(.ended(WorkToken(1), .succeeded(big, nil))), at: 2) == [])
        #expect(bench.on(.reported(.ended(WorkToken(2), .succeeded(big, nil))), at: 2) == [])
        #expect(
            bench.on(.turnEnds, at: 2) == [
                .send(Bench.ended(1, .succeeded, 5, result: big)),
                .send(Bench.ended(2, .succeeded, 6, result: big)), .disarmKillTimer,
            ])
    }

    @Test("when too many outcomes wait to become durable, grants are refused as busy, but never one that is held")
    func keptBound() {
        var bench = Bench.registered { $0.retainedJobs = 1 }
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 2)
        let refused = WorkerMessage.RefusedGrants(leases: [6], code: .busy, reason: "1 outcomes wait to become durable")
        #expect(bench.receive(.grant(Bench.grant("sleep", 6)), at: 3) == [.ignored(.overBound), .send(.refusedGrants(refused))])
        #expect(bench.receive(.grant(Bench.grant("sleep", 5)), at: 3) == [.ignored(.overBound)])
        _ = bench.on(.turnEnds, at: 3)
        _ = bench.receive(.acknowledged(reports: [1]), at: 4)
        #expect(bench.take(Bench.grant("sleep", 6), at: 5).last == Bench.start(2, lease: 6))
    }
}
