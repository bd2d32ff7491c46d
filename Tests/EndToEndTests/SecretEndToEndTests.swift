//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// What a job works on, where only its loader may see it.
    @Suite("Secret arguments", .serialized, .timeLimit(.minutes(5)))
    struct SecretEndToEndTests {
        @Test("no command shows it, its loader gets it, also over a kill of the front, and a retry repeats it")
        func secret() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let argument = #"{"seconds":0.4242}"#
            let job = try await scenario.gantry(
                "job", "submit", "sleep", "--argument", argument, "--secret-argument", "--delay", "1h"
            ).output
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            func looks() async throws {
                for command in [
                    ["job", "show", job], ["job", "explain", job], ["job", "list"], ["status"], ["job", "show", job, "--output", "json"],
                    ["job", "explain", job, "--output", "json"], ["job", "list", "--output", "json"],
                ] {
                    let answer = try await scenario.run(command)
                    #expect(
                        answer.code == 0 && !(answer.output + answer.errors).contains("4242"),
                        "\(command) \(answer.output) \(answer.errors)")
                }
            }
            try await looks()
            #expect(try await scenario.gantry("job", "show", job).output.contains("argument: (secret)"))
            try await scenario.gantry("job", "promote", job)
            try await scenario.gantry("job", "wait", job)
            try await looks()
            // What is wrong with it is said without it.
            let wrong = try await scenario.run(["job", "submit", "sleep", "--argument", "4242 soon", "--secret-argument", "--wait"])
            #expect(wrong.code != 0 && !(wrong.output + wrong.errors).contains("4242"), "\(wrong.output) \(wrong.errors)")
            let failed = try #require(
                try await scenario.gantry("job", "list", "--state", "failed", "--output", "json").items().first?["id"])
            let again = try await scenario.run(["job", "retry", "\(failed)", "--wait"])
            #expect(again.code == wrong.code && !(again.output + again.errors).contains("4242"), "\(again.output) \(again.errors)")
            let cancelled = try await scenario.gantry(
                "job", "submit", "sleep", "--argument", "42", "--secret-argument", "--delay", "1h"
            ).output
            try await scenario.gantry("job", "cancel", cancelled)
            let repeated = try await scenario.gantry("job", "retry", cancelled, "--output", "json").json()
            #expect(repeated["items"] != nil, "\(repeated)")
            #expect(!up.errors.contains("4242"))
        }
    }
}
