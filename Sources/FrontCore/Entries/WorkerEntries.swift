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
        state.nextAttachment = max(state.nextAttachment, attachment.rawValue + 1)
        var kept = registration
        kept.held = []
        let index: Int
        var old: WorkerMessage.Registration?
        if let known = state.workerIndexes[worker] {
            index = known
            guard let record = state.workers[known], record.storedTurn < turn.number else { return }
            old = record.registration
            state.workers[known]?.registration = kept
            state.workers[known]?.attachment = attachment
        } else {
            index = state.workers.makeIndex()
            state.workers[index] = WorkerRecord(id: worker, registration: kept, attachment: attachment)
            state.workerIndexes[worker] = index
        }
        let life = state.life
        state.workers[index]?.life = life
        state.jobs.takeWorker(index, kept, insteadOf: old)
        if let stored = turn.stored { state.workers[index]?.storedTurn = stored }
    }
}

extension Fact.WorkerLost: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard let index = state.workerIndexes[worker], let record = state.workers[index], record.storedTurn < turn.number else { return }
        state.jobs.dropWorker(index, record.registration)
        state.workers[index] = nil
        state.workerIndexes[worker] = nil
    }
}

extension Fact.EpochBegan: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) { state.begin(self) }
}
