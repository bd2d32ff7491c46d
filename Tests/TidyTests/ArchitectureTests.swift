//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

/// What ARCHITECTURE.md and CONTRIBUTING.md say of the code is compared with it.
@Suite("The pages for those who change the code")
struct ArchitectureTests {
    private func page(_ name: String) throws -> SourceFile {
        try #require(try Checkout.files.get().first { $0.path == name }, "\(name) is missing")
    }

    private func text(_ path: String) throws -> String {
        try CheckoutFolder.text(path)
    }

    /// The cells of the rows of the table below a heading.
    private func rows(of name: String, below heading: String) throws -> [[String]] {
        let lines = try page(name).lines
        let start = try #require(lines.firstIndex(of: heading), "\(name) has no table \(heading)")
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    private func names(in cell: String) -> Set<String> { Set(cell.matches(of: /`(\w+)`/).map { String($0.1) }) }

    /// The height of a module: one above the highest that it imports.
    private func floor(of module: String) -> Int {
        (ModuleRules.arrows[module] ?? []).map { floor(of: $0) + 1 }.max() ?? 0
    }

    @Test("the table of modules is that of the rules, each module on its floor")
    func modules() throws {
        var imports: [String: Set<String>] = [:]
        for row in try rows(of: "ARCHITECTURE.md", below: "| floor | module | imports | what it is |") {
            let module = try #require(names(in: row[1]).first)
            imports[module] = names(in: row[2])
            #expect(Int(row[0]) == floor(of: module), "\(module)")
            #expect(row[3].count > 10, "\(module): say what it is")
        }
        #expect(imports.keys.sorted() == ModuleRules.arrows.keys.sorted())
        for (module, allowed) in ModuleRules.arrows {
            #expect(
                imports[module] == allowed, "\(module): run Scripts/modules")
        }
    }

    /// Where each state of a job moves, as the declaration of the state says.
    private func moves() throws -> [String: Set<String>] {
        var moves: [String: Set<String>] = [:]
        for state in try text("Sources/GantryModel/Jobs/Generated/JobState.swift").matches(of: /\/\/\/ (.+)\n    case (\w+) = \d+/) {
            let next = state.1.firstMatch(of: /Moves to ([^.]+)\./)?.1 ?? ""
            moves[String(state.2)] = Set(next.split(separator: ", ").map(String.init))
        }
        return moves
    }

    @Test(
        "the drawing of a job's life has every state, its table every move",
        arguments: [("ARCHITECTURE.md", "decided in"), ("Protocol/PROTOCOL.md", "when")])
    func states(name: String, column: String) throws {
        let moves = try moves()
        #expect(moves.count >= 7)
        var shown = moves.mapValues { _ in Set<String>() }
        for row in try rows(of: name, below: "| from | to | \(column) |") {
            shown[row[0], default: []].formUnion([row[1]])
            #expect(!row[2].isEmpty, "\(row)")
        }
        #expect(shown == moves)
        let drawing = try #require(
            try text(name).components(separatedBy: "```").first { $0.hasPrefix("text\n") && $0.contains("cancelling") },
            "\(name) has no drawing")
        for state in moves.keys { #expect(drawing.contains(state), "\(state)") }
    }

    @Test("the places in which a job waits are named")
    func standings() throws {
        let records = try text("Sources/FrontCore/Records/JobStanding.swift")
        let cases = try #require(records.firstMatch(of: /enum JobStanding[^{]+\{\n((?:    case \w+\n)+)/)?.1)
        let all = cases.matches(of: /case (\w+)/).map { String($0.1) }
        let waiting = try #require(records.firstMatch(of: /case ([.\w, ]+): true\n        case .running/)?.1).matches(of: /\.(\w+)/)
        #expect(all.count == 7 && waiting.count == 4)
        let page = try text("ARCHITECTURE.md")
        for place in waiting { #expect(page.contains("*\(place.1)*"), "\(place.1)") }
    }

    @Test(
        "each path that a page names is there",
        arguments: [
            ("ARCHITECTURE.md", 80), ("CONTRIBUTING.md", 10), ("README.md", 8), ("CHANGELOG.md", 4), ("Protocol/PROTOCOL.md", 2),
        ])
    func paths(name: String, atLeast count: Int) throws {
        let named = try text(name).matches(of: /(?:[`(\s]|^)((?:Sources|Tests|Protocol|Scripts|Benchmarks|deploy|\.ci)\/[\w.\/+-]*[\w+-])/)
        let links = try text(name).matches(of: /\]\(([^):]+)\)/)
        let all = named.map { String($0.1) } + links.map { String($0.1) }
        #expect(all.count >= count)
        for path in Set(all).sorted() {
            #expect(FileManager.default.fileExists(atPath: CheckoutFolder.file(path).path), "\(path)")
        }
    }

    @Test("the format of the journal that contributors read of, and that a script writes, is that of the code")
    func journalFormat() throws {
        let code = try text("Sources/Journal/Log/JournalLog.swift")
        let format = try #require(code.firstMatch(of: /static let format: UInt8 = (\d+)/)?.1)
        let named = try text("CONTRIBUTING.md").matches(of: /journal has format (\d+)/).map(\.1)
        #expect(named == [format])
        let codec = try text("Sources/GantryWire/WireCodec.swift")
        let entries = try #require(codec.firstMatch(of: /static let entriesFormat: UInt32 = (\d+)/)?.1)
        #expect(try text("CONTRIBUTING.md").matches(of: /entries of a row have format (\d+)/).map(\.1) == [entries])
        let script = try text("Scripts/long-log")
        #expect(script.matches(of: /(?m)^ROW_FORMAT = (\d+)/).map(\.1) == [format])
        #expect(script.matches(of: /(?m)^ENTRIES_FORMAT = (\d+)/).map(\.1) == [entries])
    }

    @Test("a drawing fits 100 columns", arguments: ["ARCHITECTURE.md", "Protocol/PROTOCOL.md", "README.md"])
    func width(name: String) throws {
        var isDrawing = false
        for (number, line) in try page(name).lines.enumerated() {
            if line.hasPrefix("```") { isDrawing = line == "```text" && !isDrawing }
            if isDrawing { #expect(line.count <= 100, "\(name):\(number + 1)") }
        }
    }
}
