//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// Lists that nobody here made, from a server that nobody here made, by configuration alone.
    @Suite("Show 2: Debian's iso-codes", .serialized, .timeLimit(.minutes(10)))
    struct ForeignListTests {
        private static let folder = "/usr/share/iso-codes/json"

        @Test("languages and countries are loaded, sorted by name, paged and selected, and equal the files")
        func isoCodes() async throws {
            let scenario = try Scenario()
            let server = try await scenario.start(
                program: "/usr/bin/python3",
                ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", Self.folder])
            let greeting = try await server.line("the port") { $0.contains("port ") }
            let port = greeting.split(separator: " ").compactMap { Int($0) }.first ?? 0
            try scenario.write(
                "gantry.yaml",
                """
                version: 1
                http: { allow: ["127.0.0.1:\(port)"] }
                feeds:
                  languages:
                    source: { http: { url: "http://127.0.0.1:\(port)/iso_639-3.json", items: "/639-3" } }
                    item: { id: /alpha_3, title: /name, fields: { scope: { path: /scope, type: string } } }
                  countries:
                    source: { http: { url: "http://127.0.0.1:\(port)/iso_3166-1.json", items: "/3166-1" } }
                    item: { id: /alpha_2, title: /name, fields: { number: { path: /numeric, type: string } } }
                """)
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try await check(scenario, "languages", file: "iso_639-3.json", list: "639-3", id: "alpha_3", atLeast: 7_001)
            try await check(scenario, "countries", file: "iso_3166-1.json", list: "3166-1", id: "alpha_2", atLeast: 200)
            let german = try await scenario.gantry("feed", "select", "languages", "deu")
            #expect(german.output.contains("\"title\":\"German\"") && german.output.contains("\"scope\":\"I\""))
            try await scenario.gantry("feed", "select", "languages", "no-such-language", code: 6)
            up.send(.interrupt)
            _ = try await up.exit()
        }

        private func check(_ scenario: Scenario, _ feed: String, file: String, list: String, id: String, atLeast: Int) async throws {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(file)"))
            let object = try JSONSerialization.jsonObject(with: data) as? [String: [[String: Any]]]
            let entries = try #require(object?[list]).compactMap { entry in
                (id: entry[id] as? String ?? "", name: entry["name"] as? String ?? "")
            }
            #expect(entries.count >= atLeast)
            let loaded = try await scenario.gantry("feed", "load", feed)
            #expect(loaded.output.hasPrefix("\(feed): loaded \(entries.count) items in "))
            #expect(try await ids(scenario, feed, entries.count) == entries.map(\.id))
            try await scenario.gantry("feed", "sort", feed, "--by", "title")
            #expect(try await ids(scenario, feed, entries.count) == entries.sorted(by: isBefore).map(\.id))
            let last = try await scenario.gantry("feed", "items", feed, "--offset", String(entries.count - 1), "--output", "json").json()
            #expect((last["items"] as? [Any])?.count == 1 && last["next"] == nil && last["itemCount"] as? Int == entries.count)
        }

        /// The documented order: NFC lower-cased code points, ties by id.
        private func isBefore(_ one: (id: String, name: String), _ two: (id: String, name: String)) -> Bool {
            let texts = [one, two].map { Array($0.name.precomposedStringWithCanonicalMapping.lowercased().unicodeScalars.map(\.value)) }
            return texts[0] == texts[1] ? one.id < two.id : texts[0].lexicographicallyPrecedes(texts[1])
        }

        /// Every id in the order of the view, read by pages.
        private func ids(_ scenario: Scenario, _ feed: String, _ count: Int) async throws -> [String] {
            var ids: [String] = []
            for offset in stride(from: 0, to: count, by: 1_000) {
                let page = try await scenario.gantry(
                    "feed", "items", feed, "--offset", String(offset), "--limit", "1000", "--output", "json")
                ids += try page.items().compactMap { $0["id"] as? String }
            }
            return ids
        }
    }
}
