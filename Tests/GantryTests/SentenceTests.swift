//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryClient
import GantryModel
import GantrySettings
import StateFormatting
import TestSupport
import Testing

@testable import gantry

/// Sentences that somebody new had stumbled over, as they were said better.
@Suite("Sentences")
struct SentenceTests {
    @Test(
        "a command says what it does in words of everyday",
        arguments: [
            (JobSubmit.self, "Submit jobs."), (JobSubmit.self, "The loader to run."),
            (StatusCommand.self, "Show overall health and a suggested next command."),
            (
                SampleOriginCommand.self,
                "delaySeconds 0 to 3600: seconds before the answer begins bytesPerSecond a whole number from 1: how fast"
            ),
            (SampleOriginCommand.self, "times a whole number from 1: the fault is gone when it was met so often"),
            (FeedSort.self, "Sort a view; --none restores the source order."),
            (StatusCommand.self, "Maximum wait, for example 30s; then the command ends with 7 if no front has answered"),
            (
                UpCommand.self,
                "A process that dies is restarted, with the configuration that up has read at its start; a worker that drains is not."
            ),
            (UpCommand.self, "full: accepted jobs survive a power cut and the end of the front. memory: neither."),
            (FrontServiceCommand.self, "full: accepted jobs survive a power cut and the end of the front. memory: neither."),
            (JobSubmit.self, "The most that the second attempt waits, for example 500ms; it doubles with each further one."),
            (JobSubmit.self, "The client to which the jobs belong, at most 64 bytes: clients take turns at the workers"),
            (JobSubmit.self, "How long the key is taken. started: until the job has started. ended: until it has ended; the default."),
            (JobForgive.self, "Forget the crashes of workers that count against a waiting job."),
            (LimitDelete.self, "Delete a limit, or what was set by command for a limit of gantry.yaml."),
            (LimitCommand.self, "A limit bounds how many jobs run at once over all workers, how many attempts begin in a time, or both."),
        ] as [(any ParsableCommand.Type, String)])
    func help(command: any ParsableCommand.Type, sentence: String) {
        let help = GantryCommand.helpMessage(for: command, columns: 1_000).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains(sentence), "\(help)")
    }

    @Test(
        "a job says why it waits",
        arguments: [
            (.suspected, "its worker died; the next attempt runs alone on a worker"),
            (.storageFull, "too little is free on the disk of the front"),
            (.slotsTaken, "no slot is free for it"),
            (.workersNotReady, "no worker that offers its loader takes a job at the moment (gantry worker list)"),
            (.slotsReserved(for: JobID(12)), "free slots are reserved for job 12, whose worker died and which runs alone for a while"),
            (.noWorker(loader: "http"), "no registered worker offers the loader http"),
        ] as [(WaitReason, String)])
    func waiting(reason: WaitReason, sentence: String) {
        #expect(reason.line == sentence)
    }

    @Test("what cannot be is said once, and no help is poured over it where the words that can be are few")
    func refusals() throws {
        func sentence(_ words: [String]) throws -> String {
            let error = try #require(throws: (any Error).self) { try JobSubmit.parse(["sleep"] + words) }
            return ParserSentence.of(error, in: JobSubmit.self)
        }
        let until = "the value 'done' is invalid for '--unique-until <unique-until>'; give one of 'started', 'ended', 'replace' or 'buffer'"
        #expect(try sentence(["--unique", "a", "--unique-until", "done"]) == until)
        let weight = "the value 'api:0' is invalid for '--limit <limit>': \"0\" is no weight: write how many permits"
        #expect(try sentence(["--limit", "api:0"]).hasPrefix(weight))
    }

    @Test("a job that was quarantined is called that once")
    func quarantined() {
        var job = JobSummary(id: JobID(7), loader: "resize", state: .quarantined, acceptedAt: nil)
        job.failure = Failure(code: .quarantined, text: "3 workers died on job 7")
        #expect(job.line() == "resize quarantined; 3 workers died on job 7")
        #expect(JobList.why(job, at: nil) == "3 workers died on job 7")
        // Its worker may have named another cause.
        job.failure?.code = .loaderFailed
        #expect(job.line() == "resize quarantined; loaderFailed: 3 workers died on job 7")
    }

    @Test("what has ended is not called something that it is", arguments: JobState.allCases)
    func clauses(state: JobState) {
        #expect(state.clause.hasPrefix(state.isFinal && state != .quarantined ? state == .cancelled ? "was " : "has " : "is "))
    }

    @Test("the pauses between attempts are told as what they are")
    func pauses() {
        #expect(RetryRule(backOff: BackOff(first: .seconds(2))).line == "random pauses up to 2 s, doubling, at most 10 min")
        #expect(RetryRule(backOff: BackOff(first: .seconds(7), longest: .seconds(7), hasJitter: false)).line == "pauses of 7 s")
    }

    @Test("a limit that is not there is answered with the nearest one, which nobody is told to delete")
    func missingLimit() throws {
        let limits = [LimitSummary(name: "api", rule: LimitRule(capacity: 5))]
        let failure = try LimitDelete.parse(["apo"]).argument.unknown(among: limits)
        #expect(failure.message == "no limit is called \"apo\"" && failure.nextStep == "gantry limit show api")
        #expect(try LimitDelete.parse(["mail"]).argument.unknown(among: limits).nextStep == "gantry limit list")
    }

    @Test("each value of a limit has tokens of its own: the list says so where a limit has values")
    func tokens() {
        var limit = LimitSummary(name: "api", rule: LimitRule(capacity: nil, refill: LimitRefill(2, per: .seconds(1))))
        func row() -> [Substring] {
            let lines = LimitList.table([limit], at: WallTime(milliseconds: 0)).text(columns: nil).split(separator: "\n")
            return lines.last?.split(separator: " ") ?? []
        }
        #expect(row() == ["api", "-", "2/s", "2", "2", "-", "-", "0"])
        (limit.valueCount, limit.values) = (1, [LimitValue("a", inUse: 0, waiting: 0)])
        #expect(row() == ["api", "-", "2/s", "2", "by", "value", "-", "1", "0"])
    }

    @Test("a next step that is a command is no sentence about one")
    func commands() {
        #expect(CommandFailure(ClientError(.notFound, "x", nextStep: "see it with `gantry job show 7`")).nextStep == "gantry job show 7")
        let two = "see it with `gantry job show 7`, or wait longer"
        #expect(CommandFailure(ClientError(.notFound, "x", nextStep: two)).nextStep == two)
    }

    @Test("a name that no feed can have is no valid one")
    func feedName() throws {
        let error = #expect(throws: (any Error).self) { try FeedArguments.parse(["Big"]).key() }
        let message = error.map { FeedArguments.message(for: $0) } ?? ""
        #expect(message.contains("\"Big\" is not a valid feed name: a name is a small letter, then up to 62 small letters"), "\(message)")
    }

    @Test("a journal that cannot be read is bad, and nobody is told to make room for a copy of it")
    func journal() throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(path: folder.path, origin: .flag)
        try FileManager.default.createDirectory(atPath: data.journal, withIntermediateDirectories: false)
        // The first page of a process is never mapped: also root cannot read it.
        try FileManager.default.createSymbolicLink(atPath: data.journal + "/journal.sqlite", withDestinationPath: "/proc/self/mem")
        let check = DoctorCheck.journal(data, nil)
        #expect(check.state == .bad && check.nextStep == nil, "\(check)")
        #expect(check.detail.hasPrefix("\(data.journal)/journal.sqlite: cannot be read ("), "\(check)")
    }
}
