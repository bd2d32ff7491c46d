//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact.WorkerAttached: JournalEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int {
        RoughSize.wide + registration.loaders.count * RoughSize.record + registration.held.count * 2 * RoughSize.number
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard let attached = state.workers.apply(self, turn) else { return }
        state.jobs.takeWorker(attached.index, registration, insteadOf: attached.old, turn: turn)
    }
}

extension Fact.WorkerLost: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        if let lost = state.workers.apply(self, turn) { state.jobs.dropWorker(lost.index, lost.old, turn: turn) }
    }
}

extension Fact.EpochBegan: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) { state.workers.apply(self, turn) }
}
