//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule

/// Observed jobs whose reason to wait may be another one than observers see: told some a turn, in the order in which that was said.
///
/// It is not durable: observers of the next life see the reasons as they are then.
struct WaitsInQuestion {
    private var jobs: Deque<UInt64> = []
    private var known: Set<UInt64> = []

    var isEmpty: Bool { jobs.isEmpty }

    /// The reason of a job may be another; a job stands here once, however often that is said.
    mutating func insert(_ id: UInt64) { if known.insert(id).inserted { jobs.append(id) } }

    /// The next ones, so many at most.
    mutating func take(_ limit: Int) -> [UInt64] {
        let taken = Array(jobs.prefix(limit))
        jobs.removeFirst(taken.count)
        if jobs.isEmpty { known.removeAll(keepingCapacity: true) } else { known.subtract(taken) }
        return taken
    }
}
