//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedSettings
import GantryModel
import GantrySettings
import TestSupport
import Testing

@Suite struct ConfigurationTextTests {
    private let languages = """
        version: 1
        http: { allow: ["127.0.0.1:*"], max-body: 64MiB, timeout: { connect: 5s, idle: 15s, total: 60s } }
        feeds:
          languages:
            source: { http: { url: "http://127.0.0.1:8000/iso_639-3.json", items: "/639-3" } }   # JSON Pointer, RFC 6901
            parameters: {}
            item: { id: /alpha_3, title: /name, fields: { scope: { path: /scope, type: string } } }
            detail: item
            policy: network
            screen: list
        """

    @Test("the format of the documents is read as written")
    func format() throws {
        let configuration = try GantryConfiguration(yaml: languages)
        #expect(configuration.allow.map(\.address.description) == ["127.0.0.1:*"])
        #expect(configuration.http == HTTPLimits())
        let feed = try #require(configuration.feeds.first)
        #expect(feed.definition.name == "languages")
        #expect(feed.definition.sourceLoader == "http")
        #expect(feed.definition.fields == ["scope"])
        #expect(!feed.definition.hasOwnDetails)
        #expect(feed.settings.httpSource?.items.tokens == ["639-3"])
        #expect(feed.settings.item.title?.description == "/name")
        #expect(try LoaderSettings(json: feed.definition.settings) == feed.settings)
    }

    @Test("the longest time and the largest size that can be are taken")
    func greatest() throws {
        let http = try GantryConfiguration(yaml: "version: 1\nhttp: { max-body: 1024GiB, timeout: { total: 365d } }").http
        #expect(http.maxBodyBytes == 1 << 40 && http.totalTimeout == .seconds(31_536_000))
    }

    @Test("the sample is read, and equals deploy/gantry.yaml")
    func sample() throws {
        #expect(try CheckoutFolder.text("deploy/gantry.yaml") == BuiltInSample.yaml)
        let sample = try GantryConfiguration(yaml: BuiltInSample.yaml(origin: "127.0.0.1:5000"))
        #expect(sample.definitions.map(\.name) == ["items", "products", "todos"])
        #expect(sample.allow.map(\.address.description) == ["127.0.0.1:5000"])
        #expect(sample.feeds[2].definition.isEditable && sample.feeds[2].definition.loadsOnAttach)
        #expect(sample.feeds[2].definition.defaultSort == SortOrder(field: "createdAt", ascending: true))
        #expect(try sample.feeds[1].settings.detail?.expanded { $0 == "id" ? "7" : nil } == "http://127.0.0.1:5000/products/7")
    }

    @Test(
        "a mistake is named with its line and the next step",
        arguments: [
            ("version: 1\nfeed: {}", "2: unknown key \"feed\" in the configuration; did you mean \"feeds\"?"),
            ("feeds: {}", "1: the version is missing; begin the file with \"version: 1\""),
            ("version: 2", "1: version \"2\" is not known; this gantry reads version 1"),
            ("version: 1\nversion: 1", "the key \"version\" is given twice; remove one"),
            ("version: 1\nhttp:\n  max-body: 64", "3: http.max-body \"64\" has no unit: write for example 64KiB or 1MiB"),
            ("version: 1\nhttp:\n  timeout: { idle: 15 }", "3: http.timeout.idle \"15\" has no unit: write for example 250ms or 5s"),
            (
                "version: 1\nhttp:\n  timeout: { total: 0s }",
                "3: http.timeout.total \"0s\" is not between 1ms and 365d: write for example 250ms"
            ),
            (
                "version: 1\nhttp:\n  timeout: { total: soon }",
                "3: http.timeout.total \"soon\" is not a whole number and a unit: write for example 250ms"
            ),
            (
                "version: 1\nhttp: { timeout: { total: 99999999999d } }",
                "2: http.timeout.total \"99999999999d\" is not between 1ms and 365d: write for example 250ms or 5s"
            ),
            ("version: 1\nhttp:\n  timeout: { connect: 366d }", "3: http.timeout.connect \"366d\" is not between 1ms and 365d"),
            ("version: 1\nhttp:\n  timeout: { idle: 99999999999999999999999s }", "s\" is not between 1ms and 365d"),
            ("version: 1\nhttp:\n  max-body: 9999999999GiB", "3: http.max-body \"9999999999GiB\" is not between 1B and 1024GiB"),
            ("version: 1\nhttp:\n  max-body: GiB", "3: http.max-body \"GiB\" is not a whole number and a unit"),
            ("version: 1\nfeeds:\0\n  a: {}", "2: there is a zero byte, which no value may have; remove it"),
            ("version: 1\nslots: 2\ndata: \"a\\0b\"", "3: there is a zero byte, which no value may have; remove it"),
            ("version: 1\nhttp:\n  timeout:\n    idel: 15s", "4: unknown key \"idel\" in http.timeout; did you mean \"idle\"?"),
            ("version: 1\nworkers: 0", "2: workers is \"0\": write a number from 1 to 256"),
            ("version: 1\nslots: 65", "2: slots is \"65\": write a number from 1 to 64"),
            ("version: 1\nhttp: { allow: [localhost] }", "2: \"localhost\" in http.allow is no address"),
            ("version: 1\nfeeds:\n  a: { editable: true, item: { title: /t } }", "3: the item of feed a has no id"),
            ("version: 1\nfeeds:\n  A: {}", "3: the feed \"A\" needs another name"),
            ("version: 1\nfeeds:\n  a: { item: { id: /id } }", "3: feed a can never have content"),
            ("version: 1\nfeeds:\n  a: { item: { id: id }, editable: true }", "3: item.id \"id\" is no JSON Pointer"),
            (
                "version: 1\nfeeds:\n  a:\n    item: { id: /id }\n    source: { http: { url: \"http://h/{x}\", items: /i } }",
                "5: the url of feed a uses {x}, which is no parameter of it"
            ),
            (
                "version: 1\nfeeds:\n  a:\n    item: { id: /id }\n    source: { http: { url: \"http://{x}/\", items: /i } }",
                "5: the url \"http://{x}/\" has a name in its host or port, so any client could choose the server"
            ),
            (
                "version: 1\nfeeds:\n  a:\n    item: { id: /id }\n    editable: true\n    detail: \"http://h/{id}\"",
                "6: feed a is editable, and its source knows nothing of items made by hand: write \"detail: item\""
            ),
            ("version: 1\nfeeds:\n  null: {}", "3: a key is nothing in YAML: write null and ~ in quotes where they are names"),
            ("version: 1\nhttp: &a {}", "2: anchors (&) and aliases (*) are not allowed"),
            ("version: 1\nslots: !!int 2", "2: tags (!) are not allowed; write quotes where a text is meant"),
            ("version: 1\nfeeds: [", "not valid YAML"),
            ("version: 1\nfeeds:\n\ta: {}", "3: a tab stands here, which YAML does not take there: write spaces"),
            ("version: 1\ndata: \"/srv\nslots: 2\n", "2: the quote that begins here does not end: close it"),
            ("version: 1\ndata: '/srv\nslots: 2\n", "2: the quote that begins here does not end: close it"),
            ("version: 1\nhttp: { allow: \"h:1\" }", "2: http.allow must be a list: write for example allow: [\"127.0.0.1:8000\"]"),
            ("version: 1\nhttp: { timeout: 60s }", "of keys to values: write for example timeout: { total: 60s }"),
            ("version: 1\nhttp: no", "2: http must be a mapping of keys to values: write for example http: { max-body: 64MiB }"),
            ("version: 1\nfeeds: a", "write for example feeds: { todos: { editable: true, item: { id: /id } } }"),
            ("version: 1\n---\nfeeds: {}", "a second YAML document begins here: put everything into one, and remove the line ---"),
            ("version: 1\nfeeds:\n  a: { item: { id: /id }, editable: true, sort: { by: price } }", "3: sort.by \"price\" is not known"),
        ] as [(String, String)])
    func mistakes(yaml: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: yaml) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "none")")
    }

    @Test(
        "what contradicts itself, or makes all details one, is refused with its line",
        arguments: [
            ("parameters: { p: { default: \"\", required: true } }", "the parameter p of feed a is required and has an empty default"),
            ("detail: \"http://h/one\"", "the detail of feed a has no {id}"),
        ])
    func contradictions(line: String, message: String) {
        let yaml = "version: 1\nfeeds:\n  a:\n    item: { id: /id }\n    source: { http: { url: \"http://h/a\" } }\n    \(line)"
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: yaml) }
        #expect(error?.description.contains("6: \(message)") == true, "\(error?.description ?? "none")")
    }

    @Test(
        "an address whose host or port cannot be is refused where it is read, and a password in it is not shown",
        arguments: [
            ("http://h:99999/a", "has the port \"99999\": a port is 1 to 65535"), ("http://h:0/", "has the port \"0\""),
            ("https://h:x", "has the port \"x\""), ("http://[::1]8/", "has the port \"8\""), ("http://h:/", "has the port \"\""),
            ("http://user:secret@h/a", "has a user or password in it"), ("http://secret@h:80?b=c", "has a user or password in it"),
            ("http:///a", "names no host"), ("http://:80/", "names no host"), ("http://[]/", "names no host"),
            ("http://[::1/a", "names no host"),
            ("http://h/a#b", "has a #, and no server is asked for what stands behind it: remove it and what follows"),
            ("http://h/a b", "has a space in it: write %20"),
        ])
    func authority(url: String, message: String) {
        let yaml = "version: 1\nfeeds:\n  a:\n    item: { id: /id }\n    source: { http: { url: \"\(url)\" } }"
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: yaml) }
        #expect(error?.description.contains("5: the url of feed a \(message)") == true, "\(error?.description ?? "none")")
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "a value of a feed that has no keys is answered with one that has them",
        arguments: [
            ("source: x", "source of feed a", "source: { http: { url: \"http://127.0.0.1:8000/list.json\" } }"),
            ("source: { http: x }", "source.http of feed a", "http: { url: \"http://127.0.0.1:8000/list.json\" }"),
            ("parameters: [q]", "parameters of feed a", "parameters: { category: {} }"),
            ("parameters: { q: x }", "parameter q", "q: { default: all }"),
            ("item: x", "item of feed a", "item: { id: /id, title: /name }"),
            ("item: { id: /id, fields: [x] }", "item.fields", "fields: { people: { path: /people, type: number } }"),
            ("item: { id: /id, fields: { price: /price } }", "field price", "price: { path: /price, type: number }"),
            ("item: { id: /id }\n    sort: title", "sort of feed a", "sort: { by: title }"),
        ])
    func examples(line: String, what: String, example: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try GantryConfiguration(yaml: "version: 1\nfeeds:\n  a:\n    editable: true\n    \(line)")
        }
        #expect(
            error?.context == "\(what) must be a mapping of keys to values: write for example \(example)", "\(error?.description ?? "none")"
        )
    }

    @Test(
        "a name that is none is answered with the rule, and with the name that is most like it",
        arguments: [
            ("unitPrice", ", for example unit-price"), ("URL", ", for example url"), ("unit_price", ", for example unit-price"),
            ("größe", ""), ("1st", ""),
        ])
    func names(name: String, example: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try GantryConfiguration(
                yaml: "version: 1\nfeeds:\n  a: { editable: true, item: { id: /id, fields: { \(name): { path: /x } } } }")
        }
        #expect(error?.context.hasSuffix("small letters, digits and hyphens\(example)") == true, "\(error?.description ?? "none")")
    }

    @Test("hosts of every form, with and without a port, are read", arguments: ["h", "h:1", "127.0.0.1:65535", "[::1]", "[::1]:80"])
    func hosts(host: String) throws {
        for end in ["", "/", "/a@b:c", "?x=@:0"] { #expect(try #require(URLTemplate("http://\(host)\(end)")).authorityFault == nil) }
    }

    @Test("aliases of aliases as a key are refused at once instead of keeping the reader busy for ever", .timeLimit(.minutes(5)))
    func aliasBomb() {
        var text = "version: 1\na0: &a0 [x, x]\n"
        for level in 1..<40 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: text + "? *a39\n: 1\n? *a38\n: 2\n") }
        #expect(error?.context.contains("aliases (*) are not allowed") == true)
    }

    @Test("stars in comments and in the middle of values are no aliases")
    func stars() throws {
        let text = "version: 1\n" + String(repeating: "# *a *b *c\n", count: 20) + "http: { allow: [\"127.0.0.1:*\", \"[::1]:*\"] }\n"
        #expect(try GantryConfiguration(yaml: text).allow.count == 2)
    }

    @Test("addresses on the allow-list mean one host, and one port or any")
    func allowed() {
        #expect(AllowedAddress("127.0.0.1:*")?.allows(host: "127.0.0.1", port: 80) == true)
        #expect(AllowedAddress("127.0.0.1:81")?.allows(host: "127.0.0.1", port: 80) == false)
        #expect(AllowedAddress("[::1]:*")?.allows(host: "[::1]", port: 80) == true)
        #expect(AllowedAddress("Host:80")?.allows(host: "host", port: 80) == true)
        for text in [
            "host", ":80", "host:0", "host:x", "*:80", "::1:80", "a b:1", "host:+80", "host:-0", "host:", "host:65536", "[::1:1", "h]:1",
            "u@host:1", "a/b:1",
        ] {
            #expect(AllowedAddress(text) == nil)
        }
    }
}
