//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Outcomes")
struct OutcomeRuleTests {
    @Test("outcomes over the rows of a message come in several, none lost and none twice")
    func rows() {
        var front = FrontHarness { $0.bounds.answerRows = 3 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, prefetch: 16)
        let first = front.run(8, on: &worker)
        let answers = answers(worker.endAll(in: &front), front)
        #expect(answers.map(\.jobs.count) == [3, 3, 2])
        #expect(answers.flatMap(\.jobs) == (0..<8).map { first.rawValue + $0 })
        #expect(answers.map(\.results) == [3, 3, 2].map { PackedBytes(repeating: [5], count: $0) })
        #expect(answers.allSatisfy { $0.states.count == $0.jobs.count })
    }

    @Test("each argument reaches its worker and each result its client as they were, whatever has gone from between")
    func payloads() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        let submit = ClientMessage.Submit(
            number: RequestNumber(front.nextRequest), lowestUnanswered: RequestNumber(1), loader: "noop", reportsOutcomes: true,
            arguments: [[1], [2, 2], [], [3, 3, 3], [4]])
        front.nextRequest += 1
        _ = front.send(.submit(submit))
        _ = front.ask(.job(.cancel(JobID(2))))
        let granted = worker.registration(with: &front, slots: 2, prefetch: 16, loaders: WorkerHarness.loaders) + front.settle()
        worker.take(granted)
        var arguments = PackedBytes()
        for case .sendToWorker(_, .grant(let grant)) in granted { arguments.append(contentsOf: grant.arguments) }
        #expect(arguments == [[1], [], [3, 3, 3], [4]])
        var ended = WorkerMessage.Ended(report: 1)
        (ended.jobs, ended.leases) = (worker.held.map(\.job), worker.held.map(\.lease))
        ended.outcomes = [.succeeded, .failed, .succeeded, .succeeded]
        ended.results = [[7], [8], [], [9, 9]]
        let answers = answers(worker.send(.ended(ended), to: &front) + front.settle(), front)
        #expect(answers.flatMap(\.jobs) == [1, 3, 4, 5])
        #expect(answers.map(\.results) == [[[7], [], [], [9, 9]]])
    }

    @Test("as many rows as a message may have go in one")
    func exactRows() {
        var answers = FrontMessage.Answers()
        answers.unknown = [1, 2, 3]
        #expect(answers.pieces(rows: 3, byteCount: 1_000).map(\.unknown) == [[1, 2, 3]])
        #expect(answers.pieces(rows: 2, byteCount: 1_000).map(\.unknown) == [[1, 2], [3]])
        #expect(answers.pieces(rows: 3, byteCount: RoughSize.answer).map(\.unknown) == [[1], [2], [3]])
    }

    @Test("what fills a message to its last byte goes in one, outcomes and unknown jobs together; with one byte less each has its own")
    func exactBytes() {
        var answers = FrontMessage.Answers()
        (answers.jobs, answers.states, answers.results, answers.unknown) = ([1], [.succeeded], [[7, 7, 7]], [2])
        let byteCount = 2 * RoughSize.answer + 3
        let (whole, parts) = (answers.pieces(rows: 1, byteCount: byteCount), answers.pieces(rows: 1, byteCount: byteCount - 1))
        #expect(whole.map(\.jobs) == [[1]] && whole.map(\.unknown) == [[2]] && whole.map(\.results) == [[[7, 7, 7]]])
        #expect(parts.map(\.jobs) == [[1], []] && parts.map(\.unknown) == [[], [2]] && parts.map(\.results) == [[[7, 7, 7]], []])
    }

    @Test("outcomes over the client's largest frame come in several messages that fit")
    func frames() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open(largestFrame: 131_072)
        worker.register(with: &front, prefetch: 16)
        let first = front.run(8, on: &worker)
        let answers = answers(worker.endAll(resultByteCount: 20_000, in: &front), front)
        #expect(answers.map(\.jobs.count) == [3, 3, 2])
        #expect(answers.flatMap(\.jobs) == (0..<8).map { first.rawValue + $0 })
        #expect(answers.allSatisfy { $0.results.lengths == $0.jobs.map { _ in 20_000 } })
    }

    @Test("asked for by id, jobs that are not known are named as such, also beside those that have ended")
    func unknown() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, on: &worker)
        worker.end(job.rawValue, result: [4], in: &front)
        #expect(front.ask(.job(.outcomes([JobID(77), job]))) == .done(version: 0))
        let answers = answers(front.settle(), front)
        #expect(answers.map(\.unknown) == [[77]])
        #expect(answers.map(\.jobs) == [[job.rawValue]])
    }

    @Test("a session is told how another session's jobs ended when it asks")
    func otherSession() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, on: &worker)
        worker.end(job.rawValue, result: [4], in: &front)
        front.open()
        _ = front.ask(.job(.outcomes([job])))
        #expect(answers(front.settle(), front).map(\.jobs) == [[job.rawValue]])
    }

    @Test("of jobs that end in one report each session is told its own, with their results, and of none that nobody waits for")
    func manySessions() {
        var (front, worker) = FrontHarness.serving(prefetch: 16)
        let one = front.session
        front.open()
        let two = front.session
        for (session, number, reports) in [(one, 1, true), (one, 2, true), (two, 1, false), (two, 2, true), (one, 3, true)] {
            (front.session, front.nextRequest) = (session, UInt64(number))
            _ = front.submit(1, reports: reports)
        }
        worker.take(front.settle())
        var ended = WorkerMessage.Ended(report: 1)
        (ended.jobs, ended.leases) = (worker.held.map(\.job), worker.held.map(\.lease))
        ended.outcomes = [.succeeded, .succeeded, .succeeded, .failed, .succeeded]
        ended.results = [[1], [2, 2], [3], [], [5, 5, 5]]
        var reported: [SessionID: FrontMessage.Answers] = [:]
        for case .send(_, let session, .answers(let answer)) in worker.send(.ended(ended), to: &front) + front.settle() {
            #expect(reported.updateValue(answer, forKey: session) == nil)
        }
        #expect(reported[one]?.jobs == [1, 2, 5] && reported[one]?.results == [[1], [2, 2], [5, 5, 5]])
        #expect(reported[two]?.jobs == [4] && reported[two]?.states == [.failed] && reported[two]?.results == [[]])
    }

    @Test("what one question may be answered with is bounded; the rest can be asked for again", arguments: [20_000, 29_999])
    func answerBytes(limit: Int) {
        var front = FrontHarness { $0.bounds.answerByteCount = limit }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let first = front.run(4, on: &worker)
        _ = worker.endAll(resultByteCount: 10_000, in: &front)
        let jobs = (0..<4).map { first.advanced(by: $0) }
        _ = front.ask(.job(.outcomes(jobs)))
        let reported = answers(front.settle(), front).flatMap(\.jobs)
        #expect(reported == jobs.prefix(2).map(\.rawValue))
        _ = front.ask(.job(.outcomes(Array(jobs.dropFirst(2)))))
        #expect(answers(front.settle(), front).flatMap(\.jobs) == jobs.dropFirst(2).map(\.rawValue))
    }

    @Test("what all sessions of a turn may be answered with is bounded together; the rest can be asked for again")
    func answerBytesOfATurn() {
        var front = FrontHarness { $0.bounds.answerByteCount = 25_000 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let first = front.run(4, reports: false, on: &worker)
        _ = worker.endAll(resultByteCount: 10_000, in: &front)
        let jobs = (0..<4).map { first.advanced(by: $0) }
        for part in [jobs.prefix(2), jobs.suffix(2)] {
            front.open()
            _ = front.ask(.job(.outcomes(Array(part))))
        }
        var reported: [UInt64] = []
        for case .send(_, _, .answers(let answer)) in front.settle() { reported += answer.jobs }
        #expect(reported == jobs.prefix(2).map(\.rawValue))
        _ = front.ask(.job(.outcomes(Array(jobs.suffix(2)))))
        #expect(answers(front.settle(), front).flatMap(\.jobs) == jobs.suffix(2).map(\.rawValue))
    }

    @Test("a job that is asked for many times is answered once")
    func manyTimes() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, on: &worker)
        worker.end(job.rawValue, result: [4], in: &front)
        front.settle()
        #expect(front.ask(.job(.outcomes(Array(repeating: job, count: 60)))) == .done(version: 0))
        #expect(answers(front.settle(), front).flatMap(\.jobs) == [job.rawValue])
    }

    @Test("who asks while a job runs is told when it ends, once; that is of this life, and no checkpoint has it")
    func askedWhileRunning() {
        var (front, worker) = FrontHarness.serving()
        _ = front.run(1, reports: false, on: &worker)
        let before = storedJobs(of: front)
        #expect(front.ask(.job(.outcomes([JobID(1)]))) == .done(version: 0))
        #expect(answers(front.settle(), front).isEmpty)
        #expect(storedJobs(of: front) == before)
        #expect(answers(worker.endAll(resultByteCount: 1, in: &front), front).flatMap(\.jobs) == [1])
        #expect(front.machine.queue.pendingAnswers.asked.isEmpty)
    }

    @Test("while a session waits for an outcome of another one's job, each job that ends is looked at, and counted")
    func followedSteps() {
        func steps(isFollowed: Bool) -> UInt64 {
            var (front, worker) = FrontHarness.serving(prefetch: 128)
            _ = front.run(100, on: &worker)
            for _ in 0..<4 { worker.take(front.settle()) }
            #expect(worker.held.count == 100)
            let other = front.submit(1, loader: "idle")
            front.open()
            _ = front.ask(.job(.outcomes([isFollowed ? other : JobID(99_999)])))
            front.settle()
            let before = front.machine.steps
            _ = worker.endAll(in: &front)
            return front.machine.steps - before
        }
        #expect(steps(isFollowed: true) >= steps(isFollowed: false) + 100)
    }

    @Test("a session that was told takes no place of those that wait for outcomes, and gives none back when it ends")
    func toldFollower() {
        var front = FrontHarness { $0.bounds.followedJobs = 1 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let first = front.run(3, reports: false, on: &worker)
        func follow(_ job: JobID) -> SessionID {
            front.open()
            #expect(front.ask(.job(.outcomes([job]))) == .done(version: 0))
            front.settle()
            return front.session
        }
        _ = follow(first)
        #expect(answers(worker.end(first.rawValue, in: &front), front).map(\.jobs) == [[first.rawValue]])
        _ = front.send(.close)
        let waiting = follow(first.advanced(by: 1))
        // Beyond the bound: it asks again.
        _ = follow(first.advanced(by: 2))
        var reported: [SessionID: [UInt64]] = [:]
        for case .send(_, let session, .answers(let answer)) in worker.endAll(in: &front) { reported[session, default: []] += answer.jobs }
        #expect(reported == [waiting: [first.rawValue + 1]])
    }

    /// The jobs of a checkpoint: its replies name how far the client has come, which each request moves.
    private func storedJobs(of front: FrontHarness) -> [JournalEntry] {
        front.machine.wholeCheckpoint.filter { if case .jobsStored = $0 { true } else { false } }
    }

    private func answers(_ actions: [FrontAction], _ front: FrontHarness) -> [FrontMessage.Answers] {
        var answers: [FrontMessage.Answers] = []
        for case .send(front.client, front.session, .answers(let answer)) in actions { answers.append(answer) }
        return answers
    }
}
