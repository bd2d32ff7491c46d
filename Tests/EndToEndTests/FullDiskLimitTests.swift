//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// A worker outside of gantry (`ChaosWorker`) writes down what it runs, on a disk that has room.
    @Suite("Limits on a full disk", .serialized, .timeLimit(.minutes(10)))
    struct FullDiskLimitTests {
        private func submit(_ count: Int, milliseconds: Int, _ scenario: Scenario) async throws -> [String] {
            try await scenario.gantry(
                "job", "submit", "stamp", "--argument", String(milliseconds), "--count", String(count), "--limit", "api"
            ).lines
        }

        /// How many permits of the limit are taken, and how many jobs wait for one.
        private func numbers(_ scenario: Scenario) async throws -> [Int?] {
            let limit = try #require(try await scenario.gantry("limit", "list", "--output", "json").items().first)
            return [limit["inUse"] as? Int, limit["waiting"] as? Int]
        }

        /// Submits until the front refuses for want of room.
        private func fill(_ scenario: Scenario) async throws {
            let argument = String(repeating: "0", count: 60_000) + "1"
            let answer = try await scenario.run(["job", "submit", "sleep", "--argument", argument, "--count", "1000"])
            #expect(answer.code == 8, "\(answer.errors)")
        }

        private func refusal(_ scenario: Scenario) async throws -> String {
            try await scenario.gantry("job", "submit", "noop", "--output", "json", code: 8).failure().code
        }

        @Test("permits are neither lost nor given twice while the journal has no room, and once it has some again")
        func permits() async throws {
            let scenario = try Scenario()
            let host = try await scenario.frontOnSmallDisk()
            defer { host.send(.terminate) }
            try await scenario.gantry("limit", "set", "api", "2")
            let ledger = scenario.folder + "/ledger"
            let worker = try await scenario.start(
                program: Scenario.programs + "/ChaosWorker", ["ipc://\(scenario.data)/run/workers", "one", "8", ledger])
            let long = try await submit(2, milliseconds: 600_000, scenario)
            try await scenario.settles("two runs") { try await numbers(scenario) == [2, 0] }
            let short = try await submit(20, milliseconds: 20, scenario)
            try await fill(scenario)
            #expect(try await refusal(scenario) == "storageFull")
            #expect(try await numbers(scenario) == [2, 20])

            // A run that ends gives its permit back; nobody is given it, for a grant needs room.
            try await scenario.gantry("job", "cancel", long[0])
            try await scenario.settles("the end of a run") { try await numbers(scenario) == [1, 20] }
            #expect(try await refusal(scenario) == "storageFull")
            #expect(try await numbers(scenario) == [1, 20])
            #expect(try OutsideRuns(ledger: ledger, kills: [:]).started == Set(long))

            try await scenario.growDisk(of: host)
            for job in short { try await scenario.gantry("job", "wait", job, "--timeout", "120s") }
            #expect(try await numbers(scenario) == [1, 0])
            try await scenario.gantry("job", "cancel", long[1])
            try await scenario.settles("the end of all runs") { try await numbers(scenario) == [0, 0] }
            let outside = try OutsideRuns(ledger: ledger, kills: [:])
            #expect(outside.started == Set(long + short) && outside.starts(of: outside.started).count == 22)
            #expect(outside.most(of: outside.started) == 2)
            worker.send(.terminate)
            #expect(try await worker.exit() == .exited(code: 0))
        }
    }
}
