//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import GantryModel

/// The one writer of JSON.
@Suite("JSON text")
struct JSONWriterTests {
    @Test("members and elements are divided by commas, at every depth")
    func nesting() {
        var json = JSONWriter()
        json.open("{")
        json.field("name", "todos")
        json.key("items")
        json.open("[")
        json.open("{")
        json.close("}")
        json.number(1.5)
        json.open("[")
        json.close("]")
        json.raw("null")
        json.close("]")
        json.field("count", -3)
        json.key("isKept")
        json.raw("true")
        json.close("}")
        #expect(json.text == #"{"name":"todos","items":[{},1.5,[],null],"count":-3,"isKept":true}"#)
    }

    @Test(
        "what JSON does not allow, a terminal does not show, or some readers take for the end of a line is escaped, nothing else",
        arguments: [
            ("\"quoted\" \\ /", #""\"quoted\" \\ /""#), ("a\n\r\tb", #""a\n\r\tb""#), ("\u{0}\u{1B}\u{7F}", #""\u0000\u001b\u007f""#),
            ("\u{2028}|\u{2029}", #""\u2028|\u2029""#), ("é è ¨ ©", "\"é è ¨ ©\""), ("\u{2027}\u{202A}", "\"\u{2027}\u{202A}\""),
            ("€ 日本 🚀", "\"€ 日本 🚀\""), ("", "\"\""),
        ])
    func strings(text: String, written: String) {
        var json = JSONWriter()
        json.string(text)
        #expect(json.text == written)
        json = JSONWriter()
        json.open("{")
        json.key(text)
        json.raw("0")
        json.close("}")
        #expect(json.text == "{\(written):0}")
    }

    @Test(
        "a whole number has no fraction where it is exact; what is none is null",
        arguments: [
            (0, "0"), (-0.0, "0"), (3, "3"), (-3, "-3"), (0.5, "0.5"), (9_007_199_254_740_991, "9007199254740991"),
            (9_007_199_254_740_992, "9007199254740992.0"), (1e300, "1e+300"), (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)])
    func numbers(value: Double, written: String) {
        var json = JSONWriter()
        json.number(value)
        #expect(json.text == written)
    }
}
