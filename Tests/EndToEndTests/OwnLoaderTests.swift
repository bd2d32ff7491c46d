//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// Feeds whose items a worker program outside of gantry writes: the example `FeedWorkerExample`.
    @Suite("A loader of one's own", .serialized, .timeLimit(.minutes(10)))
    struct OwnLoaderTests {
        /// The first feed is the one that README.md prints, with another file.
        private func configuration(_ scenario: Scenario) throws -> String {
            let printed = try Readme().blocks("Your own list", "yaml")
            #expect(printed.count == 2 && printed[1].contains { $0.contains("/srv/towns.txt") }, "\(printed)")
            let towns = printed[1].joined(separator: "\n").replacing("/srv/towns.txt", with: scenario.folder + "/towns.txt")
            return """
                version: 1
                feeds:
                  towns:
                \(towns)
                    sort: { by: people, order: descending }
                  visited:
                    source: { loader: towns, settings: { file: "\(scenario.folder)/towns.txt" } }
                    editable: true
                  stuck:
                    source: { loader: towns, settings: { file: "\(scenario.folder)/stuck.txt" } }
                  broken:
                    source: { loader: towns, settings: { path: towns.txt } }
                  doubled:
                    source: { loader: towns, settings: { file: "\(scenario.folder)/doubled.txt" } }
                """
        }

        private func ids(_ scenario: Scenario, _ feed: String) async throws -> [String] {
            try await scenario.gantry("feed", "items", feed, "--output", "json").items().compactMap { $0["id"] as? String }
        }

        private func doctor(_ scenario: Scenario) async throws -> String {
            let report = try await scenario.gantry("doctor", "--output", "json").json()
            let checks = (report["checks"] as? [String: Any])?["items"] as? [[String: Any]] ?? []
            let loader = try #require(checks.first { $0["name"] as? String == "loader towns" })
            return "\(loader["state"] ?? "") \(loader["detail"] ?? "")"
        }

        @Test("its feeds wait for it, are loaded, sorted by a declared field, refreshed, edited and cancelled; what cannot be is said")
        func feeds() async throws {
            let scenario = try Scenario()
            try scenario.write("gantry.yaml", try configuration(scenario))
            try scenario.write("towns.txt", "ulm;Ulm;128928\nbonn;Bonn;336465\njena;Jena;111191\n")
            try scenario.write("doubled.txt", "ulm;Ulm;1\nbonn;Bonn;2\nulm;Neu-Ulm;3\n")
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let before = try await doctor(scenario)
            let needed = "needed by feed towns, visited, stuck, broken, doubled"
            #expect(before == "warning \(needed); no registered worker offers it, so their loads wait")
            let job = try await scenario.gantry("feed", "load", "towns", "--no-wait").output
            #expect(try await scenario.gantry("job", "explain", job).output.contains("no registered worker offers the loader towns"))

            let worker = try await scenario.start(
                program: Scenario.programs + "/FeedWorkerExample", [scenario.data])
            #expect(try await scenario.gantry("feed", "load", "towns").output.contains("towns: loaded 3 items"))
            #expect(try await doctor(scenario) == "good \(needed); a registered worker offers it")
            #expect(try await ids(scenario, "towns") == ["bonn", "ulm", "jena"])
            try await scenario.gantry("feed", "sort", "towns", "--by", "people")
            #expect(try await ids(scenario, "towns") == ["jena", "ulm", "bonn"])
            #expect(try await scenario.gantry("feed", "select", "towns", "ulm").output.contains("\"people\":128928"))

            try scenario.write("towns.txt", "ulm;Ulm;129942\nbonn;Bonn;336465\n")
            try await scenario.gantry("feed", "refresh", "towns")
            #expect(try await ids(scenario, "towns") == ["ulm", "bonn"])
            try await edited(scenario)
            try await cancelled(scenario)
            // A call that looks at no flag cannot be stopped, so the worker was ended with it; what follows needs another one.
            let exit = try await worker.exit()
            #expect("\(exit)".contains("9"), "\(exit)")
            let next = try await scenario.start(program: Scenario.programs + "/FeedWorkerExample", [scenario.data])
            let broken = try await scenario.gantry("feed", "load", "broken", "--output", "json", code: 10).failure()
            #expect(broken.message.contains("source.settings of feed broken does not fit: field \"file\" is missing"), "\(broken)")
            let doubled = try await scenario.gantry("feed", "load", "doubled", "--output", "json", code: 10).failure()
            #expect(doubled.message.contains("loader towns: items 1 and 3 have the same id"), "\(doubled)")
            next.send(.interrupt)
            #expect(try await next.exit() == .exited(code: 0))
            up.send(.interrupt)
            _ = try await up.exit()
        }

        /// What somebody made stays through a refresh that changes the source.
        private func edited(_ scenario: Scenario) async throws {
            try await scenario.gantry("feed", "load", "visited")
            let created = try await scenario.gantry("feed", "create", "visited", "--item", #"{"title":"Trier"}"#, "--output", "json").json()
            let id = try #require(created["item"] as? String)
            try scenario.write("towns.txt", "jena;Jena;111191\n")
            try await scenario.gantry("feed", "refresh", "visited")
            #expect(Set(try await ids(scenario, "visited")) == ["jena", id])
        }

        /// The load reads a pipe in which nothing comes.
        private func cancelled(_ scenario: Scenario) async throws {
            _ = try await scenario.end(of: scenario.start(program: "/usr/bin/mkfifo", [scenario.folder + "/stuck.txt"]))
            let job = try await scenario.gantry("feed", "load", "stuck", "--no-wait").output
            let writer = try await scenario.start(program: "/bin/sh", ["-c", "exec 3>stuck.txt; echo open; exec tail -f /dev/null"])
            _ = try await writer.line("the pipe's reader") { $0 == "open" }
            #expect(try await scenario.gantry("feed", "cancel", "stuck").output.hasPrefix("job \(job): cancelled"))
            let shown = try await scenario.gantry("feed", "show", "stuck", "--output", "json").json()
            #expect(shown["content"] == nil && (shown["activity"] as? [String: Any])?["state"] as? String == "idle")
        }
    }
}
