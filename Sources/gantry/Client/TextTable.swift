//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
