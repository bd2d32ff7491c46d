//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// Loaders that are paused, over the death of the front.
    @Suite("Paused loaders", .serialized, .timeLimit(.minutes(10)))
    struct PauseEndToEndTests {
        @Test("jobs of a paused loader wait, also if the front is killed meanwhile, say by whom and why, and run once it is resumed")
        func paused() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let pause = try await scenario.gantry("loader", "pause", "noop", "--reason", "the API is down", "--output", "json").json()
            #expect(pause["loader"] as? String == "noop" && pause["reason"] as? String == "the API is down" && pause["until"] == nil)
            let job = try await scenario.gantry("job", "submit", "noop").output
            #expect(try await scenario.gantry("job", "submit", "sleep", "--argument", "1", "--wait").output.contains("succeeded"))
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            #expect(try await scenario.gantry("job", "submit", "sleep", "--argument", "1", "--wait").output.contains("succeeded"))
            let reason = try await scenario.gantry("job", "show", job, "--output", "json").json()["waitReason"] as? [String: Any]
            #expect(
                reason?["reason"] as? String == "paused" && (reason?["pause"] as? [String: Any])?["reason"] as? String == "the API is down")
            let status = try await scenario.gantry("status").output
            #expect(status.contains("paused    the loader noop is paused by loader pause"), "\(status)")
            #expect(status.contains("next      gantry loader resume noop"), "\(status)")
            #expect(try await scenario.gantry("loader", "show", "noop").output.contains("the API is down"))
            #expect(try await scenario.gantry("loader", "resume", "noop").output == "noop: resumed")
            #expect(try await scenario.gantry("job", "wait", job).output.contains("succeeded"))
            let again = try await scenario.gantry("loader", "resume", "noop", code: 6)
            #expect(again.errors.contains("the loader noop is not paused"), "\(again.errors)")
            #expect(up.errors.contains("ended by signal 9"))
        }

        @Test("a pause of all loaders with a length ends by itself, and what is misspelt, missing or cannot be is told")
        func all() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            #expect(try await scenario.gantry("loader", "pause", "--all", "--for", "2s").output.hasPrefix("all loaders are paused by"))
            #expect(try await scenario.gantry("job", "submit", "noop", "--wait").output.contains("succeeded"))
            #expect(try await scenario.gantry("loader", "list", "--output", "json").output.contains("\"state\":\"offered\""))
            let misspelt = try await scenario.gantry("loader", "pause", "slep")
            #expect(misspelt.errors.contains("no worker offers the loader slep now; did you mean sleep?"), "\(misspelt.errors)")
            for wrong in [
                [], ["sleep", "--all"], ["No-Name"], ["sleep", "--for", "400d"], ["sleep", "--for", "0s"], ["sleep", "--reason", "a\tb"],
            ] {
                #expect(try await scenario.run(["loader", "pause"] + wrong).code == 64, "\(wrong)")
            }
            _ = try await scenario.gantry("loader", "show", "nobody", code: 6)
            #expect(!up.errors.contains("ended by"))
        }
    }
}
