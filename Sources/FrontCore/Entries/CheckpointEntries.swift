//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact.IDsReserved: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.reservedJobs = max(state.reservedJobs, jobs.rawValue)
        state.reservedLeases = max(state.reservedLeases, leases.rawValue)
    }
}

extension Fact.StoredJobs: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        let texts = loaders.reduce(0) { $0 + $1.utf8.count } + terms.reduce(0) { $0 + $1.byteCount + RoughSize.message }
        let failed = failures.reduce(0) { $0 + $1.value.roughByteCount + RoughSize.record }
        return payloads.byteCount + texts + failed + jobs.count * RoughSize.record + cancels.count * RoughSize.record
    }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.restore(self, turn: turn.stored ?? turn.number) }
}

extension Fact.CountsStored: JournalEntry {
    static let survivesMemoryMode = true

    /// Takes totals over; what is counted from live jobs is counted anew.
    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.countsTurn = turn.stored ?? turn.number
        state.counts.succeeded = counts.succeeded
        state.counts.failed = counts.failed
        state.counts.cancelled = counts.cancelled
        state.counts.quarantined = counts.quarantined
        state.lastRankTime = max(state.lastRankTime, lastRankTime)
        state.nextJob = max(state.nextJob, nextJob.rawValue)
        state.nextLease = max(state.nextLease, nextLease.rawValue)
        state.nextAttachment = max(state.nextAttachment, nextAttachment.rawValue)
    }
}
