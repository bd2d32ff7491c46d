//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    @Suite("Loads of feeds that wait, follow each other, and are refused", .serialized, .timeLimit(.minutes(10)))
    struct FeedLoadsEndToEndTests {
        /// A feed of the sample origin, with that in its configuration.
        private func feed(_ name: String, _ origin: SampleOrigin, _ more: String) -> String {
            """
              \(name):
                source: { http: { url: "http://127.0.0.1:\(origin.port)/items?count=3" } }
                item: { id: /id, title: /title }
                \(more)

            """
        }

        @Test("gantry.yaml lets loads wait until nobody asks, lets one follow a running one, and refuses what a rate has no token for")
        func rules() async throws {
            let scenario = try Scenario()
            let origin = try await scenario.origin()
            let feeds =
                feed("calm", origin, "loads: { debounce: 3s, longest: 20s }") + feed("fresh", origin, "loads: { while-running: again }")
                + feed("rare", origin, "group: rare")
            try scenario.write(
                "gantry.yaml",
                """
                version: 1
                http: { allow: ["127.0.0.1:*"] }
                limits:
                  rare: { rate: 1/h, beyond: refuse, groups: [rare] }
                feeds:

                """ + feeds)
            let checked = try await scenario.run(["doctor"]).output
            #expect(checked.contains("loads once nobody has asked for 3 s, after 20 s at most"), "\(checked)")
            let up = try await scenario.serve("up", "--without", "sample-origin")
            func load(_ feed: String) async throws -> String { try await scenario.gantry("feed", "load", feed, "--no-wait").output }

            // All who ask before it starts have one load.
            let calm = try await load("calm")
            #expect(try await scenario.gantry("job", "explain", calm).output.contains("its time comes at 2"))
            for _ in 0..<2 { #expect(try await load("calm") == calm) }
            try await scenario.gantry("job", "wait", calm, "--timeout", "60s")
            #expect(try await origin.wait("/items", "inFlight=0") == 1)

            try await origin.fault(#"{"path":"/items","holdAfterBytes":10}"#)
            let running = try await load("fresh")
            try await origin.wait("/items", "inFlight=1")
            let next = try await load("fresh")
            #expect(next != running)
            #expect(try await load("fresh") == next)
            try await origin.heal()
            try await scenario.gantry("job", "wait", next, "--timeout", "60s")
            #expect(try await scenario.gantry("job", "show", running, "--output", "json").json()["state"] as? String == "succeeded")
            #expect(try await origin.wait("/items", "inFlight=0") == 3)

            try await scenario.gantry("feed", "load", "rare")
            let refused = try await scenario.gantry("feed", "refresh", "rare", code: 8).errors
            let reason = "no token of the limit rare (1/h) is left for one more job, and jobs without one are refused: load again in"
            #expect(refused.contains(reason), "\(refused)")
            #expect(try await origin.wait("/items", "inFlight=0") == 4)
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }
    }
}
