//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// Front, two workers, origin and observers as real processes, from the command line.
    @Suite("Show 1: many observers of three feeds", .serialized, .timeLimit(.minutes(10)))
    struct FirstEndToEndTests {
        private let topics = [
            "feed/items?count=100&parameter=sample", "view/items?count=100&parameter=sample/shared", "feed/products?category=electronics",
            "feed/todos", "view/todos/shared", "jobs",
        ]

        @Test("load, select, sort, create and cancel: early, late and restarted observers end with the same sequence and checksum")
        func observers() async throws {
            let scenario = try Scenario()
            let (up, origin) = try await scenario.up()
            var observers = [try await Observer.start(scenario, topics), try await Observer.start(scenario, topics)]

            let loaded = try await scenario.gantry("feed", "load", "products", "--param", "category=electronics")
            #expect(loaded.lines.count == 1 && loaded.output.contains("products?category=electronics: loaded 6 items"))
            #expect(loaded.output.contains("(network), change ") && loaded.output.contains(", checksum "))
            try await scenario.gantry("feed", "load", "items")
            try await scenario.gantry("feed", "sort", "items", "--by", "title", "--descending")
            let titles = try await scenario.gantry("feed", "items", "items", "--limit", "100", "--output", "json").items().compactMap {
                $0["title"] as? String
            }
            #expect(titles.count == 100 && titles == titles.sorted { $0.lowercased() > $1.lowercased() })

            let todos = try await scenario.gantry("feed", "load", "todos", "--output", "json").json()
            #expect((todos["content"] as? [String: Any])?["itemCount"] as? Int == 30)
            let created = try await scenario.gantry("feed", "create", "todos", "--item", #"{"title":"buy milk"}"#, "--output", "json")
                .json()
            let id = try #require(created["item"] as? String)
            #expect(id == "local-\(created["job"] as? String ?? "")")
            #expect((created["content"] as? [String: Any])?["itemCount"] as? Int == 31)
            let selected = try await scenario.gantry("feed", "select", "todos", id)
            #expect(selected.output.contains("selected \(id)") && selected.output.contains("buy milk"))
            #expect(
                try await scenario.gantry("feed", "create", "todos", "--item", #"{"title":"buy bread"}"#).output.contains("created local-"))

            observers.append(try await Observer.start(scenario, topics))
            try await cancelled(scenario, origin)
            try await scenario.gantry("feed", "select", "todos", "--none")
            try await scenario.gantry("feed", "update", "todos", "3", "--item", #"{"title":"by hand"}"#)
            try await observers.agree(scenario, on: topics)

            observers[1].running.send(.kill)
            #expect(try await observers[1].running.exit() == .signaled(.kill))
            observers[1] = try await Observer.start(scenario, topics)
            try await scenario.gantry("feed", "refresh", "products", "--param", "category=electronics")
            try await observers.agree(scenario, on: topics)

            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        /// A held load is cancelled: the origin sees its connection close, and the feed is as before.
        private func cancelled(_ scenario: Scenario, _ origin: SampleOrigin) async throws {
            try await origin.fault(#"{"path":"/items","holdAfterBytes":2000}"#)
            let job = try await scenario.gantry("feed", "refresh", "items", "--no-wait").output
            try await origin.wait("/items", "inFlight=1")
            let answer = try await scenario.gantry("feed", "cancel", "items")
            #expect(answer.output.hasPrefix("job \(job): cancelled, stopped after "))
            try await origin.wait("/items", "closedByClient=1")
            let shown = try await scenario.gantry("feed", "show", "items", "--output", "json").json()
            #expect((shown["content"] as? [String: Any])?["itemCount"] as? Int == 100)
            #expect((shown["activity"] as? [String: Any])?["state"] as? String == "idle")
            try await origin.heal()
        }
    }
}
