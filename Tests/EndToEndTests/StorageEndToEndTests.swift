//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    @Suite("What is stored", .serialized, .timeLimit(.minutes(10)))
    struct StorageEndToEndTests {
        @Test(
            "the sizes of a front's files are watched, also in memory mode, and say so where they cannot be read",
            arguments: ["full", "memory"])
        func watched(durability: String) async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front", "--durability", durability)
            // The first who asks has the front look, and gets what it finds.
            let first = try await scenario.gantry("watch", "storage", "--count", "1").output
            #expect(first.contains("ballast 67108864 bytes") && !first.contains("journal not known"), "\(first)")
            let watcher = try await scenario.start("watch", "storage", "--output", "jsonl")
            let line = try await watcher.line("sizes") { $0.contains("\"journalByteCount\"") }
            let change = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let state = try #require(change["state"] as? [String: Any])
            #expect(state["ballastByteCount"] as? Int == 64 << 20 && state["cacheByteCount"] as? Int == 0, "\(line)")
            #expect(try #require(state["journalByteCount"] as? Int) >= 4_096 && state["lastCheckpoint"] == nil, "\(line)")
            try FileManager.default.removeItem(atPath: scenario.data + "/objects")
            let away = try await watcher.line("a cache that is away") { !$0.contains("\"cacheByteCount\"") }
            #expect(away.contains("\"journalByteCount\"") && away.contains("\"ballastByteCount\""), "\(away)")
            watcher.send(.interrupt)
            let shown = try await scenario.gantry("watch", "storage", "--count", "1").output
            #expect(shown.contains(", cache not known, ballast 67108864 bytes, last checkpoint none"), "\(shown)")
            front.send(.terminate)
            #expect(try await front.exit() == .exited(code: 0))
        }
    }
}
