//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// Rows with aligned columns, two spaces between them.
struct TextTable {
    private var rows: [[String]]
    /// Lines below rows, by the row's number.
    private var notes: [Int: String] = [:]

    /// A table with a heading of capitals.
    init(_ heading: String...) { self.init(heading) }

    /// A table with a heading of capitals.
    init(_ heading: [String]) { rows = [heading.map { $0.uppercased() }] }

    /// Adds a row, in which line breaks and whatever else a terminal would obey are replaced.
    /// - Parameter note: a line below the row; nil: none.
    mutating func add(_ cells: String..., note: String? = nil) { add(cells, note: note) }

    /// Adds a row.
    mutating func add(_ cells: [String], note: String? = nil) {
        notes[rows.count] = note.map { LineFitting.clean($0) }
        rows.append(cells.map { LineFitting.clean($0) })
    }

    /// The lines of the table.
    /// - Parameter columns: how wide they may be at most, the widest cells being cut and notes folded; nil: as wide as they are.
    func text(columns: Int?) -> String {
        let widths = widths(columns)
        return rows.enumerated().map { number, row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let cell = columns == nil ? cell : TextFit.cut(cell, columns: widths[column])
                let gap = widths[column] - TextFit.width(of: cell) + 2
                line += column == row.count - 1 ? cell : cell + String(repeating: " ", count: gap)
            }
            guard let note = notes[number].map({ "  " + $0 }) else { return line }
            return line + "\n" + (columns.map { TextFit.fold(note, columns: $0) } ?? note)
        }.joined(separator: "\n")
    }

    /// The width of each column; the widest gives way until all fit, or none is wider than 8.
    private func widths(_ columns: Int?) -> [Int] {
        var widths = (rows.first ?? []).indices.map { column in rows.map { TextFit.width(of: $0[column]) }.max() ?? 0 }
        guard let columns else { return widths }
        while widths.reduce(2 * (widths.count - 1), +) > columns, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) {
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

    /// The table: narrow fields come first, the last that has some room is cut, the rest is left out.
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
            room -= Self.width(of: name, in: rows) + 2
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

    private static func text(_ value: Any) -> String {
        switch value {
        case let text as String: shortened(text)
        case is NSNull: ""
        default:
            (try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]))
                .map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
        }
    }
}
