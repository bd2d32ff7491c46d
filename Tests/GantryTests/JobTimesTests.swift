//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import GantryPlatform
import StateFormatting
import Testing

@testable import gantry

@Suite("When a job is to start, on the command line")
struct JobTimesTests {
    @Test("a delay, a time of any zone, or none")
    func values() throws {
        func start(_ words: String...) throws -> JobStart? { try JobSubmit.parse(["sleep"] + words).start.value() }
        #expect(try start() == nil)
        #expect(try start("--delay", "90s") == .after(.seconds(90)))
        let time = WallTime(milliseconds: 1_798_135_200_000)
        #expect(try start("--run-at", "2026-12-24T18:00:00Z") == .at(time))
        #expect(try start("--run-at", "2026-12-24T19:00:00.000+01:00") == .at(time))
        let command = try JobDelay.parse(["42", "--delay", "1h", "--output", "json"])
        #expect(try command.argument.id == JobID(42) && command.start.value() == .after(.seconds(3_600)))
        #expect(try JobPromote.parse(["42"]).argument.id == JobID(42))
    }

    @Test(
        "what makes no sense is said before a front is asked",
        arguments: [
            (["submit", "sleep", "--delay", "1h", "--run-at", "2026-12-24T18:00:00Z"], "--delay and --run-at are two times"),
            (["submit", "sleep", "--run-at", "tomorrow"], "\"tomorrow\" is no time: write it as RFC 3339 has it"),
            (["submit", "sleep", "--run-at", "2026-12-24T18:00:00"], "is no time"), (["submit", "sleep", "--delay", "5"], "no unit"),
            (["submit", "sleep", "--delay", "366d"], "365d"), (["submit", "sleep", "--delay", "-5s"], "--delay"),
            (["delay", "42"], "give --delay or --run-at"), (["delay", "--delay", "5s"], "job"), (["promote"], "job"),
        ] as [([String], String)])
    func mistakes(words: [String], text: String) throws {
        let answer = try ProgramRun(["job"] + words)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(text), "\(answer.errors)")
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
