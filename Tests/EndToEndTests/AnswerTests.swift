//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// What commands print, for programs and for people who wonder what to do next.
    @Suite("Answers", .serialized, .timeLimit(.minutes(5)))
    struct AnswerTests {
        @Test("jobs that are awaited are one JSON object, as those that are not, also when one of them fails")
        func awaited() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let ended = try await scenario.gantry("job", "submit", "noop", "--count", "3", "--wait", "--output", "json")
            #expect(try ended.items().map { $0["state"] as? String } == ["succeeded", "succeeded", "succeeded"])
            // Whether it is awaited or not, a job is named by its id.
            let unawaited = try await scenario.gantry("job", "submit", "noop", "--output", "json")
            #expect(try (ended.items() + unawaited.items()).map { $0["id"] as? String } == ["1", "2", "3", "4"])
            let failed = try await scenario.gantry(
                "job", "submit", "sleep", "--argument", "soon", "--count", "2", "--wait", "--output", "json", code: 10)
            #expect(try failed.items().map { $0["state"] as? String } == ["failed", "failed"])
            let lines = try await scenario.gantry("job", "submit", "noop", "--count", "3", "--wait", "--output", "jsonl").lines
            #expect(lines.count == 3 && lines.allSatisfy { $0.contains("\"state\":\"succeeded\"") }, "\(lines)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("several jobs that are named are cancelled and awaited, and the code is that of the first that did not succeed")
        func named() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            for _ in 0..<2 { try await scenario.gantry("job", "submit", "sleep", "--argument", "600000") }
            let cancelled = try await scenario.gantry("job", "cancel", "1", "99", "2", code: 6)
            #expect(cancelled.lines.count == 2 && cancelled.lines.allSatisfy { $0.contains(": cancelled") }, "\(cancelled.output)")
            #expect(cancelled.errors.contains("99"), "\(cancelled.errors)")
            try await scenario.gantry("job", "submit", "noop")
            let ended = try await scenario.gantry("job", "wait", "3", "2", "1", "--output", "json", code: 4)
            #expect(try ended.items().map { $0["state"] as? String } == ["succeeded", "cancelled", "cancelled"])
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("to a program that reads JSON nothing but why a command failed comes on standard error", arguments: ["json", "jsonl"])
        func standardError(output: String) async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            for (words, code) in [
                ("feed load items", 0), ("feed refresh items", 0), ("feed items items", 0), ("feed items products", 6),
                ("feed sort items --by title", 0), ("feed load products", 0), ("feed select products 3", 0), ("feed load todos", 0),
                ("feed show todos", 0),
                ("feed list", 0), ("feed load nosuch", 6), ("job submit sleep --argument 10 --count 3 --wait", 0),
                ("job submit sleep --argument soon --wait", 10), ("job list --limit 1", 0), ("job wait 1", 0), ("job cancel 1", 0),
                ("worker list", 0), ("worker show worker-1", 0), ("worker show nobody", 6), ("worker drain nobody", 6),
                ("cache list", 0), ("cache show 0000000000000000000000000000000000000000000000000000000000000000", 6),
                ("feed filter items milk", 0), ("feed filter items --none", 0),
                ("worker drain worker-1", 0), ("status", 0), ("watch jobs --count 1", 0),
                ("watch jobs --until 999999999 --timeout 300ms", 5),
            ] as [(String, Int32)] {
                let answer = try await scenario.run(words.split(separator: " ").map(String.init) + ["--output", output])
                #expect(answer.code == code, "\(words): \(answer.errors)")
                guard code != 0 else {
                    #expect(answer.errors.isEmpty, "\(words): \(answer.errors)")
                    continue
                }
                let object = try? JSONSerialization.jsonObject(with: Data(answer.errors.utf8)) as? [String: [String: Any]]
                #expect(object?["error"]?["code"] is String, "\(words): \(answer.errors)")
            }
            // People see the progress.
            let page = try await scenario.gantry("feed", "items", "items")
            #expect(page.errors == "items?count=100&parameter=sample/shared: items 1 to 20 of 100\n")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("jobs whose ids cannot be printed are named in the error", arguments: ["table", "json", "jsonl"])
        func unprinted(output: String) async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            for (number, words) in ["", "--count 3"].enumerated() {
                let command = "exec gantry job submit sleep --any-loader --argument 10 \(words) --output \(output) > /dev/full"
                let answer = try await scenario.end(of: scenario.start(program: "/bin/sh", ["-c", command]))
                #expect(answer.code == 73 && answer.errors.contains("the output cannot be written"), "\(answer.errors)")
                #expect(answer.errors.contains(number == 0 ? "1 job was accepted: 1" : "3 jobs were accepted: 2 to 4"), "\(answer.errors)")
            }
            // Where it is no room that is lacking, none is to be freed.
            for (target, nextStep) in [("> /dev/full", "free some space there"), (">&-", "give it a standard output")] {
                let command = "exec gantry status \(target)"
                let answer = try await scenario.end(of: scenario.start(program: "/bin/sh", ["-c", command]))
                #expect(answer.code == 73 && answer.errors.contains("next:  \(nextStep)"), "\(answer.errors)")
            }
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("a front that a person starts says when it is ready, and where")
        func ready() async throws {
            let scenario = try Scenario()
            let front = try await scenario.start(program: "/bin/sh", ["-c", "exec gantry front 2>&1"])
            #expect(try await front.line("ready") { $0.hasPrefix("ready: ") } == "ready: data folder \(scenario.data)")
            front.send(.terminate)
            #expect(try await front.exit() == .exited(code: 0))
        }

        @Test("a page of a feed whose load has failed says so, and why")
        func failedLoad() async throws {
            let scenario = try Scenario()
            let port = try await scenario.freePort()
            let source = "{ http: { url: \"http://127.0.0.1:\(port)/x\" } }"
            try scenario.write(
                "gantry.yaml",
                "version: 1\nhttp: { allow: [\"127.0.0.1:*\"] }\nfeeds:\n  f: { source: \(source), item: { id: /id, title: /title } }\n")
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let load = try await scenario.gantry("feed", "load", "f", "--output", "json", code: 3).failure()
            let page = try await scenario.gantry("feed", "items", "f", "--output", "json", code: 6).failure()
            #expect(page.message.hasPrefix("f has no content yet, for its load failed: "), "\(page)")
            #expect(load.message.hasSuffix(page.message.dropFirst("f has no content yet, for its load failed: ".count)), "\(load) \(page)")
            #expect(page.nextStep == load.nextStep && page.nextStep.contains("/gantry.yaml, end `gantry up` and start it again"))
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("a feed without a source and content says how to add an item, and so does its load")
        func manual() async throws {
            let scenario = try Scenario()
            try scenario.write(
                "gantry.yaml", "version: 1\nfeeds:\n  hand: { source: none, editable: true, item: { id: /id, title: /title } }\n")
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let next = "gantry feed create hand --item '{\"title\":\"…\"}'"
            let empty = try await scenario.gantry("feed", "items", "hand", code: 6)
            #expect(empty.errors.contains("hand has no content") && empty.errors.contains("gantry feed load hand"), "\(empty.errors)")
            for verb in ["load", "refresh"] {
                let answer = try await scenario.gantry("feed", verb, "hand")
                #expect(answer.output.hasPrefix("hand has no source; it has 0 items, change "), "\(answer.output)")
                #expect(answer.errors.contains(next), "\(answer.errors)")
            }
            // Once it is live its state says that items are added by hand.
            let loaded = try await scenario.gantry("feed", "items", "hand", code: 6)
            #expect(loaded.errors.contains("\(next)`, or load it with `gantry feed load hand` if it has a source"), "\(loaded.errors)")
            let selected = try await scenario.gantry("feed", "select", "hand", "x", code: 6)
            #expect(selected.errors.contains("feed hand has no content yet: add an item to it first"), "\(selected.errors)")
            try await scenario.gantry("feed", "create", "hand", "--item", "{\"title\":\"one\u{202E}\u{2066}\u{9B}two\"}")
            // Into a pipe each character goes as it is, also one that a terminal would obey.
            let piped = try await scenario.gantry("feed", "items", "hand").output
            #expect(piped.contains("\"one\u{202E}\u{2066}\u{9B}two\""), "\(piped)")
            #expect(try await scenario.gantry("feed", "items", "hand", "--output", "jsonl").output == piped)
            let past = try await scenario.gantry("feed", "items", "hand", "--offset", "100").errors
            #expect(past.contains("hand/shared: offset 100 is past the end, the view has 1 item"), "\(past)")
            #expect(try await scenario.gantry("feed", "load", "hand").output.contains("it has 1 item, change "))
            #expect(try await scenario.gantry("feed", "retry", "hand", code: 6).errors.contains("hand has no failure to retry"))
            #expect(try await scenario.gantry("feed", "cancel", "hand", code: 6).errors.contains("nothing is in progress for hand"))
            let kept = try await scenario.gantry("feed", "reset", "hand", code: 9)
            #expect(kept.errors.contains("feed hand has 1 item that you made or changed"), "\(kept.errors)")
            #expect(kept.errors.contains("gantry feed reset hand --drop-manual"), "\(kept.errors)")
            #expect(try await scenario.gantry("feed", "items", "hand").output.contains("one"))
            let dropped = try await scenario.gantry("feed", "reset", "hand", "--drop-manual")
            #expect(dropped.output.hasPrefix("hand: reset, 1 item made or changed by hand dropped, change "), "\(dropped.output)")
            try await scenario.gantry("feed", "items", "hand", code: 6)
            let newest = try await scenario.gantry("job", "list", "--limit", "1", "--output", "json")
            let id = try #require(try newest.items().first?["id"] as? String)
            let page = try await scenario.gantry("job", "list", "--limit", "1")
            #expect(page.errors.contains("more: gantry job list --limit 1 --before \(id)"), "\(page.errors)")
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
