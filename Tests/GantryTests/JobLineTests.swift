//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import TestSupport
import Testing

@testable import gantry

@Suite("A job a line")
struct JobLineTests {
    private func job(_ line: String, usual: JobOptions = JobOptions()) throws -> JobLine {
        var reader = JobLineReader(usual: usual)
        return try reader.job(Data(line.utf8))
    }

    @Test("a line has the names of the options of the command, and what it leaves out is as the command says")
    func options() throws {
        let job = try job(
            #"{"argument": "250", "priority": 9, "tags": ["a", "b"], "delay": "90s", "limits": ["api", "tenant:3=acme"], "attempts": 2}"#)
        #expect(job.argument == Array("250".utf8) && job.options.priority == 9 && job.options.tags == ["a", "b"])
        #expect(job.options.start == .after(.seconds(90)) && job.options.retry.attempts == 2)
        #expect(job.options.limitKeys == [LimitKey("api"), LimitKey("tenant", value: "acme", weight: 3)])
        let usual = JobOptions(priority: 7, tags: ["import"])
        #expect(try self.job("{}", usual: usual).options == usual)
        #expect(try self.job(#"{"tag": "own"}"#, usual: usual).options == JobOptions(priority: 7, tags: ["own"]))
        #expect(
            try self.job(#"{"unique": "k", "uniqueUntil": "started", "totalTimeout": "1h", "no-jitter": true}"#).options.uniqueKey?.text
                == "k")
        let codes = [CodeRetryRule(.unreachable, attempts: 10), .never(after: .invalidData)]
        for line in [
            #"{"retryCodes": {"unreachable": 10, "invalidData": "never"}}"#, #"{"retry-code": ["unreachable=10", "invalidData=never"]}"#,
        ] {
            #expect(try self.job(line).options.retry == RetryRule(codes: codes))
        }
        // Field by field, code by code.
        let rule = RetryRule(attempts: 4, backOff: BackOff(first: .seconds(2)), codes: [CodeRetryRule(.busy, attempts: 9)])
        #expect(
            try self.job(#"{"jitter": false, "retryCodes": {"busy": 3}}"#, usual: JobOptions(retry: rule)).options.retry
                == RetryRule(
                    attempts: 4, backOff: BackOff(first: .seconds(2), hasJitter: false), codes: [CodeRetryRule(.busy, attempts: 3)]))
        let key = try self.job(#"{"unique": "k", "debounce": "5s", "debounceLongest": "1m"}"#).options.uniqueKey
        #expect(key?.debounce == Debounce(quiet: .seconds(5), longest: .seconds(60)))
    }

    @Test("an argument is a text as it is, and any other value as JSON")
    func arguments() throws {
        func text(_ line: String) throws -> String { String(decoding: try job(line).argument, as: UTF8.self) }
        #expect(try text(#"{"argument": "a\nb"}"#) == "a\nb")
        #expect(try text(#"{"argument": {"b": [1, 2.5, true, null], "a": "x/y"}}"#) == #"{"a":"x/y","b":[1,2.5,true,null]}"#)
        #expect(try text(#"{"argument": 250}"#) == "250" && text("{}") == "")
    }

    @Test("an argument that is no text is given in Base64, and nowhere else: no byte becomes another one")
    func bytes() throws {
        #expect(try job(#"{"argumentBase64": "/w==", "priority": 3}"#).argument == [255])
        var reader = JobLineReader(usual: JobOptions())
        let fault = #expect(throws: JobLineReader.Fault.self) {
            try reader.job(Data(Array(#"{"argument": "caf"#.utf8) + [0xE9] + Array(#""}"#.utf8)))
        }
        #expect(fault?.context == "it is not UTF-8 text: give an argument of other bytes as \"argumentBase64\"")
        let shell = ["sh", "-c", #"exec "$0" job submit sleep --argument "$(printf 'caf\351')" --output json"#, ProgramRun.path]
        let (status, text) = try ChildProgram(shell, takesErrors: true).runToEnd()
        let sentence = #"word 5 of the command line is not UTF-8 text: \"caf\\xe9\""#
        #expect(status == 64 && text.contains(sentence) && text.contains("argumentBase64 in: gantry job submit --help"), "\(text)")
    }

    @Test(
        "what is wrong with a line is named",
        arguments: [
            ("[1]", "no JSON object"), ("{", "no JSON object"),
            (#"{"color": 1}"#, "unknown key \"color\"; keys are argument, argumentBase64, attempt"),
            (#"{"Color": 1}"#, "jitter, limits, longest-back-off, no-jitter, priority, retry-codes, run-at, secret-argument, tags, total"),
            (#"{"argument": "a", "argumentBase64": "YQ=="}"#, "a job has one of them"), (#"{"argumentBase64": "YQ"}"#, "no text in Base64"),
            (#"{"argumentBase64": 7}"#, "no text in Base64"),
            (#"{"priority": 10}"#, "--priority is 0 to 9, not 10"),
            (#"{"priority": "high"}"#, "'high' is invalid for '--priority <priority>': 0 to 9"),
            (#"{"delay": "5"}"#, "no unit"),
            (#"{"tags": {"a": 1}}"#, "not an object"), (#"{"unique-for": "1h"}"#, "belong to --unique"),
            (#"{"unique": "k", "debounceLongest": "1h"}"#, "belongs to --debounce"),
            (#"{"unique": "k", "debounce": "1s", "uniqueUntil": "started"}"#, "leave --unique-until out"),
            (#"{"unique": "k", "debounce": "1s", "delay": "1s"}"#, "leave --delay and --run-at out"),
            (#"{"retryCodes": {"bussy": 3}}"#, "there is no failure code \"bussy\"; did you mean \"busy\"?"),
            (#"{"retryCodes": {"busy": 0}}"#, "after busy: a job has 1 to 1,000 attempts, not 0"),
            (#"{"delay": "1s", "runAt": "2026-12-24T18:00:00Z"}"#, "two times"),
        ])
    func mistakes(line: String, text: String) {
        let fault = #expect(throws: JobLineReader.Fault.self) { try job(line) }
        #expect(fault?.context.contains(text) == true, "\(fault?.context ?? "")")
    }

    @Test("lines are numbered, empty ones are none, and the last needs no end")
    func lines() async throws {
        let folder = try TemporaryFolder()
        func numbers(_ text: String) async throws -> [Int] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/jobs"))
            var file = JobFile(name: folder.path + "/jobs", usual: JobOptions())
            #expect(file.isRepeatable)
            var numbers: [Int] = []
            try await file.read { numbers.append($0.number) }
            return numbers
        }
        #expect(try await numbers("{}\n\n{}\r\n \n{}") == [1, 3, 5])
        #expect(try await numbers("") == [])
        let many = try await numbers(String(repeating: #"{"argument": "0123456789"}"# + "\n", count: 10_000))
        #expect(many == Array(1...10_000))
        let failure = await #expect(throws: CommandFailure.self) { _ = try await numbers("{}\n{}\nnonsense\n") }
        #expect(failure?.status == .invalidData && failure?.message.hasPrefix("line 3 of ") == true, "\(failure?.message ?? "")")
        let missing = await #expect(throws: CommandFailure.self) {
            var file = JobFile(name: folder.path + "/no", usual: JobOptions())
            try await file.read { _ in }
        }
        #expect(missing?.status == .notFound)
    }

    @Test("options are parsed once, however many lines have them and however often the file is read")
    func parsedOnce() async throws {
        let folder = try TemporaryFolder()
        let line = #"{"argument": "1", "tags": ["nightly"]}"# + "\n"
        try Data((line + line + #"{"priority": 9}"#).utf8).write(to: URL(fileURLWithPath: folder.path + "/jobs"))
        var file = JobFile(name: folder.path + "/jobs", usual: JobOptions())
        for _ in 1...2 {
            var tags: [[String]] = []
            try await file.read { tags.append($0.job.options.tags) }
            #expect(tags == [["nightly"], ["nightly"], []] && file.reader.parsedCount == 2)
        }
    }

    @Test("the argument stands in the lines or in the command, not in both")
    func both() throws {
        let answer = try ProgramRun(["job", "submit", "sleep", "--argument", "1", "--arguments-from", "-"])
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains("leave --argument and --count out"), "\(answer.errors)")
    }
}
