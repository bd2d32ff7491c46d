//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How many characters a terminal shows.
public struct TerminalSize: Hashable, Sendable {
    /// Characters in a line.
    public let columns: Int
    /// Lines.
    public let rows: Int

    /// Makes a size.
    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
