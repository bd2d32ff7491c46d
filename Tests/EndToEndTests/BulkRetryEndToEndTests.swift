//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryPlatform
import Testing

@testable import gantry

extension EndToEndCommands {
    /// Many jobs of lines, why they failed, and their repetition over the death of the front.
    @Suite("Many jobs that failed", .serialized, .timeLimit(.minutes(10)))
    struct BulkRetryEndToEndTests {
        /// All failed jobs, page by page.
        private func failed(_ scenario: Scenario) async throws -> [[String: Any]] {
            var (found, before): ([[String: Any]], String?) = ([], nil)
            repeat {
                let words = ["job", "list", "--state", "failed", "--limit", "1000", "--output", "json"]
                let page = try await scenario.run(words + (before.map { ["--before", $0] } ?? [])).json()
                found += page["items"] as? [[String: Any]] ?? []
                before = page["next"] as? String
            } while before != nil
            return found
        }

        private func causes(_ scenario: Scenario) async throws -> [[String: Any]] {
            try await scenario.gantry("job", "dead", "--output", "json").items()
        }

        @Test("thousands are submitted from lines, shown by cause, and repeated once each though the front is killed meanwhile")
        func repeated() async throws {
            let scenario = try Scenario()
            let count = 4_000
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let lines = (1...count).map { #"{"argument": "wrong \#($0)", "tags": ["batch-\#($0 % 3)"]}"# }
            try scenario.write("jobs.jsonl", lines.joined(separator: "\n"))
            let submitted = try await scenario.gantry("job", "submit", "sleep", "--arguments-from", "\(scenario.folder)/jobs.jsonl").output
            let ids = submitted.split(separator: "\n").compactMap { UInt64($0) }
            #expect(ids.count == count && Set(ids).count == count && ids == ids.sorted())
            try await scenario.settles("the end of all") { try await causes(scenario).first?["count"] as? Int == count }
            let cause = try #require(try await causes(scenario).first)
            #expect(cause["code"] as? String == "invalidData" && cause["loader"] as? String == "sleep", "\(cause)")
            #expect((cause["next"] as? String)?.hasPrefix("correct the argument and submit that") == true, "\(cause)")

            let choice = ["job", "retry", "--code", "invalidData", "--loader", "sleep"]
            let dry = try await scenario.run(choice).output
            let command = "gantry job retry --loader sleep --code invalidData --yes"
            #expect(dry == "retry: \(count) jobs would be retried, nothing is done yet; to do it: \(command)")
            let retry = try await scenario.start(
                program: "/bin/sh", ["-c", "exec gantry \((choice + ["--yes"]).joined(separator: " "))"])
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            #expect(try await scenario.end(of: retry).code == 0)
            try await scenario.settles("the end of all that was repeated") {
                try await failed(scenario).count == 2 * count
            }

            let ended = try await failed(scenario)
            let repeated = ended.compactMap { ($0["retryOf"] as? String).flatMap { UInt64($0) } }
            #expect(repeated.sorted() == ids && ended.count == 2 * count)
            let tagged = ended.filter { $0["retryOf"] != nil && ($0["tags"] as? [String])?.first?.hasPrefix("batch-") == true }
            #expect(tagged.count == count)
            // What was repeated is left out from then on: only what repeats it may be repeated, since that has failed, too.
            #expect(try await causes(scenario).first?["count"] as? Int == count)
            let dead = try await scenario.gantry("job", "dead")
            #expect(dead.errors.contains("\(count) jobs that others repeat are left out: gantry job list --state failed"), "\(dead.errors)")
            let status = try await scenario.gantry("status", "--output", "json").json()
            #expect((status["failures"] as? [[String: Any]])?.compactMap { $0["count"] as? Int } == [count], "\(status)")
            #expect(status["repeated"] as? Int == count, "\(status)")
            #expect(try await scenario.run(choice).output.hasPrefix("retry: \(count) jobs would be retried, "))
            let first = ended.first { ($0["id"] as? String).flatMap { UInt64($0) } == ids[0] }
            #expect(first?["repeatedBy"] as? String != nil, "\(first ?? [:])")
            #expect(up.errors.contains("ended by signal 9"))
        }

        @Test("a wrong line is named: of a file nothing is submitted, of standard input the lines before it")
        func wrongLine() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try scenario.write("jobs.jsonl", "{\"argument\": \"1\"}\n{\"argument\": \"2\", \"unique\": \"k\"}\n{\"color\": 1}\n")
            let file = "\(scenario.folder)/jobs.jsonl"
            let refused = try await scenario.gantry("job", "submit", "sleep", "--arguments-from", file, code: 10)
            #expect(refused.errors.contains("line 3 of \(file): unknown key \"color\"") && refused.output.isEmpty)
            let piped = try await scenario.start(
                program: "/bin/sh", ["-c", "exec gantry job submit sleep --arguments-from - < \(file)"])
            let answer = try await scenario.end(of: piped)
            #expect(answer.code == 10 && answer.output.split(separator: "\n").count == 2, "\(answer)")
            #expect(answer.errors.contains("line 3 of standard input"), "\(answer.errors)")
            #expect(answer.errors.contains("2 jobs before it were submitted"), "\(answer.errors)")
            #expect(answer.errors.contains("correct line 3, then submit line 3 and those after it"), "\(answer.errors)")
            #expect(try await scenario.gantry("job", "list", "--output", "json").items().count == 2)
            let empty = try await scenario.gantry("job", "submit", "sleep", "--arguments-from", "/dev/null")
            #expect(empty.output.isEmpty && empty.errors.contains("no jobs in /dev/null"), "\(empty)")
            #expect(!up.errors.contains("ended by"))
        }

        @Test("the example of the command works as it is typed, and waits for all")
        func example() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let help = GantryCommand.helpMessage(for: JobSubmit.self, columns: 1_000)
            let line = try #require(help.split(separator: "\n").first { $0.contains("Example: ") && $0.contains("--arguments-from") })
            let text = try #require(line.split(separator: "Example: ").last)
            try scenario.write("jobs.jsonl", "{\"argument\": \"1\"}\n{\"argument\": {\"seconds\": 0.002}, \"priority\": 9}\n")
            let typed = try await scenario.start(program: "/bin/sh", ["-c", "cd \(scenario.folder) && exec \(text)"])
            let answer = try await scenario.end(of: typed)
            #expect(answer.code == 0 && answer.output.split(separator: "\n").count == 2, "\(answer)")
            #expect(!up.errors.contains("ended by"))
        }
    }
}
