//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport

/// The tables of `Protocol/PROTOCOL.md`, which `Scripts/tables` makes.
struct ProtocolDocument {
    /// A row of a message's table.
    struct Field: Hashable {
        let number: Int
        let name: String
        /// Without `optional`, `repeated`, and `oneof` with its name.
        let type: String
        let isRepeated: Bool
        /// Whether it is written even when it is 0 or empty.
        let hasPresence: Bool
        /// The name of those of which a message has at most one, if it is one of them.
        let choice: String?
        var isChoice: Bool { choice != nil }
    }

    /// The rows of each message's table, in order.
    var messages: [String: [Field]] = [:]
    /// Value and name of each row of an enumeration's table.
    var enumerations: [String: [String]] = [:]

    /// Reads the tables below headings of the fourth level.
    static func read() throws -> ProtocolDocument {
        var document = ProtocolDocument()
        var title = ""
        for line in try lines(of: "Protocol/PROTOCOL.md") {
            if line.hasPrefix("#") {
                title = line.hasPrefix("#### ") ? String(line.dropFirst(5)) : ""
                if !title.isEmpty { document.messages[title] = [] }
            }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            guard !title.isEmpty, line.hasPrefix("| "), cells.count >= 3, let number = Int(cells[0]) else { continue }
            if cells.count == 3 {
                document.messages[title] = nil
                document.enumerations[title, default: []].append("\(number) \(cells[1])")
            } else {
                document.messages[title]?.append(Field(number: number, name: cells[1], declaration: cells[2]))
            }
        }
        return document
    }

    /// Rows of a table whose heading begins so: the cells of each.
    static func rows(below heading: String) throws -> [[String]] {
        let all = try lines(of: "Protocol/PROTOCOL.md")
        guard let start = all.firstIndex(where: { $0.hasPrefix(heading) }) else { return [] }
        return all[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The texts between fences of a section, line by line.
    static func blocks(in heading: String) throws -> [[String]] {
        let section = try lines(of: "Protocol/PROTOCOL.md").drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("## ") }
        return section.split(omittingEmptySubsequences: false) { $0.hasPrefix("```") }.enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { Array($0.element) }
    }

    /// The codes that a failure may have, as section 5 lists them.
    static func codes() throws -> [String] {
        try rows(below: "| code | meaning |").map { $0[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")) }
    }

    /// A file of the repository.
    static func text(of path: String) throws -> String { try CheckoutFolder.text(path) }

    private static func lines(of path: String) throws -> [String] { try text(of: path).components(separatedBy: "\n") }
}

extension ProtocolDocument.Field {
    init(number: Int, name: String, declaration: String) {
        let words = declaration.split(separator: " ").map(String.init)
        let scalars: Set<String> = [
            "fixed64", "uint32", "uint64", "int64", "bool", "double", "string", "bytes", "LoadCause", "JobState",
            "FeedOperation", "Repeatable", "CancelStep", "Decision",
        ]
        let type = words.last ?? ""
        self.init(
            number: number, name: name, type: type, isRepeated: words.first == "repeated",
            hasPresence: ["optional", "oneof"].contains(words.first) || !scalars.contains(type),
            choice: words.first == "oneof" && words.count == 3 ? words[1] : nil)
    }
}
