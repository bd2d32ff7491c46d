//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    @Suite("How many ended jobs are known, over real processes", .serialized, .timeLimit(.minutes(5)))
    struct RetentionEndToEndTests {
        @Test("as gantry.yaml says the newest of each kind are listed, also after a restart, and the list says so at its end")
        func kept() async throws {
            let scenario = try Scenario()
            try scenario.write(
                "gantry.yaml",
                """
                version: 1
                jobs:
                  keep-ended: { for: 1h, at-most: 2 }
                  keep-cancelled: { for: 2h, at-most: 1 }
                  keep-failed: { for: 30d, at-most: 1 }

                """)
            let up = try await scenario.serve("up", "--without", "sample-origin")
            for _ in 0..<4 { try await scenario.gantry("job", "submit", "noop", "--wait") }
            for job in 5...6 {
                try await scenario.gantry("job", "submit", "noop", "--delay", "1h")
                try await scenario.gantry("job", "cancel", "\(job)")
            }
            let kinds = [
                "jobs that succeeded are known for 1 h (the newest 2)", "cancelled and expired ones for 2 h (the newest 1)",
                "failed and quarantined ones for 30 d (the newest 1)",
            ]
            let end = "end of the list: \(kinds.joined(separator: ", "))"
            func listed() async throws -> [String] {
                let list = try await scenario.gantry("job", "list")
                #expect(list.errors.contains(end), "\(list.errors)")
                return list.lines.dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) }
            }
            try await scenario.settles("the oldest are forgotten") { try await listed() == ["6", "4", "3"] }
            let json = try await scenario.gantry("job", "list", "--output", "json").json()
            let retention = json["retention"] as? [String: [String: Double]]
            let expected: [String: [String: Double]] = [
                "ended": ["seconds": 3_600, "count": 2], "cancelled": ["seconds": 7_200, "count": 1],
                "failed": ["seconds": 2_592_000, "count": 1],
            ]
            #expect(retention == expected, "\(json)")
            // A page that others follow says where they are, and a list of live jobs has no end of that kind.
            #expect(try await !scenario.gantry("job", "list", "--limit", "1").errors.contains("end of the list"))
            #expect(try await !scenario.gantry("job", "list", "--state", "waiting").errors.contains("end of the list"))
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            #expect(try await listed() == ["6", "4", "3"])
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }
    }
}
