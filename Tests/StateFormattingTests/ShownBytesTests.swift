//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import StateFormatting

@Suite("Bytes for people")
struct ShownBytesTests {
    private func line(_ bytes: [UInt8]) -> String? { ShownBytes.line("result", bytes, byteCount: UInt64(bytes.count)) }

    @Test(
        "text stands there as it is; with a line break, a control character or bytes that are no text it is escaped, and the label says so",
        arguments: [
            ("a b", "  result: a b"), (#"{"a":"x\n"}"#, #"  result: {"a":"x\n"}"#), ("größe 👩‍🚀", "  result: größe 👩‍🚀"),
            ("a\nb\r\n\tc", #"  result, escaped: "a\nb\r\n\tc""#), ("\u{1B}[2J\\", #"  result, escaped: "\u{1b}[2J\\""#),
            ("say \"x\"\n", #"  result, escaped: "say \"x\"\n""#), ("a\u{202E}b", #"  result, escaped: "a\u{202e}b""#),
        ])
    func texts(text: String, shown: String) {
        #expect(line(Array(text.utf8)) == shown)
    }

    @Test("no byte is lost where it is no text, be it between characters, cut off, or the last one")
    func bytes() {
        #expect(line([0xFF, 0x61, 0xC3, 0xA9, 0x05, 0x80]) == #"  result, escaped: "\xffaé\u{5}\x80""#)
        #expect(line([0xE2, 0x82]) == #"  result, escaped: "\xe2\x82""#)
        #expect(line([0xC0, 0x80, 0x0A]) == #"  result, escaped: "\xc0\x80\n""#)
        #expect(line([]) == nil)
    }

    @Test("of a long one the first 200 bytes are shown, whole characters of it, and how many there are")
    func long() {
        let letters = String(repeating: "a", count: 198)
        #expect(line(Array((letters + "bc").utf8)) == "  result: \(letters)bc")
        #expect(line(Array((letters + "bcd").utf8)) == "  result, the first 200 of 201 bytes: \(letters)bc")
        #expect(line(Array((letters + "€uro").utf8)) == "  result, the first 198 of 204 bytes: \(letters)")
        #expect(line(Array((letters + "\n\n\n").utf8)) == "  result, the first 200 of 201 bytes, escaped: \"\(letters)\\n\\n\"")
        #expect(line(Array(repeating: 0x80, count: 300))?.hasPrefix(#"  result, the first 200 of 300 bytes, escaped: "\x80"#) == true)
        #expect(ShownBytes.line("argument", [], byteCount: 70_000) == "  argument: 70000 bytes, too many to be sent with the rest")
    }
}
