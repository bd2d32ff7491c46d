//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JournalEntry.IDsReserved: AppliedEntry {
    static let survivesMemoryMode = true

    func fault(in state: FrontState) -> String? { state.jobs.fault(ofNext: jobs.rawValue) }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.number { $0.noteReserved(jobs: jobs.rawValue, leases: leases.rawValue, turn) }
    }
}

extension JournalEntry.StoredJobs: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        let texts = loaders.reduce(0) { $0 + $1.utf8.count } + terms.reduce(0) { $0 + $1.byteCount + RoughSize.message }
        let failed = failures.reduce(0) { $0 + $1.value.roughByteCount + RoughSize.record }
        return arguments.byteCount + results.byteCount + texts + failed + jobs.count * RoughSize.record + cancels.count * RoughSize.record
    }

    func fault(in state: FrontState) -> String? {
        guard let oldest = jobs.min(), let newest = jobs.max() else { return nil }
        return state.jobs.fault(ofJobs: oldest...newest)
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.restore(self, workers: state.workers.known, turn: turn)
    }
}

extension JournalEntry.EndedBundled: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { jobs.count * (RoughSize.number + 1) + failures.count * RoughSize.name + RoughSize.message }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.bundle(self, turn: turn) }
}

extension JournalEntry.BundlesForgotten: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int { bundles.count * RoughSize.number }

    func apply(to state: inout FrontState, turn: EntryTurn) { for number in bundles { state.jobs.forget(number, turn: turn) } }
}

extension JournalEntry.CountsStored: AppliedEntry {
    static let survivesMemoryMode = true

    func fault(in state: FrontState) -> String? { state.jobs.fault(ofNext: nextJob.rawValue) }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.restore(self, turn: turn)
        state.workers.noteNext(registrationNumber: nextRegistrationNumber.rawValue, turn)
    }
}
