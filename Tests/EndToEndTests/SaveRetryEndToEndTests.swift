//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    @Suite("A failed save", .serialized, .timeLimit(.minutes(10)))
    struct SaveRetryEndToEndTests {
        @Test("is repeated by its number, by anybody, and only once")
        func retry() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            try await scenario.gantry("feed", "load", "todos")
            try await scenario.gantry("watch", "jobs", "--until", "idle", "--output", "jsonl")
            let newest = try await scenario.gantry("job", "list", "--limit", "1", "--output", "json").items().first?["id"] as? String
            let last = try #require(newest.flatMap { Int($0) })
            // The item that the update names is there only after the create that follows it.
            let (failed, item) = (String(last + 1), "local-\(last + 2)")
            let failure = try await scenario.gantry(
                "feed", "update", "todos", item, "--item", #"{"title":"by hand"}"#, "--output", "json", code: 6)
            #expect(
                try failure.failure().code == "unknownItem" && failure.errors.contains("\"failure\":\"\(failed)\""), "\(failure.errors)")
            let created = try await scenario.gantry("feed", "create", "todos", "--item", #"{"title":"first"}"#, "--output", "json").json()
            #expect(created["item"] as? String == item)
            let retry = try await scenario.gantry("feed", "retry", "todos", "--failure", failed)
            #expect(retry.output.contains("todos: updated, now 31 items in "), "\(retry.output)")
            #expect(try await scenario.gantry("feed", "select", "todos", item).output.contains("by hand"))
            let second = try await scenario.gantry("feed", "retry", "todos", "--failure", failed, code: 6)
            #expect(second.errors.contains("failure \(failed) of feed todos was repeated by job ") && second.errors.contains("succeeded"))
            try await scenario.gantry("feed", "retry", "todos", "--failure", "99999", code: 6)
            try await scenario.gantry("feed", "retry", "todos", "--failure", "soon", code: 64)
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
