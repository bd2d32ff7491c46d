//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEndFaults {
    /// Short runs of the scripts that hurt Gantry from outside; the long ones are for people.
    @Suite("Chaos and attacks", .serialized, .timeLimit(.minutes(10)))
    struct ChaosTests {
        /// Each kind of fault that a run has, the full disk only where a file system can be mounted.
        private static let kinds: [String] = {
            let processes = ["front", "worker", "list worker", "origin", "client", "observer"].flatMap { name in
                ["\(name) killed", "\(name) stopped"]
            }
            let links = ["requests", "changes", "pages", "workers"].flatMap { channel in
                ["stall", "cut", "one-way", "half-open"].map { "links: \(channel) \($0)" }
            }
            return processes + links + (ProcessControl.userID == 0 ? ["disk full"] : [])
        }()

        @Test("processes are killed and stopped, each link is broken in each way, the disk fills up, and no promise is broken")
        func chaos() async throws {
            let scenario = try Scenario()
            var arguments = [
                "--seconds", "30", "--short", "--gantry", Scenario.gantry, "--worker-program", Scenario.programs + "/ChaosWorker",
            ]
            if ProcessControl.userID != 0 { arguments.append("--no-disk") }
            let decision = try await scenario.end(of: scenario.start(program: CheckoutFolder.file("Scripts/chaos").path, arguments))
            #expect(decision.code == 0, "\(decision.output) \(decision.errors)")
            let result = try decision.json()
            #expect((result["accepted"] as? Int ?? 0) > 50)
            let faults = result["faults"] as? [String: Int] ?? [:]
            for kind in Self.kinds { #expect((faults[kind] ?? 0) > 0, "no fault of the kind \(kind)") }
        }

        @Test("a limit of 5, a rate and a limit for each tenant hold for 900 jobs of three clients, by a ledger outside and by the audit")
        func limits() async throws {
            let scenario = try Scenario()
            let picture = scenario.folder + "/limits.svg"
            let arguments = [
                "--jobs", "300", "--short", "--svg", picture, "--gantry", Scenario.gantry,
                "--worker-program", Scenario.programs + "/ChaosWorker",
            ]
            let decision = try await scenario.end(of: scenario.start(program: CheckoutFolder.file("Scripts/limit-trial").path, arguments))
            #expect(decision.code == 0, "\(decision.output) \(decision.errors)")
            let result = try decision.json()
            #expect(result["jobs"] as? Int == 900)
            for kind in ["front killed", "worker killed", "worker stopped"] {
                #expect((result["faults"] as? [String: Int] ?? [:])[kind, default: 0] > 0, "no fault of the kind \(kind)")
            }
            try XMLCheck.check(String(contentsOfFile: picture, encoding: .utf8))
        }

        @Test("the verdicts of chaos, attack and limit trial find whatever is broken in an injected run, and nothing in one by the book")
        func injected() async throws {
            let scenario = try Scenario()
            let decision = try await scenario.end(of: scenario.start(program: CheckoutFolder.file("Scripts/rig/injected.py").path, []))
            #expect(decision.code == 0, "\(decision.output) \(decision.errors)")
        }

        @Test("attacks that once ended or stopped the front are withstood: those that need under 3 s, the others are named")
        func attacks() async throws {
            let scenario = try Scenario()
            let decision = try await scenario.end(
                of: scenario.start(program: CheckoutFolder.file("Scripts/attack").path, ["--brief", "--gantry", Scenario.gantry, "--json"]))
            #expect(decision.code == 0, "\(decision.lines.joined(separator: "\n")) \(decision.errors)")
            #expect(decision.lines.count == 18)
            #expect(decision.errors.contains("left to Scripts/attack without --brief: 3.13, 3.14, 3.16"))
        }
    }
}
