//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// Names of loaders that are mistyped, or of workers that are still to come.
    @Suite("Known loaders", .serialized, .timeLimit(.minutes(10)))
    struct KnownLoaderEndToEndTests {
        /// As a person types it: nothing is added.
        private func submit(_ scenario: Scenario, _ words: String...) async throws -> Answer {
            try await scenario.end(of: scenario.start(program: Scenario.gantry, ["job", "submit"] + words))
        }

        @Test("a mistyped loader is refused with the nearest name, also when its worker has gone and the front was killed")
        func mistyped() async throws {
            let scenario = try Scenario()
            try scenario.write("gantry.yaml", "version: 1\nloaders: { crawl: {} }\n")
            let first = try await scenario.serve("front")
            let early = try await submit(scenario, "sleep", "--argument", "1")
            #expect(early.code == 6 && early.errors.contains("no worker has offered the loader \"sleep\" within 30 days"), "\(early)")
            #expect(early.errors.contains("start a worker that offers it, name it under loaders in gantry.yaml, or add --any-loader"))
            let forced = try await submit(scenario, "sleep", "--argument", "1", "--any-loader")
            #expect(forced.code == 0, "\(forced)")
            // A loader that the configuration names needs no worker yet.
            #expect(try await submit(scenario, "crawl").code == 0)
            let worker = try await scenario.serve("worker")
            #expect(try await scenario.gantry("job", "wait", forced.output).output.contains("succeeded"))
            worker.send(.terminate)
            _ = try await worker.exit()
            first.send(.kill)
            _ = try await first.exit()
            let next = try await scenario.serve("front")
            let wrong = try await submit(scenario, "slep", "--output", "json")
            let failure = try wrong.failure()
            #expect(wrong.code == 6 && failure.code == "unknownLoader" && failure.message.contains("did you mean \"sleep\"?"), "\(wrong)")
            #expect(try await submit(scenario, "sleep", "--argument", "1").code == 0)
            // What was accepted once is repeated though nobody offers it.
            try await scenario.gantry("job", "cancel", "2")
            #expect(try await scenario.gantry("job", "retry", "2").code == 0)
            next.send(.terminate)
            _ = try await next.exit()
        }
    }
}
