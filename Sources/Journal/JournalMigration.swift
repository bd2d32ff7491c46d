//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GRDB

/// One step from a file format to the next; the file is copied before the first one runs.
struct JournalMigration: Sendable {
    /// The format that it starts from; it ends at the next.
    var from: Int
    /// Changes the tables inside the transaction that also raises the format number.
    var apply: @Sendable (Database) throws -> Void

    /// Every step there is, oldest first. Format 1 is the first format.
    static let all: [JournalMigration] = []
}
