//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Workers whose lease is over and that somebody had asked to drain, the one that went first in front.
///
/// A process that was stopped or cut off for longer than its lease comes back under its id. It may never have heard that it is to drain, so it is
/// told again, and gets no job. One that has closed or ended does not come back, and a process that starts anew has an id of its own.
struct DrainedWorkers: Equatable {
    /// As many as there may be workers: who comes back later than so many others is taken for new.
    static let limit = 256

    private(set) var ids: [WorkerID] = []

    /// Whether that worker was asked to drain before its lease was over.
    func contains(_ id: WorkerID) -> Bool { ids.contains(id) }

    /// The lease of a worker is over that was asked to drain. The one that went first is forgotten where there is no room.
    mutating func add(_ id: WorkerID) {
        remove(id)
        ids.append(id)
        if ids.count > Self.limit { ids.removeFirst() }
    }

    /// It has registered again: from now on its record says that it is to drain.
    mutating func remove(_ id: WorkerID) { ids.removeAll { $0 == id } }

    /// The entries that make them, in that order.
    var entries: [JournalEntry] { ids.map { .workerLost(JournalEntry.WorkerLost($0, drains: true)) } }
}
