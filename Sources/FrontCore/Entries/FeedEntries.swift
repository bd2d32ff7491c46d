//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JournalEntry.FeedChanged: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int {
        RoughSize.wide + state.key.text.utf8.count + (state.failure?.roughByteCount ?? 0) + (older.count + damaged.count) * RoughSize.record
    }

    func fault(in state: FrontState) -> String? {
        self.state.failure.flatMap { state.jobs.fault(ofPassed: $0.id.rawValue) }
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
        // A failure that no job had has a number of its own.
        if let failure = self.state.failure?.id.rawValue { state.jobs.number { $0.notePassed(job: failure, turn) } }
    }
}

extension JournalEntry.FeedForgotten: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
    }
}

extension JournalEntry.ViewChanged: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int { RoughSize.wide + key.text.utf8.count + view.byteCount }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
    }
}

extension JournalEntry.ViewForgotten: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
    }
}

extension ViewState {
    /// Bytes of its texts and of what it holds of its detail.
    fileprivate var byteCount: Int {
        detail.byteCount + (failure?.roughByteCount ?? 0) + filter.utf8.count + (selection?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
    }
}
