//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform
import Testing

extension Shows {
    /// What commands print, for programs and for people who wonder what to do next.
    @Suite("Answers", .serialized, .timeLimit(.minutes(5)))
    struct AnswerTests {
        @Test("jobs that are awaited are one JSON object, as those that are not, also when one of them fails")
        func awaited() async throws {
            let site = try Site()
            let up = try await site.serve("up", "--without", "origin")
            let ended = try await site.gantry("job", "submit", "noop", "--count", "3", "--wait", "--output", "json")
            #expect(try ended.items().map { $0["state"] as? String } == ["succeeded", "succeeded", "succeeded"])
            let failed = try await site.gantry(
                "job", "submit", "sleep", "--argument", "soon", "--count", "2", "--wait", "--output", "json", code: 10)
            #expect(try failed.items().map { $0["state"] as? String } == ["failed", "failed"])
            let lines = try await site.gantry("job", "submit", "noop", "--count", "3", "--wait", "--output", "jsonl").lines
            #expect(lines.count == 3 && lines.allSatisfy { $0.contains("\"state\":\"succeeded\"") }, "\(lines)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("a feed without a source and content says how to add an item, and so does its load")
        func manual() async throws {
            let site = try Site()
            try site.write(
                "gantry.yaml", "version: 1\nfeeds:\n  hand: { source: none, editable: true, item: { id: /id, title: /title } }\n")
            let up = try await site.serve("up", "--without", "origin")
            let next = "gantry feed create hand --item '{\"title\":\"…\"}'"
            let empty = try await site.gantry("feed", "page", "hand", code: 6)
            #expect(empty.errors.contains("hand has no content") && empty.errors.contains("gantry feed load hand"), "\(empty.errors)")
            for verb in ["load", "refresh"] {
                let answer = try await site.gantry("feed", verb, "hand")
                #expect(answer.output.hasPrefix("hand: has no source to load from, now 0 items, change "), "\(answer.output)")
                #expect(answer.errors.contains(next), "\(answer.errors)")
            }
            // Once it is live its state says that items are added by hand.
            let loaded = try await site.gantry("feed", "page", "hand", code: 6)
            #expect(loaded.errors.contains("\(next)`, or load it with `gantry feed load hand` if it has a source"), "\(loaded.errors)")
            let selected = try await site.gantry("feed", "select", "hand", "x", code: 6)
            #expect(selected.errors.contains("feed hand has no content yet: add an item to it first"), "\(selected.errors)")
            try await site.gantry("feed", "create", "hand", "--item", "{\"title\":\"one\"}")
            #expect(try await site.gantry("feed", "page", "hand").output.contains("one"))
            #expect(try await site.gantry("feed", "load", "hand").output.contains("now 1 item, change "))
            #expect(try await site.gantry("feed", "retry", "hand", code: 6).errors.contains("hand has no failure to retry"))
            #expect(try await site.gantry("feed", "cancel", "hand", code: 6).errors.contains("nothing is in progress for hand"))
            let newest = try await site.gantry("job", "list", "--limit", "1", "--output", "json")
            let id = try #require(try newest.items().first?["id"] as? String)
            let page = try await site.gantry("job", "list", "--limit", "1")
            #expect(page.errors.contains("more: gantry job list --before \(id)"), "\(page.errors)")
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
