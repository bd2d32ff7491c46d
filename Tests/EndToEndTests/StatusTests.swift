//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    @Suite("Status", .serialized, .timeLimit(.minutes(10)))
    struct StatusTests {
        @Test("advises to resume what keeps a job waiting and nothing else, then on what has failed and none repeats")
        func advice() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            func steps() async throws -> [String] {
                try await scenario.gantry("status", "--output", "json").json()["nextSteps"] as? [String] ?? []
            }
            try await scenario.gantry("loader", "pause", "list")
            try await scenario.gantry("worker", "pause", "worker-1")
            #expect(try await steps() == ["gantry watch"])
            let failed = try await scenario.gantry("job", "submit", "sleep", "--argument", "soon", "--wait", code: 10)
            // Why it failed is said once.
            #expect(failed.output.hasPrefix("1: sleep failed; ended ") && failed.errors.contains("sleep takes milliseconds"), "\(failed)")
            #expect(up.errors.contains("; next, in another terminal: gantry status"), "\(up.errors)")
            #expect(try await steps() == ["gantry job dead"])
            try await scenario.gantry("loader", "pause", "noop")
            let job = try await scenario.gantry("job", "submit", "noop").output
            #expect(try await steps() == ["gantry loader resume noop", "gantry job dead"])
            let listed = try await scenario.gantry("worker", "list", "--output", "json").items()
            let paused = listed.filter { $0["pause"] != nil }.compactMap { $0["name"] as? String }
            #expect(paused == ["worker-1"])
            try await scenario.gantry("loader", "resume", "noop")
            try await scenario.gantry("job", "wait", job)
            // What repeats it fails too, and alone counts from then on.
            try await scenario.gantry("job", "retry", "1", "--wait", code: 10)
            let status = try await scenario.gantry("status").output
            let failures = "\nfailures  invalidData 1 (1 more has been retried)\nnext      gantry job dead"
            #expect(status.contains(failures), "\(status)")
            up.send(.kill)
            _ = try await up.exit()
        }

        @Test("tells one failure behind more newer jobs than a look at the queue would pass, and where to see it")
        func failureBehindMany() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try await scenario.gantry("job", "submit", "sleep", "--argument", "soon", "--wait", code: 10)
            #expect(try await scenario.gantry("job", "submit", "nobody-offers-this", "--count", "300000").lines.count == 300_000)
            let status = try await scenario.gantry("status", "--output", "json").json()
            let failures = try #require(status["failures"] as? [[String: Any]])
            #expect(failures.count == 1 && failures.first?["code"] as? String == "invalidData" && failures.first?["count"] as? Int == 1)
            #expect(try await scenario.gantry("status").output.contains("\nfailures  invalidData 1\n"))
            let list = try await scenario.gantry("job", "list", "--state", "failed", "--output", "json").items()
            #expect(list.compactMap { $0["id"] as? String } == ["1"])
            up.send(.kill)
            _ = try await up.exit()
        }
    }
}
