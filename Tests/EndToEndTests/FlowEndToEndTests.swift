//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Limits of gantry.yaml, weights and shares of clients over real processes", .serialized, .timeLimit(.minutes(10)))
    struct FlowEndToEndTests {
        @Test("jobs of a loader count in the limits that gantry.yaml gives it; a command changes one until it is deleted")
        func configured() async throws {
            let scenario = try Scenario()
            try scenario.write(
                "gantry.yaml",
                """
                version: 1
                limits:
                  nap: { capacity: 1, loaders: [sleep] }
                feeds: { notes: { source: none, editable: true, item: { id: /id, title: /title } } }
                """)
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let jobs = try await scenario.gantry("job", "submit", "sleep", "--argument", "60000", "--count", "3").lines
            func explained(_ job: String) async throws -> String { try await scenario.gantry("job", "explain", job).output }
            try await scenario.settles("a full limit") {
                try await explained(jobs[1]).contains("the limit nap has no room: 1 of 1 are taken")
            }
            #expect(try await scenario.gantry("limit", "show", "nap").output == "nap: 1 of 1 in use, 2 jobs wait, from gantry.yaml")
            let kept = try await scenario.gantry("limit", "delete", "nap", code: 9)
            #expect(kept.errors.contains("the configuration names the limit nap: take it out of gantry.yaml"), "\(kept.errors)")
            try await scenario.gantry("limit", "set", "nap", "2")
            let set = try await scenario.gantry("limit", "show", "nap", "--output", "json").json()
            #expect(set["origin"] as? String == "command" && (set["configured"] as? [String: Any])?["capacity"] as? Int == 1, "\(set)")
            try await scenario.settles("another run") {
                try await scenario.gantry("limit", "show", "nap", "--output", "json").json()["inUse"] as? Int == 2
            }
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let after = try await scenario.gantry("limit", "show", "nap").output
            #expect(after.hasPrefix("nap: 2 of 2 in use") && after.hasSuffix("set by command, gantry.yaml says 1 at once"), "\(after)")
            let deleted = try await scenario.gantry("limit", "delete", "nap").output
            #expect(deleted == "limit nap: 1 at once again, as gantry.yaml says")
            #expect(try await scenario.gantry("limit", "show", "nap").output.hasPrefix("nap: 2 of 1 in use, 1 job waits, from gantry.yaml"))
            for job in jobs { try await scenario.gantry("job", "cancel", job) }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
            try scenario.write("gantry.yaml", "version: 1\nlimits:\n  nap: { capacity: 0, loaders: [sleep] }\n")
            let wrong = try await scenario.gantry("front", code: 78)
            #expect(wrong.errors.contains("gantry.yaml:3: the capacity of limit nap is \"0\": write a number from 1 to"), "\(wrong.errors)")
        }

        @Test("loads of feeds count for the host of their address, and for a parameter that gantry.yaml names")
        func feedValues() async throws {
            let scenario = try Scenario()
            let origin = try await scenario.origin()
            func feed(_ name: String) -> String {
                """
                  \(name):
                    source: { http: { url: "http://127.0.0.1:\(origin.port)/items?count={count}" } }
                    parameters: { count: { default: "3" } }
                    item: { id: /id, title: /title }
                    group: shop

                """
            }
            try scenario.write(
                "gantry.yaml",
                """
                version: 1
                http: { allow: ["127.0.0.1:*"] }
                limits:
                  site: { capacity: 9, loaders: [http], value: host }
                  tenant: { capacity: 1, groups: [shop], value: "{count}" }
                feeds:

                """ + feed("items") + feed("more"))
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try await origin.fault(#"{"path":"/items","holdAfterBytes":10}"#)
            let first = try await scenario.gantry("feed", "load", "items", "--no-wait").output
            try await scenario.gantry("feed", "load", "items", "--param", "count=4", "--no-wait")
            try await origin.wait("/items", "inFlight=2")
            let same = try await scenario.gantry("feed", "load", "more", "--no-wait").output
            try await scenario.settles("a full limit") {
                try await scenario.gantry("job", "explain", same).output.contains("the limit tenant=3 has no room: 1 of 1 are taken")
            }
            let shown = try await scenario.gantry("job", "show", first, "--output", "json").json()
            let limits = (shown["limits"] as? [[String: Any]])?.map { "\($0["limit"] ?? "")=\($0["value"] ?? "")" }
            #expect(limits == ["site=127.0.0.1", "tenant=3"], "\(shown)")
            let tenant = try await scenario.gantry("limit", "show", "tenant", "--output", "json").json()
            #expect(tenant["inUse"] as? Int == 2 && tenant["waiting"] as? Int == 1 && tenant["valueCount"] as? Int == 2, "\(tenant)")
            try await origin.heal()
            try await scenario.gantry("job", "wait", same, "--timeout", "60s")
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
            try scenario.write("gantry.yaml", "version: 1\nlimits:\n  nap: { capacity: 1, loaders: [sleep], value: host }\n")
            let wrong = try await scenario.gantry("front", code: 78)
            #expect(
                wrong.errors.contains("gantry.yaml:3: the value of limit nap is that of a feed, and the loader sleep"), "\(wrong.errors)")
        }

        @Test("a job takes as many permits as it weighs, a weight above the limit is refused, and one that was lowered says so")
        func weights() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try await scenario.gantry("limit", "set", "api", "5")
            let jobs = try await scenario.gantry("job", "submit", "sleep", "--argument", "60000", "--count", "2", "--limit", "api:3=a:b")
                .lines
            func explained(_ job: String) async throws -> String { try await scenario.gantry("job", "explain", job).output }
            try await scenario.settles("a full limit") {
                try await explained(jobs[1]).contains("the limit api=a:b has no room for 3: 3 of 5 are taken")
            }
            let shown = try await scenario.gantry("job", "show", jobs[1], "--output", "json").json()
            let limits = shown["limits"] as? [[String: Any]]
            #expect(limits?.first?["weight"] as? Int == 3 && limits?.first?["value"] as? String == "a:b", "\(shown)")
            let refused = try await scenario.run(["job", "submit", "sleep", "--limit", "api:6"])
            #expect(refused.code != 0 && refused.errors.contains("a job that takes 6 permits of the limit api never runs (capacity 5)"))
            for (text, reason) in [("api:0", "is no weight"), ("api:x", "is no weight"), ("api:1000001", "is 1 to 1,000,000, not 1000001")]
            {
                let answer = try await scenario.gantry("job", "submit", "sleep", "--limit", text, code: 64)
                #expect(answer.errors.contains(reason), "\(answer.errors)")
            }
            try await scenario.gantry("limit", "set", "api", "2")
            #expect(try await explained(jobs[1]).contains("it takes 3 permits of the limit api=a:b, which has 2: raise the limit"))
            for job in jobs { try await scenario.gantry("job", "cancel", job) }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        /// The clients of jobs in the order of their starts, as the worker's own file has it.
        private static func starts(_ ledger: String, _ clients: [String: Int]) throws -> [Int] {
            try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n").compactMap { line in
                let parts = line.split(separator: " ").map(String.init)
                return parts.count == 5 && parts[0] == "start" ? clients[parts[1]] : nil
            }
        }

        /// Submits jobs for clients, then runs them in one slot until one has ended.
        private func run(_ counts: [(name: String, count: Int)], until last: Int, _ configuration: String = "") async throws -> [Int] {
            let scenario = try Scenario()
            try scenario.write("gantry.yaml", "version: 1\n" + configuration)
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            try await scenario.gantry("loader", "pause", "stamp")
            var clients: [String: Int] = [:]
            for (client, (name, count)) in counts.enumerated() {
                let jobs = try await scenario.gantry(
                    "job", "submit", "stamp", "--argument", "0", "--count", String(count), "--client", name)
                for job in jobs.lines { clients[job] = client }
            }
            let ledger = scenario.folder + "/ledger"
            let worker = try await scenario.start(
                program: Scenario.programs + "/ChaosWorker", ["ipc://\(scenario.data)/run/workers", "one", "1", ledger])
            try await scenario.gantry("loader", "resume", "stamp")
            try await scenario.settles("enough starts") {
                // A command takes the time that a look costs.
                try await scenario.gantry("status")
                return (try? Self.starts(ledger, clients).count).map { $0 >= last } ?? false
            }
            worker.send(.kill)
            up.send(.kill)
            return Array(try Self.starts(ledger, clients).prefix(last))
        }

        @Test("clients with 10,000, 100 and 1 jobs get the same while each has some: Jain's index is at least 0.95")
        func equal() async throws {
            let starts = try await run([("many", 10_000), ("some", 100), ("one", 1)], until: 150)
            // Counted until the single job is done, and then between the two that go on.
            let first = try #require(starts.firstIndex(of: 2))
            #expect(first < 6)
            let got = [0, 1].map { client in Double(starts.count { $0 == client }) }
            let sum = got.reduce(0, +)
            let index = sum * sum / (2 * got.reduce(0) { $0 + $1 * $1 })
            #expect(index >= 0.95, "\(got)")
        }

        @Test("weights of 1, 2 and 4 in gantry.yaml give such shares, within a tenth")
        func weighted() async throws {
            let configuration = "clients: { two: { weight: 2 }, four: { weight: 4 } }\n"
            let starts = try await run([("one", 400), ("two", 400), ("four", 400)], until: 350, configuration)
            for (client, weight) in [1.0, 2, 4].enumerated() {
                let share = Double(starts.count { $0 == client }) / Double(starts.count) * 7 / weight
                #expect((0.9...1.1).contains(share), "client \(client): \(share)")
            }
        }
    }
}
