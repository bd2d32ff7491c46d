//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JournalEntry.WorkerRegistered: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int {
        RoughSize.wide + registration.loaders.count * RoughSize.record + registration.held.count * 2 * RoughSize.number
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard let registered = state.workers.apply(self, turn) else { return }
        state.jobs.takeWorker(registered.index, registration, insteadOf: registered.old, turn: turn)
    }
}

extension JournalEntry.WorkerLost: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        if let lost = state.workers.apply(self, turn) { state.jobs.dropWorker(lost.index, lost.old, turn: turn) }
    }
}

extension JournalEntry.EpochBegan: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) { state.workers.apply(self, turn) }
}
