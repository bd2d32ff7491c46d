//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Testing

extension EndToEnd {
    @Suite("What the front decides before a job runs, over real processes", .serialized, .timeLimit(.minutes(10)))
    struct FrontDecisionEndToEndTests {
        @Test("a debounced job runs once, with what the last submit says, also over a kill of the front, and its key is free then")
        func debounce() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            let key = ["--unique", "typed", "--debounce", "6s", "--debounce-longest", "1m"]
            func submit(_ argument: String, _ rest: String...) async throws -> Answer {
                let answer = try await scenario.run(["job", "submit", "sleep", "--argument", argument] + key + rest)
                #expect(answer.code == 0, "\(answer.output) \(answer.errors)")
                return answer
            }
            let job = try await submit("60000").output
            let replaced = try await submit("30000")
            #expect(replaced.output == job && replaced.errors.contains("job \(job) had not started"), "\(replaced.errors)")
            let explained = try await scenario.gantry("job", "explain", job).output
            #expect(explained.contains("unique key \"typed\" until it has started, debounced"), "\(explained)")
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let item = try #require(try await submit("7", "--wait", "--output", "json").items().first)
            #expect(item["id"] as? String == job && item["state"] as? String == "succeeded", "\(item)")
            let shown = try await scenario.gantry("job", "show", job, "--output", "json").json()
            #expect(shown["argument"] as? String == "7" && shown["attempts"] as? Int == 1, "\(shown)")
            let unique = shown["unique"] as? [String: Any]
            #expect(unique?["mode"] as? String == "debounce" && unique?["quietSeconds"] as? Int == 6, "\(shown)")
            #expect(try await submit("8").output != job)
            for (words, text) in [
                (key + ["--delay", "1s"], "leave --delay and --run-at out"), (key + ["--unique-for", "1s"], "does not stay"),
                (["--debounce", "1s"], "belong to --unique KEY"), (["--unique", "k", "--debounce", "31d"], "1 ms to 30 days"),
            ] {
                let wrong = try await scenario.run(["job", "submit", "sleep"] + words)
                #expect(wrong.code == 64 && wrong.errors.contains(text), "\(words): \(wrong.errors)")
            }
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("behind the job that runs one more waits with what the last submit says, also over a kill of the front, and runs after it")
        func buffer() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            func submit(_ argument: String, _ rest: String...) async throws -> Answer {
                let key = ["--unique", "report", "--unique-until", "buffer"]
                let answer = try await scenario.run(["job", "submit", "sleep", "--argument", argument] + key + rest)
                #expect(answer.code == 0, "\(answer.output) \(answer.errors)")
                return answer
            }
            let running = try await submit("600000").output
            try await scenario.waitUntilRunning(running)
            let behind = try await submit("30000").output
            #expect(behind != running)
            #expect(try await submit("20000").output == behind, "the last submit wins")
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let explained = try await scenario.gantry("job", "explain", behind).output
            #expect(explained.contains("job \(running) of the same key has not ended"), "\(explained)")
            // What the worker still runs is cancelled, and only then the other one starts, with what is said meanwhile.
            let awaited = Task { try await submit("8", "--wait", "--output", "json") }
            let stopped = try await scenario.gantry("job", "cancel", running)
            #expect(stopped.code == 0, "\(stopped.errors)")
            let item = try #require(try await awaited.value.items().first)
            #expect(item["state"] as? String == "succeeded", "\(item)")
            for words in [["--delay", "1s"], ["--unique-for", "1s"]] {
                let wrong = try await scenario.run(["job", "submit", "sleep", "--unique", "k", "--unique-until", "buffer"] + words)
                #expect(wrong.code == 64, "\(words): \(wrong.errors)")
            }
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
