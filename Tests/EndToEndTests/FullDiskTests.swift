//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// The journal stands on a file system of its own that 64 MiB of reserve almost fill.
    @Suite("A full disk", .serialized, .timeLimit(.minutes(10)))
    struct FullDiskTests {
        @Test("new jobs are refused, the front lives, what was accepted half-way is named, and all of it runs once there is room")
        func anyUser() async throws { try await fill(Scenario(), output: "jsonl") }

        @Test(
            "the same for a front and commands of a user without privileges",
            .enabled(if: ProcessControl.userID == 0, "mounting for another user needs root; without it the test above is this one"))
        func unprivileged() async throws { try await fill(Scenario(user: 65_534), output: "table") }

        @Test("a front that starts with little room says so, refuses new jobs by name and serves everything else")
        func littleSpace() async throws {
            let scenario = try Scenario()
            let host = try await scenario.frontOnSmallDisk(size: "8m")
            defer { host.send(.terminate) }
            let status = try await scenario.gantry("status", "--output", "json").json()
            #expect((status["front"] as? [String: Any])?["storage"] as? String == "full")
            let reason = "too little is free on the disk of the front, less than 64 MiB at \(scenario.data)/journal"
            #expect(host.errors.contains("\(reason): no new jobs until there is room"), "\(host.errors)")
            let failure = try await scenario.gantry("job", "submit", "noop", "--output", "json", code: 8).failure()
            #expect(failure.code == "storageFull" && failure.message.contains(reason), "\(failure)")
            #expect(try await scenario.gantry("job", "list", "--output", "json").items().isEmpty)
            // What is held free is the little that there is room for.
            let watcher = try await scenario.start("watch", "storage", "--output", "jsonl")
            _ = try await watcher.line("sizes") { $0.contains("\"ballastByteCount\":4194304") && $0.contains("\"cacheByteCount\":0") }
            watcher.send(.interrupt)
            // A worker is taken, and leaves when told to.
            let worker = try await scenario.serve("worker")
            worker.send(.terminate)
            #expect(try await worker.exit() == .exited(code: 0))
            #expect(host.errors.contains("the journal holds 0 MiB, the cache holds 0 MiB"), "\(host.errors)")
        }

        private func fill(_ scenario: Scenario, output: String) async throws {
            let host = try await scenario.frontOnSmallDisk()
            let owner = try FileManager.default.attributesOfItem(atPath: scenario.data + "/front.lock")[.ownerAccountID] as? NSNumber
            #expect(owner?.uint32Value == scenario.user ?? ProcessControl.userID)
            // 1,000 of these are 60 MB in hundreds of messages, so some are refused after others were accepted.
            let argument = String(repeating: "0", count: 60_000) + "1"
            let many = ["job", "submit", "sleep", "--argument", argument, "--count", "1000"]
            let refusal = try await scenario.run(many + ["--output", output])
            #expect(refusal.code == 8, "\(refusal.errors)")
            let accepted = output == "table" ? refusal.lines : try refusal.lines.map { try job($0) }
            #expect(!accepted.isEmpty && accepted.count < 1_000 && accepted.allSatisfy { UInt64($0) != nil })
            let failure = try await scenario.gantry(
                "job", "submit", "sleep", "--argument", argument, "--output", "json", code: 8
            ).failure()
            #expect(failure.code == "storageFull", "\(failure)")
            let reason = "too little is free on the disk of the front, less than 64 MiB at \(scenario.data)/journal"
            #expect(failure.message.contains(reason), "\(failure)")
            let status = try await scenario.gantry("status", "--output", "json").json()
            #expect((status["front"] as? [String: Any])?["storage"] as? String != "ok")
            #expect((status["counts"] as? [String: Any])?["waiting"] as? Int == accepted.count, "a job was accepted and not named")

            try await scenario.growDisk(of: host)
            let worker = try await scenario.serve("worker", "--slots", "8")
            try await scenario.gantry("watch", "jobs", "--until", "idle", "--output", "jsonl")
            let list = try await scenario.gantry("job", "list", "--limit", "1000", "--output", "json").items()
            let succeeded = Set(list.filter { $0["state"] as? String == "succeeded" }.compactMap { $0["id"] as? String })
            #expect(succeeded == Set(accepted))
            worker.send(.terminate)
            #expect(try await worker.exit() == .exited(code: 0))
        }

        private func job(_ line: String) throws -> String {
            try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])?["id"] ?? ""
        }
    }
}
