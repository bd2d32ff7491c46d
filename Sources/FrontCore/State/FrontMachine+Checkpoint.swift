//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// What a checkpoint begins with, and where its further slices go on; together all that this durability journals.
    ///
    /// Where jobs are not journalled, a checkpoint must not hold them either: their ends would be missing behind it, and the next life would
    /// run again what had ended.
    func beginCheckpoint() -> (facts: [Fact], cursor: CheckpointCursor) {
        let keepsJobs = turn.settings.durability != .memory
        let cursor = CheckpointCursor(of: state, withJobs: keepsJobs)
        guard !keepsJobs else { return (state.headFacts, cursor) }
        let facts = state.headFacts.map { fact in
            guard case .countsStored(var stored) = fact else { return fact }
            stored.counts = JobCounts()
            return .countsStored(stored)
        }
        return (facts, cursor)
    }
}
