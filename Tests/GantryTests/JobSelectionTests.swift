//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import GantryPlatform
import StateFormatting
import Testing

@testable import gantry

@Suite("One job or many, on the command line")
struct JobSelectionTests {
    private func chosen(_ words: String...) throws -> JobQuery? {
        if case .many(let query) = try JobCancel.parse(words).targets.value() { query } else { nil }
    }

    @Test("many are chosen by each of the options, or all by --all")
    func selection() throws {
        #expect(try chosen("42") == nil && chosen("42", "43") == nil)
        #expect(try JobWait.parse(["9", "2"]).named.ids() == [JobID(9), JobID(2)])
        #expect(try chosen("--all") == JobQuery())
        #expect(try chosen("--loader", "sleep", "--state", "waiting") == JobQuery(state: .waiting, loader: "sleep"))
        #expect(try chosen("--feed", "todos", "--code", "timedOut") == JobQuery(feed: "todos", code: .timedOut))
        #expect(try chosen("--tag", "a", "--tag", "b") == JobQuery(tags: ["a", "b"]))
        let time = try #require(try chosen("--older-than", "1h")?.changedBefore)
        let age = WallTime(milliseconds: SystemClock.wallMilliseconds()).duration(since: time)
        #expect(age >= .seconds(3_600) && age < .seconds(3_660))
    }

    @Test("what repeats the command has all its options")
    func words() throws {
        let command = try JobCancel.parse(["--loader", "sleep", "--state", "waiting", "--tag", "a b", "--older-than", "90s", "--code", "x"])
        #expect(command.targets.words.joined(separator: " ") == "--state waiting --loader sleep --code x --tag 'a b' --older-than 90s")
        #expect(try JobCancel.parse(["--all"]).targets.words == ["--all"])
        #expect(try JobDelay.parse(["--all", "--delay", "5s"]).start.words == ["--delay 5s"])
    }

    @Test("ended jobs are repeated by their ids, or chosen by the same options")
    func repeated() throws {
        #expect(try JobRetry.parse(["42", "43"]).chosen() == .named([JobID(42), JobID(43)]))
        let unreachable = JobQuery(state: .failed, code: .unreachable)
        #expect(try JobRetry.parse(["--state", "failed", "--code", "unreachable"]).chosen() == .many(unreachable))
        #expect(try JobRetry.parse(["--all", "--yes"]).chosen() == .many(JobQuery()))
        for words in [["--state", "cancelled,failed"], ["--state", "failed", "--state", "cancelled"]] {
            let retry = try JobRetry.parse(words)
            #expect(try retry.chosen() == .many(JobQuery().of([.failed, .cancelled])))
            #expect(retry.targets.words.joined(separator: " ") == words.joined(separator: " "))
        }
    }

    @Test(
        "what makes no sense is told before a front is asked",
        arguments: [
            (["cancel"], "name a job, or choose many with --state"), (["cancel", "42", "--loader", "sleep"], "one of these"),
            (["cancel", "42", "--all"], "one of these"), (["cancel", "--all", "--loader", "sleep"], "one of these"),
            (["cancel", "42", "--yes"], "--yes is for many jobs"), (["promote", "--state", "asleep"], "no such state: asleep"),
            (["forgive", "--older-than", "5"], "no unit"), (["delay", "--all"], "give --delay or --run-at"),
            (["retry"], "name a job, or choose many with --state"), (["retry", "42", "--code", "x"], "one of these"),
            (["retry", "42", "42"], "job 42 is named twice"), (["wait", "42", "42"], "job 42 is named twice"),
            (["cancel", "42", "7", "42"], "job 42 is named twice"), (["cancel", "7", "1", "1", "7"], "jobs 1, 7 are named twice"),
            (["cancel", "1", "x", "2", "7y"], "the values 'x', '7y' are invalid for '<jobs>': the ids of the jobs"),
            (["retry", "x", "1", "y"], "the values 'x', 'y' are invalid"), (["wait", "1", "x"], "the value 'x' is invalid"),
            (["retry", "42", "--yes"], "--yes is for many jobs"),
            (["retry", "--all", "--again"], "--again is for jobs that are named"),
            (["retry", "--all", "--wait"], "--wait is for jobs that are named"), (["retry", "--state", "asleep"], "no such state: asleep"),
            (["cancel", "--state", "gone,waiting", "--state", "asleep"], "no such states: gone, asleep; there are"),
            (["reprioritize", "--all", "--priority", "10"], "--priority is 0 to 9, not 10"),
        ] as [([String], String)])
    func mistakes(words: [String], text: String) throws {
        let answer = try ProgramRun(["job"] + words)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(text), "\(answer.errors)")
    }

    @Test("a text that can be no failure code chooses nothing, and is named")
    func codes() throws {
        #expect(try SelectionOptions.parse(["--code", "quotaUsed2"]).query().code == FailureCode(rawValue: "quotaUsed2"))
        for text in ["no space", "2a", "x-y"] {
            let error = #expect(throws: (any Error).self) { try SelectionOptions.parse(["--code", text]).query() }
            #expect(error.map { "\($0)".contains("\"\(text)\" is no failure code: those are ") } == true, "\(String(describing: error))")
        }
    }

    @Test("where no job was found a code and a loader that look misspelled are remarked on, and a loader's own are not")
    func remarks() {
        func remark(_ code: String) -> String? { JobQuery(code: FailureCode(rawValue: code)).codeRemark }
        for code in ["timedout", "TIMEDOUT", "timedOutt"] {
            #expect(remark(code) == "there is no failure code \"\(code)\"; did you mean \"timedOut\"?")
        }
        #expect(remark("timedOut") == nil && remark("quotaUsed2") == nil && JobQuery().codeRemark == nil)
        let offered = ["http", "sleep"]
        let misspelled = "no job and no worker of a loader \"sleeep\" is known; did you mean \"sleep\"?"
        #expect(JobQuery.remark(onLoader: "sleeep", offered: offered) == misspelled)
        #expect(JobQuery.remark(onLoader: "resize-image", offered: offered)?.hasSuffix("\"resize-image\" is known") == true)
        #expect(JobQuery.remark(onLoader: "sleep", offered: offered) == nil)
    }

    @Test("what would be done with many jobs and what was done differ in more than the command that follows")
    func told() {
        let actions: [BulkAction] = [.cancel, .promote, .delay(.now), .reprioritize(9), .forgive, .retry]
        #expect(
            actions.map { BulkSummary.line(ofDry: $0, with: 2, command: "C") }
                == ["cancelled", "promoted", "delayed", "reprioritized", "forgiven", "retried"].enumerated().map {
                    "\(actions[$0].word): 2 jobs would be \($1), nothing is done yet; to do it: C --yes"
                })
        #expect(BulkSummary.line(ofDry: .cancel, with: 0, command: "C") == "cancel: no job would be cancelled")
        var summary = BulkSummary(number: 1, action: "cancel", by: "", since: WallTime(milliseconds: 0))
        (summary.done, summary.passedOver) = (1, 2)
        #expect(summary.line == "cancel: 1 job cancelled, 2 jobs passed over so far")
        (summary.isFinished, summary.action) = (true, "polish")
        #expect(summary.line == "polish: 1 job handled (polish), 2 jobs passed over")
    }
}
