//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import Testing

@testable import GantryFeedLoaders

@Suite("Cutting items out of JSON")
struct JSONScannerTests {
    private func scan(_ text: String, _ pointer: String?, partSize: Int) throws -> [String] {
        var scanner = JSONScanner(items: pointer.flatMap { JSONPointer($0) })
        var items: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: partSize) {
            try scanner.push(Array(bytes[start..<min(start + partSize, bytes.count)])) { items.append(String(decoding: $0, as: UTF8.self)) }
        }
        try scanner.finish()
        return items
    }

    @Test("the same items come out however the bytes arrive", arguments: [1, 2, 3, 7, 1_000])
    func parts(size: Int) throws {
        let text =
            #" {"x":[1,{"rows":[9]}],"a/b":[{"n":0},{"rows":[ {"k":"]}\"\\"} , [1,[2]],-1.5e+3,true , null,"s",7 ],"z":{}}],"q":"\u00e9"} "#
        #expect(try scan(text, "/a~1b/1/rows", partSize: size) == [#"{"k":"]}\"\\"}"#, "[1,[2]]", "-1.5e+3", "true", "null", "\"s\"", "7"])
        #expect(try scan("[]", "", partSize: size) == [])
        #expect(try scan(#"{"\u0061":[1]}"#, "/a", partSize: size) == ["1"])
        #expect(try scan(" 12 ", nil, partSize: size) == [])
    }

    @Test(
        "what is no JSON, or has no array there, is refused",
        arguments: [
            "", "[", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "[01]", "[1.]", "[+1]", "[\"\u{1}\"]", "[\"\\x\"]",
            "[\"\\u12g4\"]", "[nul]",
            "[]]", "[}", "{]", "[1]2", "{}", "1",
        ])
    func refused(text: String) {
        #expect(throws: JSONFault.self) { try scan(text, "", partSize: 1) }
        #expect(throws: JSONFault.self) { try scan(text, "", partSize: 100) }
        if text != "{}", text != "1" { #expect(throws: JSONFault.self) { try scan(text, nil, partSize: 100) } }
    }

    @Test("nesting is read 512 deep and no deeper, and an array at the pointer must be there once")
    func bounds() throws {
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(try scan(nested(512), "", partSize: 64).count == 1)
        #expect(throws: JSONFault.self) { try scan(nested(513), "", partSize: 64) }
        #expect(throws: JSONFault.self) { try scan(#"{"a":[],"a":[]}"#, "/a", partSize: 64) }
        #expect(throws: JSONFault.self) { try scan(#"{"a":{}}"#, "/a", partSize: 64) }
        #expect(throws: JSONFault.self) { try scan(#"{"b":[]}"#, "/a", partSize: 64) }
    }

    @Test("dates are read by RFC 3339 and nothing else is")
    func dates() {
        #expect(WallTime(readingRFC3339: "2026-11-21T10:30:00.5678+01:00")?.rfc3339 == "2026-11-21T09:30:00.567Z")
        #expect(WallTime(readingRFC3339: "2024-02-29t23:59:60z")?.rfc3339 == "2024-03-01T00:00:00.000Z")
        #expect(WallTime(readingRFC3339: "1969-12-31T23:59:59Z")?.milliseconds == -1_000)
        for text in ["2026-11-21", "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:30:00", "2026-11-21T10:30:00.Z", "x"] {
            #expect(WallTime(readingRFC3339: text) == nil)
        }
    }
}
