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

    /// Every step there is, oldest first. None leads from format 1, the first one: its rows hold what is not read any more.
    static let all: [JournalMigration] = []

    /// The steps from one format to a later one, oldest first; nil: there is no way.
    static func steps(from found: Int, to format: Int, of migrations: [JournalMigration]) -> [JournalMigration]? {
        guard found <= format else { return nil }
        let steps = migrations.filter { $0.from >= found && $0.from < format }.sorted { $0.from < $1.from }
        return steps.map(\.from) == Array(found..<format) ? steps : nil
    }
}
