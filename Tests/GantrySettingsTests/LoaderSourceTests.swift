//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import GantrySettings
import Testing

@Suite("A loader of one's own as the source of a feed")
struct LoaderSourceTests {
    private func feed(_ lines: String) throws(ConfigurationError) -> ConfiguredFeed? {
        let indented = lines.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n")
        return try GantryConfiguration(yaml: "version: 1\nfeeds:\n  a:\n" + indented).feeds.first
    }

    private func settings(_ yaml: String) throws -> String? {
        try feed("source: { loader: cities, settings: \(yaml) }")?.settings.loaderSource?.settings
    }

    @Test("a name is enough; the front gets the name, the loader an empty object")
    func least() throws {
        let feed = try #require(try feed("source: { loader: cities }"))
        #expect(feed.definition.sourceLoader == "cities" && !feed.definition.hasOwnDetails && feed.definition.fields.isEmpty)
        #expect(feed.settings.source == .loader(LoaderSource(name: "cities", settings: "{}", givesDetails: false)))
        #expect(feed.addresses.isEmpty)
        #expect(try LoaderSettings(json: feed.definition.settings) == feed.settings)
        #expect(try settings("~") == "{}")
    }

    @Test("with parameters, fields of a type, a sort by one of them, details by the loader; an editable feed has items for details")
    func all() throws {
        let feed = try #require(
            try feed(
                """
                source: { loader: cities, settings: { country: de } }
                parameters: { size: { default: large } }
                item: { fields: { population: { type: number }, river: {} } }
                detail: loader
                sort: { by: population, order: descending }
                """))
        #expect(feed.definition.hasOwnDetails && feed.settings.loaderSource?.givesDetails == true)
        #expect(feed.definition.fields == ["population", "river"])
        #expect(feed.settings.item == ItemMapping(written: [("population", .number), ("river", .string)]))
        #expect(feed.definition.defaultSort == SortOrder(field: "population", ascending: false))
        #expect(feed.definition.parameters.map(\.name) == ["size"])
        let editable = try #require(try self.feed("source: { loader: cities }\neditable: true\ndetail: item\nload-on-attach: true"))
        #expect(editable.definition.isEditable && editable.definition.loadsOnAttach && !editable.definition.hasOwnDetails)
    }

    @Test(
        "settings become JSON: numbers and truth values without quotes are what they look like, all else is text",
        arguments: [
            ("{}", "{}"), ("{ b: 1, a: [true, false, x] }", #"{"b":1,"a":[true,false,"x"]}"#),
            ("{ n: [0, -1.5, 1e3, -0.25E-2, 1e-999] }", #"{"n":[0,-1.5,1e3,-0.25E-2,1e-999]}"#),
            ("{ t: [\"1e999\", '! x'], \"k\": 'v' }", #"{"t":["1e999","! x"],"k":"v"}"#),
            (
                "{ t: [\"1\", 'true', 007, +1, .5, 1_000, 0x10, True, yes, 2026-11-25] }",
                #"{"t":["1","true","007","+1",".5","1_000","0x10","True","yes","2026-11-25"]}"#
            ),
            ("{ nothing: , also: null, text: \"null\" }", #"{"nothing":null,"also":null,"text":"null"}"#),
            (#"{ deep: { a: { b: [[{ c: "ü\n\"" }]] } } }"#, #"{"deep":{"a":{"b":[[{"c":"ü\n\""}]]}}}"#),
            ("{ 1: one, true: yes }", #"{"1":"one","true":"yes"}"#),
        ])
    func json(yaml: String, json: String) throws {
        #expect(try settings(yaml) == json)
    }

    @Test("a key that is given twice is refused, with and without quotes", arguments: ["{ a: 1, a: 2 }", "{ a: 1, \"a\": 2 }"])
    func twice(yaml: String) {
        let error = #expect(throws: ConfigurationError.self) { try settings(yaml) }
        #expect(error?.description.contains("the key \"a\" is given twice; remove one") == true, "\(error?.description ?? "none")")
    }

    @Test("settings have a bound in bytes")
    func bound() throws {
        let longest = String(repeating: "x", count: LoaderSource.settingsByteCount - #"{"a":""}"#.utf8.count)
        #expect(try settings("{ a: \(longest) }")?.utf8.count == LoaderSource.settingsByteCount)
        let error = #expect(throws: ConfigurationError.self) { try settings("{ a: \(longest)x }") }
        #expect(
            error?.description
                == "4: source.settings of feed a have 16385 bytes as JSON (limit 16384): put what is long into a file, and its path here")
    }

    @Test(
        "a mistake is named with its line and the next step",
        arguments: [
            ("source: { loader: Cities }", "4: the loader \"Cities\" needs another name: a small letter, then up to 62"),
            ("source: { loader: http }", "4: the loader http of feed a needs an address: write source: { http: { url: … } }"),
            ("source: { loader: list }", "4: the loader list comes with Gantry and gives feed a no items: name a loader of your own"),
            ("source: { loader: noop }", "4: the loader noop comes with Gantry"),
            ("source: { loader: sleep }", "4: the loader sleep comes"),
            ("source: { loader: [a] }", "4: source.loader of feed a must be one value"),
            ("source: { loader: cities, settings: 7 }", "4: source.settings of feed a must be a mapping of keys to values"),
            ("source: { loader: cities, settings: [7] }", "4: source.settings of feed a must be a mapping of keys to values"),
            ("source: { settings: {} }", "4: the source of feed a has settings and no loader: write source: { loader: NAME"),
            (
                "source: { loader: cities, http: { url: \"http://h\" } }",
                "4: the source of feed a is http and a loader: leave one of the two out"
            ),
            ("source: { loader: cities, url: x }", "4: unknown key \"url\" in source of feed a"),
            (
                "source: { loader: cities }\nitem: { id: /id }",
                "5: the loader cities of feed a writes whole items, so item.id says nothing: leave it out"
            ),
            (
                "source: { loader: cities }\nitem:\n  fields:\n    size: { path: /size }",
                "7: the loader cities of feed a writes the field size itself: leave its path out"
            ),
            ("source: { loader: cities }\nitem: { fields: { size: { type: large } } }", "5: type \"large\" is not known; choose string"),
            ("source: { loader: cities }\nitem: { fields: { title: {} } }", "5: the field \"title\" is a part of every item"),
            ("source: { loader: cities }\nitem: { fields: { origin: {} } }", "5: the field \"origin\" is a part of every item"),
            ("source: { loader: cities }\nsort: { by: size }", "5: sort.by \"size\" is not known; choose id, title, createdAt, dueAt"),
            (
                "source: { loader: cities }\ndetail: \"http://h/{id}\"",
                "5: the detail of feed a is \"http://h/{id}\", and its source is the loader cities: write \"detail: item\" or"
            ),
            (
                "source: { loader: cities }\neditable: true\ndetail: loader",
                "6: feed a is editable, and its source knows nothing of items made by hand: write \"detail: item\""
            ),
            (
                "source:\n  loader: cities\n  settings:\n    zip: !!str 12345",
                "7: tags (!) are not allowed; write quotes where a text is meant"
            ),
            ("source:\n  loader: cities\n  settings:\n    a: 1\n    !x k: 2\n    k: 3", "8: tags (!) are not allowed"),
            ("source:\n  loader: cities\n  settings:\n    a: !x [1]", "7: tags (!) are not allowed"),
            ("source: { loader: cities, settings: { a: !!map {} } }", "4: tags (!) are not allowed"),
            (
                "source:\n  loader: cities\n  settings:\n    a:\n      - 1\n      - 1e999",
                "9: the number 1e999 in source.settings of feed a is too large: write a smaller one, or quotes for a text"
            ),
            ("source: { loader: cities, settings: { a: { b: -1e999 } } }", "4: the number -1e999 in source.settings of feed a"),
            (
                "editable: true\nitem: { id: /id, title: /t }",
                "5: feed a has no source, and items made by hand have their title at /title: write /title for item.title, or leave it out"
            ),
            (
                "editable: true\nitem: { id: /nr }",
                "5: feed a has no source, and items made by hand have their id at /id: write /id for item.id"
            ),
            (
                "editable: true\nitem: { id: /id, dueAt: /due }",
                "5: feed a has no source, and items made by hand have their dueAt at /dueAt: write /dueAt for item.dueAt, or leave it out"
            ),
            (
                "editable: true\nitem: { id: /id, fields: { size: { path: /data/size } } }",
                "5: feed a has no source, and items made by hand have their size at /size: write /size for item.fields.size.path"
            ),
            ("source: none\neditable: true", "3: feed a has no item; say at least \"item: { id: /id }\""),
        ])
    func mistakes(lines: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(lines) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "none")")
    }
}
