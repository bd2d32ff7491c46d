//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

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
