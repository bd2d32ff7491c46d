//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// Rows with aligned columns, two spaces between them.
struct TextTable {
    /// What becomes of the columns where a terminal is too narrow for them.
    struct Narrowing {
        /// Columns that are never shortened.
        var whole: Set<String> = []
        /// Columns that may be left out, the first of them first; one that is empty in all rows goes before them.
        var dropped: [String] = []
        /// Whether the last column goes on below itself rather than being cut.
        var foldsLast = false
    }

    private var rows: [[String]]
    /// Lines below rows, by the row's number.
    private var notes: [Int: String] = [:]
    private let names: [String]
    private let narrowing: Narrowing

    /// How narrow a column may become before others are left out for it.
    private static let readableWidth = 20

    /// A table with a heading of capitals.
    init(_ heading: String...) { self.init(heading) }

    /// A table with a heading of capitals.
    init(_ heading: [String], narrowing: Narrowing = Narrowing()) {
        (names, self.narrowing) = (heading, narrowing)
        rows = [heading.map { $0.uppercased() }]
    }

    /// Adds a row, in which line breaks and whatever else a terminal would obey are replaced.
    /// - Parameter note: a line below the row; nil: none.
    mutating func add(_ cells: String..., note: String? = nil) { add(cells, note: note) }

    /// Adds a row.
    mutating func add(_ cells: [String], note: String? = nil) {
        notes[rows.count] = note.map { LineFitting.clean($0) }
        rows.append(cells.map { LineFitting.clean($0) })
    }

    /// The lines of the table.
    /// - Parameter columns: how wide they may be at most, columns being left out, the widest cells cut and notes folded; nil: as wide as they
    ///   are.
    func text(columns: Int?) -> String {
        let shown = shown(columns)
        let widths = widths(of: shown, columns)
        return rows.enumerated().map { number, row in
            var line = ""
            for (place, column) in shown.enumerated() {
                let isLast = place == shown.count - 1
                let cell = columns == nil || isLast && narrowing.foldsLast ? row[column] : TextFit.cut(row[column], columns: widths[place])
                let gap = String(repeating: " ", count: isLast ? 0 : max(0, widths[place] - TextFit.width(of: cell)) + 2)
                line += cell + gap
            }
            if let columns, narrowing.foldsLast {
                line = TextFit.fold(line, columns: columns, indent: widths.dropLast().reduce(0) { $0 + $1 + 2 })
            }
            guard let note = notes[number].map({ "  " + $0 }) else { return line }
            return line + "\n" + (columns.map { TextFit.fold(note, columns: $0) } ?? note)
        }.joined(separator: "\n")
    }

    /// The columns that are shown: all of them where they fit, or can be made to.
    private func shown(_ columns: Int?) -> [Int] {
        var shown = Array(names.indices)
        guard let columns, needed(shown, width(of:)) > columns else { return shown }
        shown.removeAll { column in rows.count > 1 && rows.dropFirst().allSatisfy { $0[column].isEmpty } }
        for name in narrowing.dropped where needed(shown, readable) > columns { shown.removeAll { names[$0] == name } }
        return shown
    }

    /// How much room columns take, of which each is so wide.
    private func needed(_ shown: [Int], _ width: (Int) -> Int) -> Int { shown.reduce(2 * (shown.count - 1)) { $0 + width($1) } }

    private func width(of column: Int) -> Int { rows.map { TextFit.width(of: $0[column]) }.max() ?? 0 }

    /// The width without which a column says too little.
    private func readable(_ column: Int) -> Int {
        let width = width(of: column)
        return narrowing.whole.contains(names[column]) ? width : min(width, Self.readableWidth)
    }

    /// The width of each column; the widest that may be shortened gives way until all fit, or none is wider than 8.
    private func widths(of shown: [Int], _ columns: Int?) -> [Int] {
        var widths = shown.map { width(of: $0) }
        guard let columns else { return widths }
        if narrowing.foldsLast, let last = widths.last {
            let rest = columns - widths.dropLast().reduce(0) { $0 + $1 + 2 }
            widths[widths.count - 1] = min(last, max(rest, Self.readableWidth))
        }
        let flexible = shown.indices.filter { !narrowing.whole.contains(names[shown[$0]]) }
        while widths.reduce(2 * (widths.count - 1), +) > columns, let widest = flexible.max(by: { widths[$0] < widths[$1] }) {
            guard widths[widest] > 8 else { break }
            widths[widest] -= 1
        }
        return widths
    }
}

/// Items for people: a column for each field, id and title first, as far as the terminal is wide.
struct ItemTable {
    private let names: [String]
    private let rows: [[String: String]]

    /// The items, each a JSON object on one line.
    init(_ items: [String]) {
        rows = items.map { item in
            let object = (try? JSONSerialization.jsonObject(with: Data(item.utf8))) as? [String: Any] ?? [:]
            return object.mapValues(Self.text)
        }
        let found = Set(rows.flatMap(\.keys)).subtracting(["id", "title"])
        let widths = Dictionary(uniqueKeysWithValues: found.map { [rows] name in (name, Self.width(of: name, in: rows)) })
        names = ["id", "title"] + found.sorted { (widths[$0] ?? 0, $0) < (widths[$1] ?? 0, $1) }
    }

    /// The table: narrow fields come first, the last that has some room is cut, the rest is left out. Titles are cut to what these leave, and at
    /// most half of the terminal is kept for them: one long title would hide all fields.
    func text(columns: Int) -> String {
        let shown = shown(columns)
        var table = TextTable(shown)
        for row in rows { table.add(shown.map { row[$0] ?? "" }) }
        return table.text(columns: columns)
    }

    /// How many fields of the items are left out.
    func hiddenCount(columns: Int) -> Int { names.count - shown(columns).count }

    private func shown(_ columns: Int) -> [String] {
        var shown: [String] = []
        var room = columns + 2
        for name in names where room >= 14 || shown.count < 2 {
            shown.append(name)
            let width = Self.width(of: name, in: rows)
            room -= (name == "title" ? min(width, columns / 2) : width) + 2
        }
        return shown
    }

    private static func width(of name: String, in rows: [[String: String]]) -> Int {
        rows.reduce(name.count) { max($0, $1[name].map { TextFit.width(of: $0) } ?? 0) }
    }

    /// A time to the minute, UTC as its Z says: seconds and fractions of a column of times say nothing to people.
    private static func shortened(_ text: String) -> String {
        guard let match = text.wholeMatch(of: /(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z/) else { return text }
        return "\(match.1) \(match.2)Z"
    }

    fileprivate static func text(_ value: Any) -> String {
        switch value {
        case let text as String: shortened(text)
        case is NSNull: ""
        default:
            (try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]))
                .map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
        }
    }
}

/// One item for people: a line for each field, id and title first.
enum ItemFields {
    /// The lines of an item, a JSON object; other bytes as they are.
    static func text(_ item: [UInt8]) -> String {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(item))) as? [String: Any] else {
            return String(decoding: item, as: UTF8.self)
        }
        let first = ["id", "title"].filter { object[$0] != nil }
        let names = first + object.keys.filter { !first.contains($0) }.sorted()
        let width = names.map { TextFit.width(of: LineFitting.clean($0)) }.max() ?? 0
        return names.map { name in
            let label = LineFitting.clean(name)
            let gap = String(repeating: " ", count: width - TextFit.width(of: label) + 2)
            return "  \(label)\(gap)\(LineFitting.clean(object[name].map(ItemTable.text) ?? ""))"
        }.joined(separator: "\n")
    }
}

/// Text for people at a terminal of so many columns: the terminal itself never has to break a line.
enum TextFit {
    /// Breaks lines that are too wide between words, and words that are too wide anywhere. What follows stands below the text of the first
    /// line: behind a label such as `error: ` or a first column. Of a usage no option is parted from its value.
    /// - Parameter indent: where it stands instead.
    static func fold(_ text: String, columns: Int, indent: Int? = nil) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard plain(line).prefixMatch(of: usageLabel) != nil else { return fold(line: line, columns, indent) }
            let glued = line.replacing(/\[[-<][^\]]*\]/) { $0.output.replacing(" ", with: "\u{A0}") }
            return fold(line: glued, columns, indent).replacing("\u{A0}", with: " ")
        }.joined(separator: "\n")
    }

    /// The help of the parser, which breaks all lines but that of the usage.
    static func fold(help: String, columns: Int) -> String {
        help.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.prefixMatch(of: usageLabel) == nil ? String($0) : fold(String($0), columns: columns) }.joined(separator: "\n")
    }

    private static var usageLabel: Regex<Substring> { #/(?:usage|USAGE): /# }

    /// A line that may lose its end, which becomes "…".
    static func cut(_ line: String, columns: Int) -> String { LineFitting.fit(line, width: columns) }

    /// The text without what a terminal would obey, whoever wrote it; its lines and the bold words of `TextStyle` stay.
    static func clean(_ text: String) -> String {
        // Most texts are plain, and some are long: a million ids.
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: "\n") || (0x20..<0x7F).contains($0) }) { return text }
        var clean = ""
        var rest = text[...]
        while let mark = rest.firstMatch(of: /\n|\x{1B}\[[01]m/) {
            clean += LineFitting.clean(rest[..<mark.range.lowerBound]) + rest[mark.range]
            rest = rest[mark.range.upperBound...]
        }
        return clean + LineFitting.clean(rest)
    }

    /// Columns that a text takes; colors take none.
    static func width(of text: some StringProtocol) -> Int { LineFitting.columns(of: plain(text)) }

    private static func plain(_ text: some StringProtocol) -> String {
        String(text).replacing(/\x{1B}\[[0-9;]*m/, with: "")
    }

    private static func fold(line: Substring, _ columns: Int, _ given: Int?) -> String {
        // No text is wider than its bytes.
        guard line.utf8.count > columns, width(of: line) > columns else { return String(line) }
        let indent = given.map { min($0, max(0, columns - 16)) } ?? indent(of: line, columns)
        var folded = ""
        var used = 0
        var hasWord = false
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let wide = width(of: word)
            if hasWord, used + 1 + wide > columns {
                folded += "\n" + String(repeating: " ", count: indent)
                (used, hasWord) = (indent, false)
            } else if index > 0 {
                folded += " "
                used += 1
            }
            hasWord = hasWord || wide > 0
            guard wide > columns - indent else {
                folded += word
                used += wide
                continue
            }
            for character in word {
                let wide = LineFitting.columns(of: character)
                if used + wide > columns {
                    folded += "\n" + String(repeating: " ", count: indent)
                    used = indent
                }
                folded.append(character)
                used += wide
            }
        }
        return folded
    }

    /// Where the text of a line begins behind its label; 2 columns further than the line itself where it has none.
    private static func indent(of line: Substring, _ columns: Int) -> Int {
        let text = plain(line)
        let label = text.prefixMatch(of: /(?:error|usage|USAGE): |\s*[^ ]+( [^ ]+)?\s\s+/).map { width(of: $0.output.0) } ?? 0
        if label > 0, label <= min(24, columns / 3) { return label }
        return min(text.prefix { $0 == " " }.count + 2, columns / 3)
    }
}
