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
            // Until all workers are back that is what the front advises to wait for.
            try await scenario.settles("the advice to resume the loader") {
                let status = try await scenario.gantry("status").output
                return status.contains("paused    the loader noop is paused by loader pause")
                    && status.contains("next      gantry loader resume noop")
            }
            #expect(try await scenario.gantry("loader", "show", "noop").output.contains("the API is down"))
            #expect(try await scenario.gantry("loader", "resume", "noop").output == "noop: resumed")
            #expect(try await scenario.gantry("job", "wait", job).output.contains("succeeded"))
            let again = try await scenario.gantry("loader", "resume", "noop", code: 6)
            #expect(again.errors.contains("the loader noop is not paused"), "\(again.errors)")
            #expect(up.errors.contains("ended by signal 9"))
        }

        @Test("a pause of all loaders with a length ends by itself, and what is misspelled, missing or cannot be is told")
        func all() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            #expect(try await scenario.gantry("loader", "pause", "--all", "--for", "2s").output.hasPrefix("all loaders are paused by"))
            #expect(try await scenario.gantry("job", "submit", "noop", "--wait").output.contains("succeeded"))
            #expect(try await scenario.gantry("loader", "list", "--output", "json").output.contains("\"state\":\"offered\""))
            let misspelled = try await scenario.gantry("loader", "pause", "slep")
            #expect(misspelled.errors.contains("no worker offers the loader slep now; did you mean sleep?"), "\(misspelled.errors)")
            for wrong in [
                [], ["sleep", "--all"], ["No-Name"], ["sleep", "--for", "400d"], ["sleep", "--for", "0s"], ["sleep", "--reason", "a\tb"],
            ] {
                #expect(try await scenario.run(["loader", "pause"] + wrong).code == 64, "\(wrong)")
            }
            _ = try await scenario.gantry("loader", "show", "nobody", code: 6)
            #expect(!up.errors.contains("ended by"))
        }

        /// A configuration of two feeds that nobody answers, one of them in that group with the loader `noop`; nil: neither is in one.
        private static func configuration(port: Int, group: String?) -> String {
            let source = "source: { http: { url: \"http://127.0.0.1:\(port)/x\" } }, item: { id: /id, title: /title }"
            let entry = group.map { "group: \($0)" }
            return """
                version: 1
                http: { allow: ["127.0.0.1:*"] }
                loaders: { noop: { \(entry ?? "") } }
                feeds:
                  inside: { \(source)\(entry.map { ", " + $0 } ?? "") }
                  outside: { \(source) }
                """
        }

        @Test("jobs of a paused group wait, be they of its loaders or loads of its feeds, until it is resumed or gone")
        func group() async throws {
            let scenario = try Scenario()
            let port = try await scenario.freePort()
            try scenario.write("gantry.yaml", Self.configuration(port: port, group: "shop"))
            var up = try await scenario.serve("up", "--without", "sample-origin")
            let pause = try await scenario.gantry("loader", "pause", "--group", "shop", "--reason", "the sale", "--output", "json").json()
            #expect(pause["group"] as? String == "shop" && pause["loader"] == nil && pause["reason"] as? String == "the sale")
            #expect(pause["loaders"] as? [String] == ["noop"] && pause["feeds"] as? [String] == ["inside"])
            let job = try await scenario.gantry("job", "submit", "noop").output
            try await scenario.gantry("feed", "load", "inside", "--no-wait")
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            // Another feed asks the same loader, in vain.
            try await scenario.gantry("feed", "load", "outside", code: 3)
            #expect(try await scenario.gantry("job", "submit", "sleep", "--argument", "1", "--wait").output.contains("succeeded"))
            for words in [["job", "explain", job], ["feed", "show", "inside"], ["loader", "show", "noop"]] {
                let shown = try await scenario.run(words)
                #expect(shown.output.contains("the group shop is paused by loader pause"), "\(words): \(shown)")
            }
            try await scenario.settles("the advice to resume the group") {
                let status = try await scenario.gantry("status").output
                return status.contains("paused    the group shop is paused by loader pause")
                    && status.contains("next      gantry loader resume --group shop")
            }
            #expect(try await scenario.gantry("loader", "resume", "--group", "shop").output == "group shop: resumed")
            #expect(try await scenario.gantry("job", "wait", job).output.contains("succeeded"))
            try await scenario.settles("the load of the feed") {
                try await scenario.gantry("feed", "show", "inside").output.contains("the group shop is paused") == false
            }
            let again = try await scenario.gantry("loader", "resume", "--group", "shop", code: 6)
            #expect(again.errors.contains("no group shop is paused"), "\(again.errors)")
            let misspelled = try await scenario.gantry("loader", "pause", "--group", "shpo", code: 6)
            #expect(misspelled.errors.contains("did you mean \"shop\"?"), "\(misspelled.errors)")
            for wrong in [["--group", "shop", "--all"], ["sleep", "--group", "shop"], ["--group", "No Name"], ["--group", ""]] {
                #expect(try await scenario.run(["loader", "pause"] + wrong).code == 64, "\(wrong)")
            }
            try await scenario.gantry("loader", "pause", "--group", "shop")
            let waiting = try await scenario.gantry("job", "submit", "noop").output
            up.send(.interrupt)
            _ = try await up.exit()
            try scenario.write("gantry.yaml", Self.configuration(port: port, group: nil))
            up = try await scenario.serve("up", "--without", "sample-origin")
            #expect(try await scenario.gantry("job", "wait", waiting).output.contains("succeeded"))
            #expect(up.errors.contains("the pause of the group shop has ended"), "\(up.errors)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("a paused worker gets no jobs, also if the front is killed meanwhile, while others do; jobs that only it would take say so")
        func worker() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin", "--workers", "2")
            let pause = try await scenario.gantry("worker", "pause", "worker-1", "--reason", "new disk", "--output", "json").json()
            #expect(pause["worker"] as? String == "worker-1" && pause["loader"] == nil && pause["reason"] as? String == "new disk")
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let submitted = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000", "--count", "2").output
            let ids = submitted.split(separator: "\n").map(String.init)
            for id in ids {
                try await scenario.waitUntilRunning(id)
                let job = try await scenario.gantry("job", "show", id, "--output", "json").json()
                #expect(job["worker"] as? String == "worker-2", "\(job)")
            }
            #expect(try await scenario.gantry("worker", "list").output.contains("the worker worker-1 is paused by worker pause"))
            try await scenario.gantry("worker", "pause", "worker-2")
            let waiting = try await scenario.gantry("job", "submit", "sleep", "--argument", "1").output
            let explained = try await scenario.gantry("job", "explain", waiting).output
            // Either is as good a reason as the other.
            #expect(explained.contains("waits: no worker that offers its loader takes jobs; the worker worker-"), "\(explained)")
            #expect(explained.contains("is paused by worker pause"), "\(explained)")
            try await scenario.settles("the advice to resume the worker") {
                let status = try await scenario.gantry("status").output
                return status.contains("next      gantry worker resume worker-1") && !status.contains("unoffered")
            }
            #expect(try await scenario.gantry("worker", "resume", "worker-1").output == "worker worker-1: resumed")
            #expect(try await scenario.gantry("job", "wait", waiting).output.contains("succeeded"))
            let misspelled = try await scenario.gantry("worker", "pause", "worker-9", "--for", "1s")
            #expect(misspelled.errors.contains("no worker is called worker-9 now; did you mean worker-1?"), "\(misspelled.errors)")
            #expect(misspelled.errors.contains("to end it: gantry worker resume worker-9"), "\(misspelled.errors)")
            #expect(try await scenario.gantry("worker", "resume", "nobody", code: 6).errors.contains("no worker nobody is paused"))
            for wrong in [[], [""], ["worker-1", "--for", "400d"], ["a\tb"]] {
                #expect(try await scenario.run(["worker", "pause"] + wrong).code == 64, "\(wrong)")
            }
            for id in ids { try await scenario.gantry("job", "cancel", id) }
            #expect(up.errors.contains("ended by signal 9"))
        }
    }
}
