//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Workers that were lost and that somebody had asked to drain, the one that went first in front.
///
/// A process that was stopped or cut off for longer than its lease comes back under its id. It may never have received that it is to drain, so it
/// is sent that again, and gets no job. A process that starts anew has an id of its own and is not meant. Nor is a worker that has closed its
/// registration or whose process has ended: it does not come back, so that `drain_worker` of its id is refused, and the refusal says
/// that it is gone for good.
struct DrainedWorkers: Equatable {
    private(set) var ids: [WorkerID] = []

    /// Whether that worker was asked to drain before it went.
    func contains(_ id: WorkerID) -> Bool { ids.contains(id) }

    /// Those that are too many, the one that went first in front.
    func excess(over limit: Int) -> ArraySlice<WorkerID> { ids.prefix(max(0, ids.count - limit)) }

    /// A worker is lost that was asked to drain.
    mutating func add(_ id: WorkerID) {
        remove(id)
        ids.append(id)
    }

    /// It has registered again: from now on its record says that it is to drain. Or there is no room for it.
    mutating func remove(_ id: WorkerID) { ids.removeAll { $0 == id } }

    /// The entries that make them, in that order.
    var entries: [JournalEntry] { ids.map { .workerLost(JournalEntry.WorkerLost($0, drains: true)) } }
}
