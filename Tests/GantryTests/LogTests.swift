//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Logging
import Testing

@testable import gantry

@Suite struct LogTests {
    private let line = LogLine(
        at: Date(timeIntervalSince1970: 0.25), level: .info, label: "front", message: "loaded http://u:p@h/a?key=1#x\nnext",
        fields: ["worker": "7", "feed": "a b"])

    @Test("a record is one line without secrets of addresses")
    func text() {
        #expect(line.text == "1970-01-01T00:00:00.250Z info front: loaded http://…@h/a?…#x next feed=\"a b\" worker=7")
    }

    @Test("as JSON the fields stand beside the message")
    func json() throws {
        let object = try JSONSerialization.jsonObject(with: Data(line.json.utf8)) as? [String: String]
        #expect(object?["worker"] == "7" && object?["level"] == "info" && object?["at"] == "1970-01-01T00:00:00.250Z")
        #expect(object?["message"]?.contains("key") == false)
    }

    @Test("a password with an @ in it is taken out whole")
    func manyAts() {
        #expect(Redaction.apply(to: "x http://u:p@ss@w@host/a@b y") == "x http://…@host/a@b y")
    }

    @Test("text without an address is left as it is", arguments: ["plain", "a?b=c", "mail a@b.c"])
    func untouched(text: String) {
        #expect(Redaction.apply(to: text) == text)
    }
}
