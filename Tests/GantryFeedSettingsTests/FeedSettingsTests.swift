//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import Testing

@Suite struct FeedSettingsTests {
    @Test(
        "pointers are read as in RFC 6901, section 5",
        arguments: [
            ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]), ("/m~0n", ["m~n"]), ("/~01", ["~1"]),
        ] as [(String, [String])])
    func pointers(text: String, tokens: [String]) {
        #expect(JSONPointer(text)?.tokens == tokens)
        #expect(JSONPointer(text)?.description == text)
    }

    @Test("what is no pointer is refused", arguments: ["foo", "/a~", "/a~2", "#/a"])
    func noPointers(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test("an array index has no leading zero and no sign")
    func indexes() {
        #expect(["0", "10", "01", "-1", "", "a"].map(JSONPointer.index) == [0, 10, nil, nil, nil, nil])
    }

    @Test(
        "values are percent-encoded in templates, missing ones vanish",
        arguments: [
            ("{var}", "value"), ("{hello}", "Hello%20World%21"), ("a{missing}b", "ab"), ("/{var}/x{umlaut}", "/value/x%C3%BC"),
        ])
    func templates(text: String, expansion: String) throws {
        let values = ["var": "value", "hello": "Hello World!", "umlaut": "ü"]
        #expect(try URLTemplate(text)?.expanded { values[$0] } == expansion)
    }

    @Test(
        "a value that makes a whole segment of the path a dot or two is refused, however the dots come about",
        arguments: ["/a/{p}/x", "/a/{p}", "/{q}{q}/x", "/.{q}/x", "/%2E{q}/x", "/{p}?a=1", "/{q}{missing}#x"])
    func dots(path: String) throws {
        let template = try #require(URLTemplate("http://user:secret@h:1" + path))
        let values = ["p": "..", "q": "."]
        let error = #expect(throws: URLTemplateError.self) { try template.expanded { values[$0] } }
        #expect(error?.description.contains("choose another value") == true && error?.description.contains("secret") == false)
    }

    @Test(
        "dots elsewhere, and those that the configuration itself writes, are left alone",
        arguments: [
            ("/{p}x/y", "/..x/y"), ("/a?b={p}", "/a?b=.."), ("/../{q}a", "/../.a"), ("/{p}{q}", "/..."), ("/a{p}/#{p}", "/a../#.."),
        ])
    func harmlessDots(path: String, expansion: String) throws {
        let values = ["p": "..", "q": "."]
        #expect(try URLTemplate("http://h" + path)?.expanded { values[$0] } == "http://h" + expansion)
    }

    @Test(
        "a name in host or port is told from one in the path",
        arguments: [
            ("http://{h}/x", true), ("http://h:{p}/x", true), ("{scheme}://h/x", true), ("http://h{p}", true), ("http://h/{p}", false),
            ("http://h?{p}", false), ("http://h/x", false),
        ])
    func authority(text: String, isThere: Bool) throws {
        #expect(try #require(URLTemplate(text)).hasNameInAuthority == isThere)
    }

    @Test("templates of higher levels and lone braces are refused", arguments: ["{+var}", "{", "a}", "{}", "{a,b}", "{a{b}}"])
    func noTemplates(text: String) {
        #expect(URLTemplate(text) == nil)
    }

    @Test("settings survive their JSON text, which is always the same")
    func settings() throws {
        let url = try #require(URLTemplate("http://127.0.0.1:7711/todos?p={p}"))
        let items = try #require(JSONPointer("/todos"))
        var item = ItemMapping(id: try #require(JSONPointer("/id")))
        item.fields = [.init(name: "price", path: try #require(JSONPointer("/price")), type: .number)]
        let settings = LoaderSettings(source: .http(HTTPSource(url: url, items: items)), item: item)
        let json = try settings.json()
        #expect(try LoaderSettings(json: json) == settings)
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"http":{"connectTimeoutSeconds":5,"idleTimeoutSeconds":15,"maxBodyBytes":67108864,"totalTimeoutSeconds":60},\
                "item":{"fields":[{"name":"price","path":"/price","type":"number"}],"id":"/id"},\
                "source":{"http":{"items":"/todos","url":"http://127.0.0.1:7711/todos?p={p}"}}}
                """)
    }

    @Test("so do those of a feed whose items a loader writes")
    func loaderSettings() throws {
        let source = LoaderSource(name: "cities", settings: #"{"country":"de"}"#, givesDetails: true)
        let settings = LoaderSettings(source: .loader(source), item: ItemMapping(written: [("size", .number)]))
        let json = try settings.json()
        #expect(try LoaderSettings(json: json) == settings)
        #expect(settings.loaderSource == source && settings.httpSource == nil)
        #expect(
            String(decoding: json, as: UTF8.self).hasSuffix(
                #""source":{"loader":{"givesDetails":true,"name":"cities","settings":"{\"country\":\"de\"}"}}}"#))
    }
}
