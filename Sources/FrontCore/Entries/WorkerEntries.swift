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
        if let known = state.workerIndexes[worker] {
            index = known
            guard let record = state.workers[known], record.storedTurn < turn.number else { return }
            for loader in record.registration.loaders { state.loaderNames.removeDeclaration(loader.name) }
            state.workers[known]?.registration = kept
            state.workers[known]?.attachment = attachment
        } else {
            index = state.workers.makeIndex()
            state.workers[index] = WorkerRecord(id: worker, registration: kept, attachment: attachment)
            state.workerIndexes[worker] = index
        }
        let life = state.life
        state.workers[index]?.life = life
        var indexes: [Int] = []
        for loader in kept.loaders { indexes.append(state.loaderNames.addDeclaration(loader.name)) }
        state.workers[index]?.noteOffers(at: indexes)
        let offered = Set(indexes).sorted()
        let ahead = offered.filter { state.workers[index]?.offer($0)?.isShort ?? false }
        state.scheduler.setOffers(of: index, slot: offered.filter { !ahead.contains($0) }, ahead: ahead, in: state.jobs)
        if let stored = turn.stored { state.workers[index]?.storedTurn = stored }
    }
}

extension Fact.WorkerLost: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard let index = state.workerIndexes[worker], let record = state.workers[index], record.storedTurn < turn.number else { return }
        // None is held any more: facts before this one have dealt with each. If one were, it must not vanish from all lines and counts.
        while let record = state.workers[index], !record.held.isEmpty {
            let id = record.held.first
            state.detach(id)
            state.lineUp(id)
        }
        for loader in record.registration.loaders { state.loaderNames.removeDeclaration(loader.name) }
        state.scheduler.removeWorker(index)
        state.workers[index] = nil
        state.workerIndexes[worker] = nil
    }
}

extension Fact.EpochBegan: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) { state.begin(self) }
}
