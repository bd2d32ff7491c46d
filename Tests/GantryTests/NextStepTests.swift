//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting
import Testing

@testable import gantry

/// A next step that leads to the same failure again helps nobody: the running front has read its configuration at its start.
@Suite("Next steps that change the configuration")
struct NextStepTests {
    private static let change = "change gantry.yaml, end `gantry up` and start it again, then gantry feed refresh things"

    private func nextStep(_ code: FailureCode, isRetryable: Bool = false, _ operation: FeedOperation = .load) -> String? {
        var job = JobSummary(id: JobID(7), loader: "http", state: .failed, acceptedAt: WallTime(milliseconds: 0))
        job.feed = FeedKey(name: "things")
        job.operation = operation
        job.failure = Failure(code: code, text: "x", retryable: isRetryable)
        return CommandFailure(job)?.nextStep
    }

    @Test(
        "a failed load says how a change of the configuration gets into effect",
        arguments: [
            (.invalidData, false, "correct the source, or \(change)"), (.tooLarge, false, "correct the source, or \(change)"),
            (.httpStatus, false, "correct the source, or \(change)"), (.forbiddenAddress, false, change),
            (.tooManyRedirects, false, "correct the source, or \(change)"),
            (.secureConnectionFailed, false, "correct the source, or \(change)"),
            (.timedOut, true, "gantry feed refresh things; or \(change)"), (.unreachable, true, "gantry feed refresh things; or \(change)"),
            (.httpStatus, true, "gantry feed refresh things"), (.storageFull, true, "gantry feed refresh things"),
            (.outcomeUnknown, false, "gantry job explain 7"),
        ] as [(FailureCode, Bool, String)])
    func load(code: FailureCode, isRetryable: Bool, expected: String) {
        #expect(nextStep(code, isRetryable: isRetryable) == expected)
    }

    @Test("where the source refuses an address with parameters, they may be what is wrong")
    func parameterized() throws {
        let key = try #require(FeedKey(text: "things?count=abc"))
        let change = Self.change.replacing("things", with: "'things?count=abc'")
        let step = Failure(code: .httpStatus, text: "x").nextStepAtSource(of: key)
        #expect(step == "correct the parameters or the source, or \(change)")
        #expect(Failure(code: .tooLarge, text: "x").nextStepAtSource(of: key) == "correct the source, or \(change)")
    }

    @Test("so does a failed detail; a save says what it did")
    func others() {
        #expect(nextStep(.invalidData, .detail) == "correct the source, then gantry feed retry things")
        #expect(nextStep(.unknownItem, .detail) == "gantry feed items things lists the items")
        #expect(nextStep(.storageFailed, .detail) == "correct that, then gantry feed retry things")
        #expect(nextStep(.storageFull, isRetryable: true, .detail) == "gantry feed retry things")
        #expect(nextStep(.invalidData, .create) == "correct that, then gantry feed create things again")
        #expect(nextStep(.invalidData, .update) == "correct that, then gantry feed update things again")
        #expect(nextStep(.unknownItem, .update) == "gantry feed items things lists the items")
        #expect(nextStep(.outcomeUnknown, .create) == "gantry job explain 7")
    }

    @Test("a list that cannot be read is read again, which has the front check it; to give it up is the last step")
    func damaged() throws {
        let step = CommandFailure.nextStep(afterDamageOf: try #require(FeedKey(name: "things")))
        #expect(step.hasPrefix("gantry feed items things again in some seconds") && step.contains("gantry feed reset things --drop-manual"))
        for operation in [FeedOperation.create, .update, .sort, .merge, .load] { #expect(nextStep(.storageFailed, operation) == step) }
    }

    @Test("a job without a feed is submitted again, unless it may have been done, or was the death of its workers")
    func jobs() {
        func nextStep(_ code: FailureCode, _ state: JobState = .failed, isRetryable: Bool = false) -> String? {
            var job = JobSummary(id: JobID(7), loader: "noop", state: state, acceptedAt: WallTime(milliseconds: 0))
            job.failure = Failure(code: code, text: "x", retryable: isRetryable)
            return CommandFailure(job)?.nextStep
        }
        #expect(nextStep(.invalidData) == "correct that, then submit it again")
        #expect(nextStep(.storageFull, isRetryable: true) == "gantry job retry 7")
        #expect(nextStep(.loaderFailed) == "correct that, then gantry job retry 7")
        #expect(nextStep(.outcomeUnknown) == "gantry job explain 7")
        #expect(nextStep(.quarantined, .quarantined) == "gantry job explain 7")
        // Its submit is not advised on once more: it would take as long.
        #expect(nextStep(.timedOut)?.hasPrefix("gantry job explain 7 tells where its time went") == true)
    }

    @Test("a failure whose cause names no next step gets one that fits its code, and one that has one keeps it")
    func completed() {
        func nextStep(_ status: gantry.ExitStatus, _ help: String = "gantry limit set --help") -> String {
            CommandFailure(status, code: .failed, message: "x").completed(help: help).nextStep
        }
        #expect(nextStep(.invalidData) == "gantry limit set --help" && nextStep(.usage) == "gantry limit set --help")
        #expect(nextStep(.notFound) == "gantry limit list" && nextStep(.conflict) == "gantry limit list")
        #expect(nextStep(.notFound, "gantry watch --help") == "gantry status" && nextStep(.failed) == "gantry status")
        #expect(nextStep(.busy) == "repeat the command later" && nextStep(.internalError) == "gantry doctor")
        var busy = CommandFailure(.busy, code: .unavailable, message: "x")
        busy.retryAfter = .seconds(20)
        #expect(busy.completed(help: "").nextStep == "repeat the command in 20 s")
        busy.retryAfter = .milliseconds(1_250)
        #expect(busy.completed(help: "").nextStep == "repeat the command in 2 s")
        busy.retryAfter = .milliseconds(1_199_325)
        #expect(busy.completed(help: "", at: WallTime(milliseconds: 0)).nextStep == "repeat the command after 00:20:00 UTC")
        for status in gantry.ExitStatus.allCases where status != .done { #expect(!nextStep(status).isEmpty, "\(status)") }
        let own = CommandFailure(.busy, code: .unavailable, message: "x", nextStep: "wait")
        #expect(own.completed(help: "gantry status --help") == own)
    }

    @Test("a front that runs with the sample beside a configuration is to be started again, not configured")
    func configuration() {
        let change = { CommandFailure.change(of: $0, found: $1) }
        #expect(change("/etc/gantry/gantry.yaml", "/a/gantry.yaml") == "change /etc/gantry/gantry.yaml,")
        #expect(change(nil, "/a/gantry.yaml") == "the front runs with the built-in sample, not with /a/gantry.yaml:")
        #expect(change(nil, nil) == "write a gantry.yaml (there is none yet),")
    }

    @Test("a word that names no loader is answered with the nearest one that workers offer, or all of them")
    func loaders() {
        let offered = ["http", "list", "sleep"]
        #expect(JobSubmit.nextStep(insteadOf: "Sleep", among: offered) == "use sleep, or another that workers offer: http, list, sleep")
        #expect(JobSubmit.nextStep(insteadOf: "no such loader", among: offered) == "name a loader that workers offer: http, list, sleep")
        #expect(JobSubmit.nextStep(insteadOf: "Sleep", among: []).hasPrefix("start a worker"))
    }

    @Test("a filter that failed or was cancelled is called one, though its job is that of a sort")
    func filter() {
        var job = JobSummary(id: JobID(7), loader: "list", state: .cancelled, acceptedAt: WallTime(milliseconds: 0))
        (job.feed, job.operation) = (FeedKey(name: "things"), .sort)
        #expect(CommandFailure(job, as: "filter")?.message == "job 7 (filter things) was cancelled")
        #expect(CommandFailure(job)?.message == "job 7 (sort things) was cancelled")
        job.state = .running
        #expect(job.line(as: "filter") == "filter things running" && job.line() == "sort things running")
        var view = ViewState(name: "shared")
        (view.sorting, view.filter) = (JobID(7), "milk")
        #expect(view.shortLine.contains("; filtering (job 7)"))
        view.sort = SortOrder(field: "title", ascending: true)
        #expect(view.shortLine.contains("; sorting and filtering (job 7)"))
        view.filter = ""
        #expect(view.shortLine.contains("; sorting (job 7)"))
    }

    @Test("who is refused a unique key that another job has reads what to do about that job as it is then")
    func keys() {
        func nextStep(_ state: JobState?) -> String {
            let named = ["job", "46"] + (state.map { ["jobState", $0.name] } ?? [])
            return ClientError(Failure(code: .conflict, text: "x", arguments: named)).nextStep
        }
        for state in [JobState.waiting, .scheduled, .running] { #expect(nextStep(state) == "gantry job wait 46, or gantry job cancel 46") }
        #expect(nextStep(.cancelling) == "gantry job wait 46")
        #expect(nextStep(.quarantined) == "gantry job retry 46, or use another key")
        for state in [nil, JobState.succeeded, .failed] { #expect(nextStep(state) == "gantry job explain 46, or use another key") }
    }

    @Test("a parameter that a feed does not have is left out, one that it needs is added")
    func parameters() {
        func nextStep(_ more: [String]) -> String {
            ClientError(Failure(code: .invalidData, text: "x", arguments: ["parameter", "country"] + more)).nextStep
        }
        #expect(nextStep(["feed", "things"]) == "leave --param country out, or use one that it has")
        #expect(nextStep(["lacking", "true"]) == "add --param country=VALUE")
    }

    @Test("the feed that is not there says it too, and the command that was typed is the last step")
    func unknown() throws {
        let arguments = ["setting", "feeds", "feed", "things"]
        let error = ClientError(Failure(code: .unknownFeed, text: "no feed \"things\" is configured; there are: a", arguments: arguments))
        #expect(error.nextStep == "use one of those, or change gantry.yaml, end `gantry up` and start it again")
        let typed = ["feed", "load", "things", "--param", "a=b c", "--data", "/d"]
        let command = try FeedLoadCommand.parse(Array(typed.dropFirst(2)))
        #expect(
            CommandFailure(error).advising(for: command, typed: typed).nextStep
                == error.nextStep + ", then gantry feed load things --param 'a=b c' --data /d")
        let other = CommandFailure(.failed, code: .internal, message: "x", nextStep: "wait")
        #expect(other.advising(for: command, typed: typed).nextStep == "wait")
    }

    @Test("who may not add an item yet is told to do that again, and not to load")
    func created() throws {
        let error = ClientError(Failure(code: .invalidData, text: "x", arguments: ["setting", "editable", "feed", "things"]))
        let typed = ["feed", "create", "things", "--item", "{\"a\":1}"]
        let step = CommandFailure(error).advising(for: try FeedLoadCommand.parse(["things"]), typed: typed).nextStep
        #expect(step == error.nextStep + ", then gantry feed create things --item '{\"a\":1}'")
    }

    @Test("a refusal that a change of the configuration helps says so, with the feed's key as a shell takes it")
    func refused() {
        let arguments = ["setting", "editable", "feed", "things?a=b"]
        let error = ClientError(Failure(code: .invalidData, text: "feed things?a=b is not editable: declare it", arguments: arguments))
        #expect(error.nextStep == "change gantry.yaml, end `gantry up` and start it again")
        #expect(
            ClientError(Failure(code: .invalidData, text: "x", arguments: ["setting", "feed"] + arguments.dropFirst(2))).nextStep
                == Self.change.replacing("things", with: "'things?a=b'"))
        #expect(ClientError(Failure(code: .invalidData, text: "x")).nextStep.isEmpty)
    }
}
