//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import Testing

@testable import GantryFeedLoaders
@testable import Loaders

@Suite("Reading a field")
struct FieldReaderTests {
    @Test(
        "a number is read as it was written, or refused: nothing changes without a word",
        arguments: [
            ("0", 0), ("-0", 0), ("12.50", 12.5), ("0.1", 0.1), ("3.14159265358979312", 3.141592653589793), ("1e-400", 0),
            ("9007199254740992", 0x1p53), ("9007199254740992.0", 0x1p53), ("9007199254740994e0", 0x1p53 + 2),
            ("1152921504606846976", 0x1p60), ("1152921504606847000", 0x1p60), ("-1.152921504606847e+18", -0x1p60),
            ("340282366920938463463374607431768211456", 0x1p128), ("3402823669209384634633746074317682114560e-1", 0x1p128),
            ("340282366920938500000000000000000000000", 0x1p128), ("1e22", 1e22), ("100000000000000000000000", 1e23), ("1E+300", 1e300),
        ] as [(String, Double)])
    func unchanged(written: String, value: Double) throws {
        for given in [JSONText.Value.number(written), .text(written)] {
            #expect(try FieldReader.read(given, as: .number) == .number(value))
        }
    }

    @Test(
        "a whole number that no double is near enough to is refused in every form",
        arguments: [
            "9007199254740993", "-9007199254740993", "9007199254740993.0", "9007199254740993e0", "900719925474099.3e1",
            "90071992547409930e-1", "1152921504606846977", "340282366920938463463374607431768211457",
            "1234567890123456789012345678901234567890123",
        ])
    func changed(written: String) {
        for given in [JSONText.Value.number(written), .text(written)] {
            let fault = #expect(throws: JSONFault.self) { try FieldReader.read(given, as: .number) }
            #expect(fault?.context.contains("is a whole number that would change") == true, "\(fault?.context ?? "-")")
        }
    }

    @Test(
        "a text is a number only where JSON would write it so",
        arguments: ["+9007199254740993", "+1", "0x20000000000001", "0x1", " 1", "1 ", "", "-", "01", "1.", ".5", "1e", "nan", "1e400"])
    func texts(written: String) {
        #expect(throws: JSONFault("is not a number")) { try FieldReader.read(.text(written), as: .number) }
    }

    @Test("an id that is a number keeps its digits")
    func ids() {
        #expect(FieldReader.id(.number("12")) == "12" && FieldReader.id(.number("1.0")) == "1" && FieldReader.id(.number("1e3")) == "1000")
        #expect(FieldReader.id(.number("9007199254740993")) == "9007199254740993")
        #expect(FieldReader.id(.number("9007199254740993.0")) == nil && FieldReader.id(.number("9007199254740993e0")) == nil)
    }

    @Test("a text in another encoding is told for what it is, at its place", arguments: ["id", "t", "icon", "n"])
    func notUTF8(name: String) throws {
        var mapping = ItemMapping(id: .at("/id"))
        mapping.title = .at("/t")
        mapping.icon = .at("/icon")
        mapping.fields = [.init(name: "n", path: .at("/n"), type: .number)]
        var body: [UInt8] = Array("{".utf8)
        for key in ["id", "t", "icon", "n"] {
            body += Array("\"\(key)\":\"".utf8) + (key == name ? [0x4D, 0xFC, 0x6C] : [0x31]) + Array("\",".utf8)
        }
        body.removeLast()
        let fault = #expect(throws: JSONFault.self) { try ItemMapper(mapping).item(from: body + [0x7D], position: 3) }
        let place = name == "id" ? "item 4" : "item 4 (id 1)"
        #expect(fault?.context.hasPrefix("\(place): /\(name) is not UTF-8") == true, "\(fault?.context ?? "-")")
    }
}
