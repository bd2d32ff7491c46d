//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import FrontCore
import GantryClient
import GantryModel
import GantryPackedColumns
import GantryPlatform
import GantryWire
import Journal
import TestSupport
import Testing

@testable import gantry

@Suite struct ExitTests {
    @Test("the table of exit codes is the documented one")
    func table() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 64, 73, 78, 130])
        let words = GantryCommand.helpMessage().split(whereSeparator: \.isWhitespace)
        for status in ExitStatus.allCases { #expect(words.contains("\(status.rawValue)")) }
    }

    @Test(
        "a failure ends a command and a program of one's own with the same code, but for a job that somebody cancelled",
        arguments: [
            (.unreachable, 3), (.httpStatus, 3), (.invalidData, 10), (.tooLarge, 10), (.timedOut, 5), (.unknownFeed, 6),
            (.unknownField, 10),
            (.unknownItem, 6), (.unknownLoader, 6), (.outcomeUnknown, 3), (.quarantined, 3), (.storageFull, 8), (.storageFailed, 3),
            (.busy, 8), (.rateLimited, 8),
            (.conflict, 9), (.loaderFailed, 3), (.notAuthorized, 7), (.cancelled, 4),
        ] as [(FailureCode, Int32)])
    func failures(word: FailureCode, code: Int32) {
        #expect(ExitStatus(word).rawValue == code)
        #expect(ClientErrorCode(word).exitCode == (word == .cancelled ? 130 : code))
    }

    @Test(
        "mistakes end the program with their code",
        arguments: [
            (["doctor"], 0), (["--help"], 0), (["doctor", "--nonsense"], 64), (["nonsense"], 64),
            (["doctor", "--config", "/nowhere.yaml"], 78), (["doctor", "--data", "/dev/null/data"], 73),
            (["status", "--data", "/nowhere", "--config", "/nowhere.yaml"], 78), (["status", "--connect", "garbage"], 78),
        ] as [([String], Int32)])
    func codes(arguments: [String], code: Int32) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: code), "\(answer.errors)")
        #expect(code == 0 || !answer.errors.isEmpty)
    }

    @Test("a word that is no command is told with the nearest one, or with all there are")
    func unknownCommand() throws {
        let near = try ProgramRun(["fed", "load", "items"])
        #expect(near.exit == .exited(code: 64) && near.errors.contains("gantry has no command \"fed\"; did you mean \"feed\"?"))
        let below = try ProgramRun(["feed", "laod", "items"])
        #expect(below.errors.contains("gantry feed has no command \"laod\"; did you mean \"load\"?"), "\(below.errors)")
        #expect(try ProgramRun(["attach", "items"]).errors.contains("gantry has no command \"attach\"; did you mean \"feed attach\"?"))
        #expect(try ProgramRun(["zzzzzzzz"]).errors.contains("there are up, feed, job"))
        #expect(try ProgramRun(["help", "feed"]).exit == .exited(code: 0))
        let help = try ProgramRun(["help", "job", "lits"])
        #expect(help.exit == .exited(code: 64) && help.errors.contains("gantry job has no command \"lits\"; did you mean \"list\"?"))
    }

    @Test(
        "a wrong option is named, and the next step is the help of its own command",
        arguments: [
            (["feed", "items", "x", "--limit", "5000"], "--limit is 1 to 1,000, not 5000"), (["feed", "sort", "x"], "--by"),
            (["job", "submit", "noop", "--priority", "99"], "--priority is 0 to 9, not 99"),
            (["job", "submit", "noop", "--tag", "a", "--tag", "b,c"], "--tag: a tag has no comma, unlike \"b,c\""),
            // Not the fault of its tags.
            (
                ["job", "submit", "noop", "--tag", "a", "--unique", "k", "--unique-until", "buffer", "--delay", "1s"],
                "error: a job with a key of the mode buffer starts behind the one before it"
            ),
            (["job", "list", "--tag", ""], "--tag: a tag has 1 to 64 bytes, not 0"),
            (["job", "submit", "noop", "--count", "0"], "--count is 1 to 1,000,000, not 0"),
            (["job", "list", "--limit", "0"], "--limit is 1 to 1,000, not 0"),
            (["feed", "sort", "x", "--by", "y", "--view", "N_W"], "\"N_W\" is not a view's name"),
            (["feed", "items", "x", "--view", "NEW"], "\"NEW\" is not a view's name"),
            (
                ["job", "submit", "noop", "--argument", String(repeating: "x", count: 70_000)],
                "--argument is at most 65,536 bytes, not 70000"
            ),
        ])
    func ownHelp(arguments: [String], says: String) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(says), "\(answer.errors)")
        #expect(answer.errors.hasSuffix("next:  gantry \(arguments[0]) \(arguments[1]) --help\n"), "\(answer.errors)")
    }

    @Test(
        "a number out of its range is refused by each process that takes it, with the range",
        arguments: [
            (["worker", "--slots", "65"], "--slots is 1 to 64, not 65"), (["worker", "--slots", "0"], "--slots is 1 to 64, not 0"),
            (["up", "--slots", "65"], "--slots is 1 to 64, not 65"),
            (["sample-origin", "--port", "99999"], "--port is 0 to 65,535, not 99999"),
            (["up", "--sample-origin-port", "99999"], "--sample-origin-port is 0 to 65,535, not 99999"),
            (["worker", "--slots", "-1"], "--slots is 1 to 64, not -1"), (["up", "--workers", "-1"], "--workers is 1 to 256, not -1"),
            (["worker", "--prefetch", "-1"], "--prefetch is 0 to 4,096, not -1"),
            (["sample-origin", "--port", "-1"], "--port is 0 to 65,535, not -1"),
            (["up", "--sample-origin-port", "-1"], "--sample-origin-port is 0 to 65,535, not -1"),
        ])
    func outOfRange(arguments: [String], says: String) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(says), "\(answer.errors)")
    }

    @Test(
        "what an option cannot do is refused, not left out without a word",
        arguments: [
            (["job", "list", "--state", "running", "--state", "runing"], "no such state: runing"),
            (["front", "--ready-fd", "77"], "--ready-fd 77 is not open"),
            (["sample-origin", "--ready-fd", "77"], "--ready-fd 77 is not open"),
        ])
    func refused(arguments: [String], says: String) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(says), "\(answer.errors)")
    }

    @Test(
        "an empty data folder is refused by each that takes one, and nothing is made in the working folder",
        arguments: [
            ["front"], ["up", "--sample-origin-port", "0"], ["worker"], ["doctor"], ["status"], ["feed", "load", "items"], ["watch"],
        ])
    func emptyFolder(arguments: [String]) throws {
        let answer = try ProgramRun(arguments + ["--data", ""])
        #expect(answer.exit == .exited(code: 78), "\(answer.errors)")
        #expect(answer.errors == "error: --data is empty\nnext:  give a folder with --data, or leave it out\n", "\(answer.errors)")
    }

    @Test(
        "an option that a command does not have is named, also where an argument is missing",
        arguments: [
            (["feed", "load", "--nope"], "error: gantry feed load has no option \"--nope\"\n"),
            (["job", "list", "--priority", "5"], "error: gantry job list has no option \"--priority\"\n"),
            (["feed", "create", "x", "--itme", "{}"], "gantry feed create has no option \"--itme\"; did you mean \"--item\"?"),
            (["job", "submit", "noop", "--no-wait"], "gantry job submit has no option \"--no-wait\"; leave out \"--wait\" for that"),
            (["job", "submit", "noop", "--no-wiat"], "gantry job submit has no option \"--no-wiat\"; leave out \"--wait\" for that"),
            (["feed", "load", "items", "--wait"], "gantry feed load has no option \"--wait\"; leave out \"--no-wait\" for that"),
            (
                ["feed", "sort", "items", "--ascendng"],
                "gantry feed sort has no option \"--ascendng\"; leave out \"--descending\" for that"
            ),
            (["job", "submit", "--argument", "--x", "--zzzzzzzzzzzz=1"], "gantry job submit has no option \"--zzzzzzzzzzzz\"\n"),
        ])
    func unknownOption(arguments: [String], says: String) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(says), "\(answer.errors)")
        #expect(answer.errors.hasSuffix("next:  gantry \(arguments[0]) \(arguments[1]) --help\n"), "\(answer.errors)")
        #expect(try ProgramRun(["feed", "load", "--timeout", "5s"]).errors.contains("error: missing expected argument '<name>'"))
    }

    @Test(
        "a wrong option prints the usage of its own command, never that of the whole program",
        arguments: [
            ["feed", "load", "--nope"], ["job", "list", "--nope"], ["feed", "items", "x", "--limit", "many"],
            ["cache", "show", "--nope"], ["worker", "run", "--slots", "x"], ["worker", "run", "--nope"],
        ])
    func ownUsage(arguments: [String]) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64), "\(answer.errors)")
        #expect(answer.errors.contains("\nusage: gantry \(arguments[0]) \(arguments[1]) "), "\(answer.errors)")
        #expect(!answer.errors.lowercased().contains("usage: gantry <subcommand>"), "\(answer.errors)")
    }

    @Test(
        "a sentence of the parser is like those of the program: small letters, and the choice behind it",
        arguments: [
            ("Missing expected argument '<name>'", "missing expected argument '<name>'"),
            (
                "The value 'z' is invalid for '--output <output>'. Please provide one of 'table', 'json' or 'jsonl'.",
                "the value 'z' is invalid for '--output <output>'; give one of 'table', 'json' or 'jsonl'"
            ),
            ("Unknown option '--a'. Did you mean '--b'?", "unknown option '--a'; did you mean '--b'?"),
            ("2 unexpected arguments: 'a', 'b'", "2 unexpected arguments: 'a', 'b'"),
        ])
    func parserSentence(parser: String, own: String) {
        #expect(ParserSentence.plain(parser) == own)
    }

    @Test("the help begins as the README does")
    func firstSentence() throws {
        let page = #filePath.replacing("Tests/GantryTests/ExitTests.swift", with: "README.md")
        let readme = try String(contentsOfFile: page, encoding: .utf8)
        let words = readme.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let abstract = GantryCommand.configuration.abstract
        #expect(words.hasPrefix("# Gantry \(abstract)"), "\(abstract)")
    }

    @Test("the help of what looks at ended jobs says how long they are known, as the bounds of a front are")
    func retainedJobs() {
        #expect(Bounds().retention == JobRetention())
        for command in [JobList.self, JobShow.self] as [any ParsableCommand.Type] {
            let words = GantryCommand.helpMessage(for: command, columns: 1_000)
            let ages = "succeeded are known for 1 d, cancelled and expired ones for 1 d, failed and quarantined ones for 7 d"
            #expect(words.contains("Unless gantry.yaml says otherwise, jobs that \(ages), of each the newest 100,000."), "\(words)")
        }
    }

    @Test(
        "a negative value is refused as the value of its option",
        arguments: [
            (["feed", "items", "x", "--offset", "-1"], "'-1' is invalid for '--offset"),
            (["feed", "load", "x", "--timeout", "-5s"], "'-5s' is invalid for '--timeout <timeout>': it is not a whole number and a unit"),
        ])
    func negative(arguments: [String], says: String) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(says), "\(answer.errors)")
    }

    @Test("a failure is JSON when the output is")
    func json() throws {
        let answer = try ProgramRun(["doctor", "--config", "/nowhere.yaml", "--output", "json"])
        let object = try JSONSerialization.jsonObject(with: Data(answer.errors.utf8)) as? [String: [String: Any]]
        #expect(object?["error"]?["code"] as? String == "configuration")
        #expect((object?["error"]?["nextStep"] as? String)?.isEmpty == false)
        #expect(try SchemaFolder().faults(of: answer.errors, by: "error") == [])
    }

    @Test("a failure fits its schema, with all that it may say and with nothing")
    func schema() throws {
        let bare = CommandFailure(.internalError, code: .internal, message: "it")
        let full = CommandFailure(.busy, message: "it", nextStep: "wait", isRetryable: true, context: ["job": "6", "feed": "a\"b"])
        for failure in [bare, full] {
            #expect(try SchemaFolder().faults(of: ErrorReport.json(failure), by: "error") == [])
        }
    }

    @Test(
        "a command line that is refused is told as JSON when it asks for it",
        arguments: [
            (["job", "list", "--limit", "abc", "--output", "json"], "abc", "gantry job list --help"),
            (["feed", "load", "x", "--timeout", "5", "--output", "jsonl"], "5", "gantry feed load --help"),
            (["job", "list", "--output=json", "--limit", "0"], "--limit is 1 to 1,000, not 0", "gantry job list --help"),
            (["nosuch", "--output", "json"], "gantry has no command \"nosuch\"", "gantry --help"),
        ])
    func refusedAsJSON(arguments: [String], says: String, nextStep: String) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64) && answer.output.isEmpty)
        let object = try JSONSerialization.jsonObject(with: Data(answer.errors.utf8)) as? [String: [String: Any]]
        #expect(object?["error"]?["code"] as? String == "usage" && object?["error"]?["nextStep"] as? String == nextStep, "\(answer.errors)")
        #expect((object?["error"]?["message"] as? String)?.contains(says) == true, "\(answer.errors)")
    }

    @Test("doctor refuses a data folder that is a link to nowhere, as the front does")
    func link() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/data", withDestinationPath: folder.path + "/nowhere")
        let answer = try ProgramRun(["doctor", "--data", folder.path + "/data"])
        #expect(answer.exit == .exited(code: 73) && answer.output.contains("data cannot be written"), "\(answer.output)")
    }

    @Test(
        "a part whose objects are away for a moment ends with a code after which up starts it again; one whose objects are no folder does not",
        arguments: ["front", "worker"])
    func objectsAway(part: String) throws {
        let folder = try TemporaryFolder()
        let objects = folder.path + "/objects"
        try FileManager.default.createSymbolicLink(atPath: objects, withDestinationPath: folder.path + "/nowhere")
        let away = try ProgramRun([part, "--data", folder.path])
        #expect(away.exit == .exited(code: 3) && away.errors.contains(objects), "\(away.errors)")
        try FileManager.default.removeItem(atPath: objects)
        try Data().write(to: URL(fileURLWithPath: objects))
        let wrong = try ProgramRun([part, "--data", folder.path])
        #expect(wrong.exit == .exited(code: 73) && wrong.errors.contains(objects), "\(wrong.errors)")
    }

    @Test("a token file that holds no token ends a front and a worker on TCP, for good, with what to do", arguments: ["front", "worker"])
    func emptyToken(part: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/run", withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/run/token"))
        let run = try ProgramRun([part, "--tcp", "--data", folder.path])
        #expect(run.exit == .exited(code: 73), "\(run.errors)")
        #expect(run.errors.contains("\(folder.path)/run/token is no token") && run.errors.contains("remove that file"), "\(run.errors)")
    }

    @Test(
        "a front and doctor say of a row that cannot be true which one it is and what to do, with the code of a damaged journal",
        arguments: ["front", "doctor"], [UInt64.max, 1 << 40])
    func untrueRow(command: String, nextJob: UInt64) throws {
        let folder = try TemporaryFolder()
        let journal = try SQLiteJournal.open(
            folder: folder.path + "/journal", wallSeconds: 1, newFrontID: FrontID(1), ballastByteCount: 1 << 16)
        try journal.start {}
        let job = JournalEntry.AcceptedJobs(
            first: JobID(1), acceptedAt: WallTime(milliseconds: 1), rankTime: 1, submitter: .front, loader: "noop", arguments: [[1]])
        let reserved = JournalEntry.idsReserved(JournalEntry.IDsReserved(jobs: JobID(nextJob), leases: LeaseID(1)))
        journal.append(JournalRow(turn: TurnNumber(7), entries: WireCodec().encode([.jobsAccepted(job), reserved])))
        try journal.close()
        let run = try ProgramRun([command, "--data", folder.path])
        let answered = run.output + run.errors
        #expect(run.exit == .exited(code: 73), "\(answered)")
        #expect(
            answered.contains("\(folder.path)/journal/journal.sqlite: damaged (turn 7: ") && answered.contains("\(nextJob)"),
            "\(answered)")
        #expect(answered.contains("Copy the folder first"), "\(answered)")
    }

    @Test("doctor reads what a row of the journal says as a front would, not only that it is whole")
    func unreadableEntries() throws {
        let folder = try TemporaryFolder()
        let journal = try SQLiteJournal.open(
            folder: folder.path + "/journal", wallSeconds: 1, newFrontID: FrontID(1), ballastByteCount: 1 << 16)
        try journal.start {}
        journal.append(JournalRow(turn: TurnNumber(7), entries: [1, 2, 3]))
        try journal.close()
        let run = try ProgramRun(["doctor", "--data", folder.path])
        #expect(run.exit == .exited(code: 73) && run.output.contains("bad   journal: ") && run.output.contains("turn 7: "), "\(run.output)")
    }

    @Test("doctor names each address of a feed that workers would refuse, that of a detail too")
    func refusedAddresses() throws {
        let folder = try TemporaryFolder()
        let text = """
            version: 1
            feeds:
              a:
                source: { http: { url: "http://127.0.0.1:9001/x", items: /i } }
                item: { id: /id, title: /t }
                detail: "http://127.0.0.1:9002/x/{id}"
            """
        try text.write(toFile: folder.path + "/gantry.yaml", atomically: true, encoding: .utf8)
        let answer = try ProgramRun(["doctor", "--config", folder.path + "/gantry.yaml"])
        #expect(answer.output.contains("127.0.0.1:9001 is not in http.allow, so every load fails"), "\(answer.output)")
        #expect(answer.output.contains("127.0.0.1:9002 is not in http.allow, so every detail fails"), "\(answer.output)")
    }

    @Test("doctor names a parameter no address uses, a time to connect that is never used up, and a file without feeds")
    func uselessSettings() throws {
        let folder = try TemporaryFolder()
        let text = """
            version: 1
            http: { timeout: { connect: 9s, total: 8s } }
            feeds:
              a:
                source: { http: { url: "http://example.com/x?q={used}", items: /i } }
                parameters: { used: {}, unused: {} }
                item: { id: /id, title: /t }
            """
        let path = folder.path + "/gantry.yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let answer = try ProgramRun(["doctor", "--config", path])
        let warning = "warn  feed a: its address does not use the parameter unused; write {unused} where"
        #expect(answer.output.contains(warning), "\(answer.output)")
        #expect(!answer.output.contains("the parameter used"))
        #expect(answer.output.contains("warn  http limits: the time to connect is never used up"), "\(answer.output)")
        try "version: 1\n".write(toFile: path, atomically: true, encoding: .utf8)
        let empty = try ProgramRun(["doctor", "--config", path])
        #expect(empty.output.contains("ok    feeds: none is configured") && !empty.output.contains("http limits: the"), "\(empty.output)")
    }

    @Test(
        "an item that cannot be read is refused before any front is asked",
        arguments: [("[1]", "is not a JSON object"), ("{", "is no JSON"), (#"{"title":"x","n":1e400}"#, "a number that is out of range")])
    func items(item: String, says: String) throws {
        let answer = try ProgramRun(["feed", "create", "todos", "--item", item])
        #expect(answer.exit == .exited(code: 10) && answer.errors.contains(says), "\(answer.errors)")
    }

    @Test("what doctor advises for an origin on IPv6 can be pasted")
    func addressOfSixteenBytes() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/gantry.yaml"
        let feed = "version: 1\nfeeds:\n  a: { source: { http: { url: \"http://[::1]:9000/a\" } }, item: { id: /id, title: /title } }\n"
        try feed.write(toFile: path, atomically: true, encoding: .utf8)
        let advice = "http: { allow: [\"[::1]:9000\"] }"
        let warned = try ProgramRun(["doctor", "--config", path])
        #expect(warned.output.contains("add it: \(advice)"), "\(warned.output) \(warned.errors)")
        try (feed + advice + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let pasted = try ProgramRun(["doctor", "--config", path])
        #expect(pasted.exit == .exited(code: 0) && !pasted.output.contains("is not in http.allow"), "\(pasted.output) \(pasted.errors)")
    }

    @Test("doctor prints the sample's feeds and where things are")
    func doctor() throws {
        let answer = try ProgramRun(["doctor", "--output", "json"])
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
        #expect(object?["configuration"] as? String == "built-in sample")
        let feeds = (object?["feeds"] as? [String: Any])?["items"] as? [[String: Any]]
        #expect(feeds?.compactMap { $0["name"] as? String } == ["items", "products", "todos"])
        let text = try ProgramRun(["doctor"]).output
        #expect(text.contains("/.local/state/gantry (default)") && !text.contains("\u{1B}"))
    }
}
