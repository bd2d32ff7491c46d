//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a commit of a row did that met no error.
package struct JournalCommit: Hashable, Sendable {
    /// What became of the row.
    package var outcome: JournalInsertion
    /// Whether no row is left below the turn that it was to cut at.
    package var cutIsDone = false
    /// How many bytes it added to the write-ahead log, or somewhat more.
    package var walByteCount = 0

    package init(_ outcome: JournalInsertion, cutIsDone: Bool = false, walByteCount: Int = 0) {
        self.outcome = outcome
        self.cutIsDone = cutIsDone
        self.walByteCount = walByteCount
    }
}
