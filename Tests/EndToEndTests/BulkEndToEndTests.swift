//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// Actions with many jobs, over the death of the front.
    @Suite("Actions with many jobs", .serialized, .timeLimit(.minutes(10)))
    struct BulkEndToEndTests {
        @Test("many jobs are counted first, then cancelled, also if the front is killed meanwhile; others stay")
        func cancelled() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            _ = try await scenario.gantry("job", "submit", "noop", "--count", "20000", "--delay", "1h", "--tag", "wrong")
            let other = try await scenario.gantry("job", "submit", "noop", "--delay", "1h").output
            let dry = try await scenario.gantry("job", "cancel", "--tag", "wrong").output
            #expect(dry == "cancel: 20000 jobs would be cancelled, nothing is done yet; to do it: gantry job cancel --tag wrong --yes")
            let cancel = try await scenario.start("job", "cancel", "--tag", "wrong", "--yes")
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            #expect(try await cancel.exit() == .exited(code: 0), "\(cancel.errors)")
            let left = try await scenario.gantry("job", "cancel", "--tag", "wrong", "--output", "json").json()
            #expect(left["jobs"] as? Int == 0 && left["dry"] as? Bool == true)
            #expect(try await scenario.gantry("job", "show", other).output.contains("scheduled"))
            #expect(
                try await scenario.gantry("job", "list", "--state", "cancelled", "--tag", "wrong", "--limit", "1").output.contains(
                    "cancelled"))
            #expect(up.errors.contains("ended by signal 9"))
        }

        @Test("they are moved, get another priority, become due, and are forgiven; failed ones are listed by their code")
        func changed() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            for _ in 0..<3 { _ = try await scenario.gantry("job", "submit", "sleep", "--argument", "1", "--delay", "1h") }
            let high = try await scenario.gantry("job", "reprioritize", "--loader", "sleep", "--priority", "9", "--yes", "--output", "json")
                .json()
            #expect(high["done"] as? Int == 3 && high["passedOver"] as? Int == 0 && high["finished"] as? Bool == true)
            #expect(try await scenario.gantry("job", "delay", "--all", "--delay", "2h", "--yes").output == "delay: 3 jobs delayed")
            let forgiven = try await scenario.gantry("job", "forgive", "--state", "scheduled,waiting", "--yes").output
            #expect(forgiven == "forgive: 0 jobs forgiven")
            #expect(try await scenario.gantry("job", "promote", "--loader", "sleep", "--yes").output == "promote: 3 jobs promoted")
            let failing = try await scenario.gantry(
                "job", "submit", "sleep", "--argument", "60000", "--attempts", "1", "--attempt-timeout", "100ms", "--wait", code: 5)
            #expect(failing.errors.contains("took longer than its time-out"))
            #expect(
                try await scenario.gantry("job", "list", "--state", "failed", "--code", "timedOut", "--output", "json").items().count == 1)
            #expect(
                try await scenario.gantry("job", "list", "--state", "failed", "--code", "unreachable", "--output", "json").items().isEmpty)
            let ended = try await scenario.gantry("job", "list", "--state", "failed,expired", "--state", "cancelled", "--output", "json")
            #expect(try ended.items().count == 1)
            #expect(!up.errors.contains("ended by"))
        }
    }
}
