//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Rows with aligned columns, two spaces between them.
struct TextTable {
    private var rows: [[String]]

    /// A table with a heading of capitals.
    init(_ heading: String...) { rows = [heading.map { $0.uppercased() }] }

    /// Adds a row; control characters would break the table and are shown as `?`.
    mutating func add(_ cells: String...) {
        rows.append(cells.map { cell in String(cell.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) }) })
    }

    /// The lines of the table.
    var text: String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return line
        }.joined(separator: "\n")
    }
}
