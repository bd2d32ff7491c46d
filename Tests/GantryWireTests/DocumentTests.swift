//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@Suite("The protocol document")
struct DocumentTests {
    @Test("its reserved words and numbers are used by nothing")
    func reserved() throws {
        let document = try ProtocolDocument.read()
        #expect(document.messages.count > 70 && document.enumerations.count == 8)
        let rows = try ProtocolDocument.rows(below: "| where | number | word | for |")
        #expect(rows.count > 10)
        for row in rows {
            let (place, number, word) = (row[0].trimmed(of: "`"), row[1], row[2].trimmed(of: "`"))
            if place == "topic" {
                #expect(Topic(word) == nil)
            } else if let fields = document.messages[place] {
                #expect(fields.allSatisfy { String($0.number) != number && $0.name != word }, "\(row)")
            } else {
                let values = try #require(document.enumerations[place], "\(row)")
                #expect(values.allSatisfy { !$0.hasPrefix("\(number) ") && !$0.hasSuffix(word) }, "\(row)")
            }
        }
    }

    @Test("its rows name each oneof as the contract does, for readers that ask by that name which of its fields is there")
    func choices() throws {
        let document = try ProtocolDocument.read()
        let text = try ProtocolDocument.text(of: "Protocol/gantry.proto")
        var expected: [String: [String]] = [:]
        for message in text.matches(of: /(?m)^message (?<title>\w+) \{\n(?<body>(?:.*\n)*?)\}/) {
            for choice in message.output.body.matches(of: /(?m)^  oneof (?<name>\w+)/) {
                expected[String(message.output.title), default: []].append(String(choice.output.name))
            }
        }
        #expect(expected.count == 12 && expected["Request"] == ["body"])
        let found = document.messages.mapValues { Set($0.compactMap(\.choice)).sorted() }.filter { !$0.value.isEmpty }
        #expect(found == expected)
    }

    @Test("its tables alone read every golden frame and write it again as it was")
    func both() throws {
        let codec = TableCodec(document: try ProtocolDocument.read())
        for golden in try Golden.all() where golden.kind != .entries {
            let tree = try codec.read(golden.kind.rawValue, golden.bytes)
            #expect(codec.write(tree) == golden.bytes, "\(golden.name)")
        }
    }

    @Test("every row of its tables is in a golden frame that our codec reads and writes")
    func coverage() throws {
        let document = try ProtocolDocument.read()
        let codec = TableCodec(document: document)
        var seen: Set<String> = []
        for golden in try Golden.all() where golden.kind != .entries {
            collect(try codec.read(golden.kind.rawValue, golden.bytes), into: &seen)
        }
        let rows = document.messages.flatMap { message, fields in fields.map { "\(message).\($0.name)" } }
        #expect(rows.filter { !seen.contains($0) }.sorted() == [])
    }

    private func collect(_ tree: TableCodec.Tree, into seen: inout Set<String>) {
        guard case .message(let name, let rows) = tree else { return }
        for row in rows {
            seen.insert("\(name).\(row.field.name)")
            for value in row.values { collect(value, into: &seen) }
        }
    }

    /// The words between backticks, in order.
    private func words(_ cell: String) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }

    @Test("each request has its replies and refusals, by the names of their fields and codes")
    func requests() throws {
        let document = try ProtocolDocument.read()
        func kinds(_ message: String) -> Set<String> {
            Set(document.messages[message, default: []].filter(\.isChoice).map(\.name))
        }
        let rows = try ProtocolDocument.rows(below: "| request | replies | refused with |")
        #expect(rows.flatMap { words($0[0]) }.sorted() == kinds("Request").union(["submit"]).sorted())
        let codes = Set(try ProtocolDocument.codes())
        #expect(codes.count >= 21)
        for row in rows {
            #expect(!kinds("Reply").isDisjoint(with: words(row[1])), "\(row[0]) has no reply")
            #expect(!codes.isDisjoint(with: words(row[2])), "\(row[0]) has no refusal")
        }
    }

    @Test("its codes are the model's")
    func codes() throws {
        let codes = try ProtocolDocument.codes()
        #expect(codes.count >= 21 && codes == FailureCode.known.map(\.rawValue))
    }

    @Test("each topic has a row, and each kind of item is one's")
    func topics() throws {
        let rows = try ProtocolDocument.rows(below: "| topic | items |")
        let topics = rows.flatMap { words($0[0]) }
        #expect(Set(topics).subtracting(["feed/KEY", "view/KEY/NAME", "job/ID"]) == Set(FrontTopic.allCases.map(\.rawValue)))
        #expect(topics.count == FrontTopic.allCases.count + 3)
        let items = try ProtocolDocument.read().messages["Item", default: []].map(\.name)
        #expect(items.filter { item in !rows.contains { words($0[1]).contains { $0 == item || $0.hasPrefix(item + "/") } } } == [])
    }

    @Test("its enumerations are the model's")
    func enumerations() throws {
        let document = try ProtocolDocument.read()
        let states = JobState.allCases.map { "\($0.rawValue) JOB_STATE_\($0.name.uppercased())" }
        #expect(document.enumerations["JobState"] == states)
        let operations = (0...5).compactMap { FeedOperation(rawValue: $0) }
        #expect(document.enumerations["FeedOperation"] == operations.map { "\($0.rawValue) FEED_OPERATION_\($0.name.uppercased())" })
        let causes = (0...4).compactMap { LoadCause(rawValue: $0) }
        #expect(document.enumerations["LoadCause"] == causes.map { "\($0.rawValue) LOAD_CAUSE_\($0.name.uppercased())" })
    }

    @Test("its vectors of XXH64 hold")
    func hashes() throws {
        let rows = try ProtocolDocument.rows(below: "| text | XXH64 |")
        #expect(rows.count == 3)
        for row in rows {
            let text = row[0] == "(empty)" ? "" : row[0].trimmed(of: "`")
            #expect(TopicChecksum(XXH64.hash(Array(text.utf8))).description == row[1].trimmed(of: "`"))
        }
    }

    @Test("the bytes that it prints for its longest vector are the golden ones", arguments: ["item-feed", "item-progress"])
    func printed(name: String) throws {
        let golden = try Golden(name).bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
        let printed = try ProtocolDocument.blocks(in: "## 7. Checksum").map { $0.joined() }
        #expect(printed.count == 2 && printed.contains(golden), "\(name): \(golden)")
    }

    @Test("its vectors of topic checksums hold")
    func digests() throws {
        let items: [[([UInt8], [UInt8])]] = [
            [], [(Array("counts".utf8), [8, 1])], [(Array("counts".utf8), [8, 1]), (Array("job/42".utf8), [])],
            [
                (Array("feed".utf8), try Golden("item-feed").bytes), (Array("progress".utf8), try Golden("item-progress").bytes),
            ],
        ]
        let rows = try ProtocolDocument.rows(below: "| items (key: value) | checksum |")
        #expect(rows.count == items.count)
        for (row, items) in zip(rows, items) {
            var digest = TopicChecksum()
            for (key, value) in items { digest.add(key: key, value: value) }
            #expect(digest.description == row[1].trimmed(of: "`"))
        }
    }
}

extension String {
    fileprivate func trimmed(of character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}
