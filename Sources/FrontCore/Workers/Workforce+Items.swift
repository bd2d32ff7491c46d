//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Workforce {
    /// An item of the topic of all workers; nil: there is no such worker.
    func item(_ key: String, in turn: FrontTurn) -> ItemValue? {
        guard let id = UInt64(key.dropFirst(7)).map({ WorkerID($0) }), let index = turn.state.workers.index(of: id),
            let record = turn.state.workers[index]
        else { return nil }
        var summary = WorkerSummary(id: id, name: record.registration.name, slots: record.registration.slots)
        summary.processID = record.registration.processID
        if let holding = turn.state.jobs.holding(of: index) {
            summary.slotsTaken = UInt32(max(0, holding.slotsTaken))
            summary.prefetched = UInt32(max(0, holding.bulkHeld))
        }
        summary.loaders = record.registration.loaders.map(\.name)
        summary.state = record.shown
        return .worker(summary)
    }
}
