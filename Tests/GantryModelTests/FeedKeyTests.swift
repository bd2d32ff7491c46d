//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Feed keys")
struct FeedKeyTests {
    @Test("parameters are sorted and percent-encoded, and the text reads back")
    func roundTrip() throws {
        let key = try #require(FeedKey(name: "products", parameters: [.init(name: "z", value: "ä b"), .init(name: "a", value: "1&2")]))
        #expect(key.text == "products?a=1%262&z=%C3%A4%20b")
        #expect(FeedKey(text: key.text) == key)
        #expect(FeedKey(text: "products?z=%c3%a4%20b&a=1%262") == key)
        #expect(key.value(of: "z") == "ä b")
    }

    @Test(
        "malformed texts are refused",
        arguments: ["", "Products", "1a", "a?b", "a?b=%", "a?b=%zz", "a?b=1&b=2", "a?b=%ff", "a b", String(repeating: "a", count: 64)])
    func refused(text: String) {
        #expect(FeedKey(text: text) == nil)
    }

    @Test("a key in a command to type is one word of a shell")
    func shellWord() throws {
        #expect(try #require(FeedKey(text: "items")).shellWord == "items")
        #expect(try #require(FeedKey(text: "items?count=1&x=2")).shellWord == "'items?count=1&x=2'")
        #expect(ShellWord.of("/tmp/it's here") == "'/tmp/it'\\''s here'")
        #expect(ShellWord.of("") == "''")
    }

    @Test("a text of 400 bytes is the longest")
    func longest() {
        #expect(FeedKey(name: "a", parameters: [.init(name: "b", value: String(repeating: "x", count: 396))])?.text.utf8.count == 400)
        #expect(FeedKey(name: "a", parameters: [.init(name: "b", value: String(repeating: "x", count: 397))]) == nil)
    }

    @Test("a key of the greatest length is read though each byte of its value is spelled out")
    func spelledOut() {
        let value = String(repeating: "x", count: FeedKey.byteCountLimit - "p?a=".count)
        #expect(FeedKey(text: "p?a=" + String(repeating: "%78", count: value.count))?.value(of: "a") == value)
        #expect(FeedKey(text: "p?a=" + String(repeating: "%78", count: value.count + 1)) == nil)
    }
}
