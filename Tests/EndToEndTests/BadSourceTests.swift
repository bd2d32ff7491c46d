//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// What comes from outside is wrong.
    @Suite("Bad input: sources, names, bounds", .serialized, .timeLimit(.minutes(10)))
    struct BadSourceTests {
        /// A feed for each mistake, all of one origin; a body is at most 1 MiB.
        private func configuration(_ origin: SampleOrigin, closedPort: Int) -> String {
            func feed(_ name: String, _ address: String, id: String = "/id", items: String = "") -> String {
                """
                  \(name):
                    source: { http: { url: "http://127.0.0.1:\(address)", items: "\(items)" } }
                    item: { id: \(id), title: /title }

                """
            }
            let port = origin.port
            return "version: 1\nhttp: { allow: [\"127.0.0.1:*\"], max-body: 1MiB }\nfeeds:\n"
                + feed("good", "\(port)/items?count=10") + feed("closed", "\(closedPort)/items") + feed("missing", "\(port)/nowhere")
                + feed("broken", "\(port)/products") + feed("fieldless", "\(port)/todos", id: "/number", items: "/todos")
                + feed("listless", "\(port)/todos", items: "/tasks") + feed("endless", "\(port)/items?count=11")
        }

        @Test("each has its failure code, its exit code and a message that says what to do; everybody sees it, nothing else breaks")
        func sources() async throws {
            let scenario = try Scenario()
            let origin = try await scenario.origin()
            try scenario.write("gantry.yaml", configuration(origin, closedPort: try await scenario.freePort()))
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try await scenario.gantry("feed", "load", "good")
            try await origin.fault(#"{"path":"/products","body":"invalidJSON"}"#)
            for (feed, code, exit) in [
                ("closed", "unreachable", 3), ("missing", "httpStatus", 3), ("broken", "invalidData", 10), ("fieldless", "invalidData", 10),
                ("listless", "invalidData", 10), ("endless", "tooLarge", 10),
            ] as [(String, String, Int32)] {
                if feed == "endless" { try await origin.fault(#"{"path":"/items","body":"endless"}"#) }
                let failure = try await scenario.gantry("feed", "load", feed, "--output", "json", code: exit).failure()
                #expect(failure.code == code, "\(feed): \(failure)")
                #expect(failure.message.contains(": ") && failure.nextStep.hasSuffix("gantry feed refresh \(feed)"), "\(feed): \(failure)")
                let shown = try await scenario.gantry("feed", "show", feed, "--output", "json").json()
                #expect((shown["failure"] as? [String: Any])?["code"] as? String == code)
            }
            try await origin.wait("/items", "closedByClient=1")
            // What had content keeps it while a refresh fails.
            try await origin.fault(#"{"path":"/items","status":500}"#)
            try await scenario.gantry("feed", "refresh", "good", code: 3)
            let good = try await scenario.gantry("feed", "show", "good", "--output", "json").json()
            #expect((good["content"] as? [String: Any])?["itemCount"] as? Int == 10)
            #expect((good["failure"] as? [String: Any])?["code"] as? String == "httpStatus")
            try await origin.heal()
            try await scenario.gantry("feed", "retry", "good")
            try await names(scenario)
            up.send(.interrupt)
            _ = try await up.exit()
        }

        /// Names that mean nothing are answered with those that do.
        private func names(_ scenario: Scenario) async throws {
            for (arguments, code, exit, hint) in [
                (["feed", "load", "nothing"], "unknownFeed", 6, "good"),
                (["feed", "load", "nothing"], "unknownFeed", 6, "start it again, then gantry feed load nothing --output json"),
                (["feed", "create", "good", "--item", #"{"title":"a"}"#], "invalidData", 10, "again, then gantry feed create good"),
                (["feed", "sort", "good", "--by", "weight"], "unknownField", 10, "title"),
                (["feed", "select", "good", "no-such-item"], "unknownItem", 6, "refresh"),
                (["feed", "load", "good", "--param", "a=1"], "invalidData", 10, "has no parameter"),
                (["feed", "load", "good", "--param", "a=1"], "invalidData", 10, "leave --param a out"),
                (["feed", "create", "good", "--item", "{}"], "invalidData", 10, "editable"),
                (["feed", "create", "good", "--item", "nonsense"], "invalidData", 10, "is no JSON"),
                (["job", "show", "99999"], "notFound", 6, "job"),
                (["job", "submit", "sleep", "--argument", "soon", "--wait"], "invalidData", 10, "250"),
            ] as [([String], String, Int32, String)] {
                let answer = try await scenario.run(arguments + ["--output", "json"])
                #expect(answer.code == exit, "\(arguments): \(answer.errors)")
                let failure = try answer.failure()
                #expect(failure.code == code && (failure.message + failure.nextStep).contains(hint), "\(arguments): \(failure)")
            }
            try await scenario.gantry("feed", "items", "good")
            // Jobs of which nothing was told yet are named before a command ends otherwise.
            let waiting = ["job", "submit", "sleep", "--argument", "1500", "--count", "3", "--wait", "--timeout", "300ms"]
            let answer = try await scenario.run(waiting)
            #expect(answer.code == 5 && Set(answer.lines.compactMap { UInt64($0) }).count == 3, "\(answer.output) \(answer.errors)")
        }
    }
}
