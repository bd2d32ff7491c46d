//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform
import StateFormatting
import Testing

@testable import gantry

@Suite("When a job is to start, on the command line")
struct JobTimesTests {
    @Test("a delay, a time of any zone, or none")
    func values() throws {
        func start(_ words: String...) throws -> JobStart? { try JobSubmit.parse(["sleep"] + words).shape.start.value() }
        #expect(try start() == nil)
        #expect(try start("--delay", "90s") == .after(.seconds(90)))
        let time = WallTime(milliseconds: 1_798_135_200_000)
        #expect(try start("--run-at", "2026-12-24T18:00:00Z") == .at(time))
        #expect(try start("--run-at", "2026-12-24T19:00:00.000+01:00") == .at(time))
        let command = try JobDelay.parse(["42", "--delay", "1h", "--output", "json"])
        #expect(try command.targets.value() == .named([JobID(42)]) && command.start.value() == .after(.seconds(3_600)))
        #expect(try JobPromote.parse(["42"]).targets.value() == .named([JobID(42)]))
    }

    @Test("how often a job is tried, and how long it waits between two attempts")
    func retries() throws {
        func rule(_ words: String...) throws -> RetryRule { try JobSubmit.parse(["sleep"] + words).shape.retry.value() }
        #expect(try rule() == RetryRule())
        #expect(try rule("--attempts", "8", "--back-off", "500ms") == RetryRule(attempts: 8, backOff: BackOff(first: .milliseconds(500))))
        let exact = BackOff(first: .seconds(2), longest: .seconds(60), hasJitter: false)
        #expect(try rule("--back-off", "2s", "--longest-back-off", "1m", "--no-jitter") == RetryRule(backOff: exact))
        // A first pause beyond the usual longest one is that, too.
        #expect(try rule("--back-off", "1h").backOff.longestPause == .seconds(3_600))
        #expect(try rule("--jitter").backOff == BackOff(hasJitter: true) && rule("--no-jitter").backOff == BackOff(hasJitter: false))
        #expect(
            try rule("--attempts", "2", "--retry-code", "unreachable=10", "--retry-code", "invalidData=never")
                == RetryRule(attempts: 2, codes: [CodeRetryRule(.unreachable, attempts: 10), .never(after: .invalidData)]))
        #expect(try rule("--attempts", "3").line == "3 attempts" && rule("--attempts", "1").line == "1 attempt" && rule().line == nil)
        #expect(RetryRule(attempts: 3, backOff: exact).line == "3 attempts, pauses of 2 s, doubling, at most 1 min")
    }

    @Test(
        "what makes no sense is said before a front is asked",
        arguments: [
            (["submit", "sleep", "--delay", "1h", "--run-at", "2026-12-24T18:00:00Z"], "--delay and --run-at are two times"),
            (["submit", "sleep", "--run-at", "tomorrow"], "\"tomorrow\" is no time: write it as RFC 3339 has it"),
            (["submit", "sleep", "--run-at", "2026-12-24T18:00:00"], "is no time"), (["submit", "sleep", "--delay", "5"], "no unit"),
            (["submit", "sleep", "--delay", "366d"], "365d"), (["submit", "sleep", "--delay", "-5s"], "--delay"),
            (["submit", "sleep", "--attempts", "0"], "--attempts: a job has 1 to 1,000 attempts, not 0"),
            (["submit", "sleep", "--attempts", "-1"], "--attempts"),
            (["submit", "sleep", "--back-off", "5"], "no unit"), (["submit", "sleep", "--back-off", "2d"], "at most a day"),
            (
                ["submit", "sleep", "--back-off", "9s", "--longest-back-off", "3s"],
                "--back-off, --longest-back-off: the longest back-off, 3 s, is shorter than the first, 9 s"
            ),
            (["submit", "sleep", "--retry-code", "bussy=3"], "there is no failure code \"bussy\"; did you mean \"busy\"?"),
            (["submit", "sleep", "--retry-code", "busy"], "\"busy\" lacks the attempts: write for example busy=10, or busy=never"),
            (["submit", "sleep", "--retry-code", "=5"], "\"=5\" names no failure code: write for example unreachable=10"),
            (["submit", "sleep", "--retry-code", "busy=5,conflict=2"], "or busy=never; for several codes, give the option once for each"),
            (
                ["submit", "sleep", "--retry-code", "busy=often"],
                "\"often\" is neither a number of attempts nor never: write for example busy=10"
            ),
            (["submit", "sleep", "--retry-code", "busy=0"], "--retry-code: after busy: a job has 1 to 1,000 attempts, not 0"),
            (["submit", "sleep", "--retry-code", "busy=2", "--retry-code", "busy=never"], "says once how often it is tried after busy"),
            (["delay", "42"], "give --delay or --run-at"), (["delay", "--delay", "5s"], "job"), (["promote"], "job"), (["forgive"], "job"),
            (["retry"], "name a job, or choose many"),
            (["retry", "7", "8", "7"], "job 7 is named twice"),
        ] as [([String], String)])
    func mistakes(words: [String], text: String) throws {
        let answer = try ProgramRun(["job"] + words)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(text), "\(answer.errors)")
    }

    @Test("what is submitted once more is named by its ids, and only what has ended without success is")
    func repeated() throws {
        #expect(try JobRetry.parse(["42", "43", "--wait"]).chosen() == .named([JobID(42), JobID(43)]))
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .failed, acceptedAt: WallTime(milliseconds: 0))
        let repeated = JobState.allCases.filter {
            job.state = $0
            return job.reasonAgainstRetry == nil
        }
        #expect(repeated == [.failed, .cancelled, .expired, .quarantined])
        job.feed = FeedKey(text: "items")
        #expect(job.reasonAgainstRetry == "works for a feed: ask its feed again")
    }

    @Test("what another job repeats already is named, and neither advised nor made a second time unless that is said")
    func repeatedTwice() throws {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .failed, acceptedAt: WallTime(milliseconds: 0))
        #expect(JobExplain.text(JobExplanation(job: job)).contains("next: correct that, then gantry job retry 7"))
        job.repeatedBy = JobID(9)
        let text = "job 9 repeats job 7 already: nothing was submitted"
        let refusal = CommandFailure(ClientError(Failure(code: .conflict, text: text, arguments: ["job", "7", "repeatedBy", "9"])))
        #expect(refusal.status == .conflict && refusal.message == text)
        #expect(refusal.nextStep == "gantry job show 9, or one more all the same: gantry job retry 7 --again")
        #expect(!JobExplain.text(JobExplanation(job: job)).contains("job retry 7"))
        job.state = .expired
        #expect(CommandFailure(job)?.nextStep == "gantry job show 9")
        #expect(try JobRetry.parse(["7", "--again"]).again)
    }

    @Test("a job that is tried again shows what its last attempt failed with, when the next one comes, and its rule")
    func backedOff() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .scheduled, acceptedAt: WallTime(milliseconds: 0))
        let due = WallTime(milliseconds: 1_798_135_200_000)
        (job.dueAt, job.waitReason) = (due, .backedOff(until: due))
        job.failure = Failure(code: .unreachable, text: "no answer", retryable: true, attempts: 2, retryAfter: .milliseconds(1_500))
        job.options.retry.attempts = 3
        let next = "it is tried again at 2026-12-24T18:00:00.000Z"
        #expect(job.line() == "sleep scheduled; its last attempt failed: \(next); unreachable: no answer")
        let json = job.json().text
        #expect(json.contains(#""reason":"backedOff","until":"2026-12-24T18:00:00.000Z""#), "\(json)")
        #expect(json.contains(#""retry":{"attempts":3,"backOffSeconds":1,"longestBackOffSeconds":600,"jitter":true}"#), "\(json)")
        #expect(json.contains(#""retryAfterSeconds":1.5"#), "\(json)")
    }

    @Test("a time that is over is told from one that comes, and a delay is none")
    func over() {
        let now = WallTime(milliseconds: 1_798_135_200_000)
        #expect(JobStart.at(now).isOver(at: now) && JobStart.at(now.advanced(by: .seconds(-1))).isOver(at: now))
        #expect(!JobStart.at(now.advanced(by: .seconds(1))).isOver(at: now))
        #expect(!JobStart.now.isOver(at: now) && !JobStart.after(.seconds(1)).isOver(at: now))
    }

    @Test("who delays a debounced job is told that the next submit moves it again, and who delays another is not")
    func debounced() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .scheduled, acceptedAt: nil)
        #expect(JobDelay.notice(of: job) == nil)
        job.options.uniqueKey = UniqueKey("k")
        #expect(JobDelay.notice(of: job) == nil)
        job.options.uniqueKey = UniqueKey("k", debounce: Debounce(quiet: .seconds(5)))
        #expect(JobDelay.notice(of: job) == "its key \"k\" is debounced: the next submit with that key moves its time again")
        job.state = .waiting
        #expect(JobDelay.notice(of: job) == nil)
    }

    @Test("a line for people says when its time comes, and JSON has it as a time")
    func line() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .scheduled, acceptedAt: WallTime(milliseconds: 0))
        let due = WallTime(milliseconds: 1_798_135_200_000)
        (job.dueAt, job.waitReason) = (due, .delayed(until: due))
        #expect(job.line() == "sleep scheduled; its time comes at 2026-12-24T18:00:00.000Z")
        #expect(job.json().text.contains(#""dueAt":"2026-12-24T18:00:00.000Z""#))
    }
}
