//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Synchronization
import Testing

@testable import GantryWorker

@Suite("Lines that loaders write")
struct LogTests {
    private func log(_ texts: String...) -> JobLog {
        JobLog(texts.map { LogLine(attempt: 1, at: WallTime(milliseconds: 1), text: $0) })
    }

    private func sent(_ actions: [WorkerAction]) -> [[String]] {
        actions.compactMap { action in
            switch action {
            case .send(.log(let reports)): reports.flatMap { $0.log.lines.map(\.text) }
            case .send(.ended(let ended)): ended.logs.flatMap { $0.value.lines.map(\.text) } + ["end"]
            default: nil
            }
        }
    }

    private func write(_ texts: String..., at time: Int64, to bench: inout Bench) -> [[String]] {
        var lines = JobLog()
        for text in texts { lines.append(log(text)) }
        return sent(bench.on(.reported(.logged(WorkToken(1), lines)), at: time) + bench.on(.turnEnds, at: time))
    }

    @Test("lines leave the worker at once, then at most once a second, and the rest with the outcome")
    func paced() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        #expect(write("one", at: 10, to: &bench) == [["one"]])
        #expect(write("two", at: 20, to: &bench) == [])
        #expect(write("three", at: 1_009, to: &bench) == [])
        #expect(bench.machine.nextDeadline <= Bench.time(1_010))
        #expect(sent(bench.on(.tick, at: 1_010) + bench.on(.turnEnds, at: 1_010)) == [["two", "three"]])
        #expect(write("four", at: 1_020, to: &bench) == [])
        let ended = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 1_030) + bench.on(.turnEnds, at: 1_030)
        #expect(sent(ended) == [["four", "end"]])
        #expect(write("late", at: 1_040, to: &bench) == [])
    }

    @Test("a loader that writes without end is bounded here, and each line that is left out is counted")
    func flood() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        _ = write("first", at: 0, to: &bench)
        for number in 0..<1_000 { _ = write("\(number)", at: 10, to: &bench) }
        let actions = bench.on(.tick, at: 1_000) + bench.on(.turnEnds, at: 1_000)
        for case .send(.log(let reports)) in actions {
            #expect(reports[0].log.lines.count == 50 && reports[0].log.omitted == 950)
            #expect(reports[0].log.lines.last?.text == "999")
        }
        #expect(sent(actions).count == 1)
    }

    @Test("a context makes a line of each line of a text, with its attempt")
    func context() {
        let lines = Mutex<[LogLine]>([])
        let context = JobContext(
            job: JobID(1), attempt: 3, grantedAt: WallTime(milliseconds: 1), log: { log in lines.withLock { $0 += log.lines } })
        context.log("one\n\ntwo\r\n")
        context.log(String(repeating: "x", count: 2_000))
        #expect(lines.withLock { $0.map(\.text.utf8.count) } == [3, 3, 1_024])
        #expect(lines.withLock { $0.allSatisfy { $0.attempt == 3 } })
    }

    @Test("an inbox keeps so many lines of a run, gives them before its end, and wakes the loop for the first")
    func inbox() throws {
        let inbox = try WorkerInbox()
        inbox.begin(WorkToken(1))
        for number in 0..<200 { inbox.log(WorkToken(1), JobLog([LogLine(attempt: 1, at: WallTime(milliseconds: 1), text: "\(number)")])) }
        inbox.log(WorkToken(2), JobLog([LogLine(attempt: 1, at: WallTime(milliseconds: 1), text: "unknown")]))
        inbox.ended(WorkToken(1), .cancelled)
        inbox.log(WorkToken(1), JobLog([LogLine(attempt: 1, at: WallTime(milliseconds: 1), text: "late")]))
        var reports: [WorkReport] = []
        inbox.take(into: &reports)
        guard reports.count == 2, case .logged(WorkToken(1), let log) = reports[0] else {
            Issue.record("\(reports)")
            return
        }
        #expect(log.lines.count == 50 && log.omitted == 150 && reports[1] == .ended(WorkToken(1), .cancelled))
    }

    @Test("what a loader saves goes the same way, the newest alone; more than 64 KiB are refused, and what was saved before stays")
    func saved() throws {
        let saved = Mutex<[[UInt8]]>([])
        let context = JobContext(
            job: JobID(1), grantedAt: WallTime(milliseconds: 1), resumeState: [7],
            log: { log in saved.withLock { $0.append(log.resumeState ?? [0]) } })
        #expect(context.resumeState == [7])
        try context.save(resumeState: [1])
        #expect(throws: LoaderFailure.self) { try context.save(resumeState: Array(repeating: 0, count: 65_537)) }
        #expect(saved.withLock { $0 } == [[1]])
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        var sent: [WorkerAction] = []
        for state: [UInt8] in [[1], [2], [3]] {
            sent += bench.on(.reported(.logged(WorkToken(1), JobLog(resumeState: state))), at: 10) + bench.on(.turnEnds, at: 10)
        }
        sent += bench.on(.reported(.ended(WorkToken(1), .cancelled)), at: 20) + bench.on(.turnEnds, at: 20)
        let states = sent.flatMap { action -> [[UInt8]?] in
            switch action {
            case .send(.log(let reports)): reports.map(\.log.resumeState)
            case .send(.ended(let ended)): ended.logs.map(\.value.resumeState)
            default: []
            }
        }
        #expect(states == [[1], [3]])
    }

    @Test("an attempt begins with what its grant brings for it, and with nothing where it brings none")
    func begins() {
        var bench = Bench.registered()
        var grant = Bench.grant("sleep", 5, 6)
        grant.resumeStates = [Indexed(index: 1, value: [4, 2])]
        let starts = bench.take(grant, at: 0).compactMap { if case .start(let start) = $0 { start.resumeState } else { nil } }
        #expect(starts == [[], [4, 2]])
    }

    @Test("what was saved goes once more with an end that another attempt may follow, and not with a success")
    func savedAgain() {
        func ended(_ end: WorkEnd) -> [[UInt8]?] {
            var bench = Bench.registered()
            _ = bench.take(Bench.grant("sleep", 5), at: 0)
            _ = bench.on(.reported(.logged(WorkToken(1), JobLog(resumeState: [1]))), at: 10) + bench.on(.turnEnds, at: 10)
            let actions = bench.on(.reported(.ended(WorkToken(1), end)), at: 20) + bench.on(.turnEnds, at: 20)
            var states: [[UInt8]?] = []
            for case .send(.ended(let ended)) in actions { states += ended.logs.map(\.value.resumeState) }
            return states
        }
        #expect(ended(.failed(Failure(code: .unreachable, text: "x", retryable: true))) == [[1]])
        #expect(ended(.snoozed(.seconds(1))) == [[1]] && ended(.succeeded([], nil)) == [])
    }

    @Test("what was saved last goes once more with a further registration, also that there is nothing any more", arguments: [[1], []])
    func savedForAnotherFront(_ state: [UInt8]) {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        for saved in [[9], state] {
            _ = bench.on(.reported(.logged(WorkToken(1), JobLog(resumeState: saved))), at: 10) + bench.on(.turnEnds, at: 10)
        }
        _ = bench.receive(.reregister, at: 100)
        let actions =
            bench.receive(.registered(Bench.registration(2, [Bench.decision(5, .keep, 25)])), at: 110)
            + bench.on(.tick, at: 2_000) + bench.on(.turnEnds, at: 2_000)
        let states = actions.flatMap { if case .send(.log(let reports)) = $0 { reports.map(\.log.resumeState) } else { [[UInt8]?]() } }
        #expect(states == [state])
    }
}
