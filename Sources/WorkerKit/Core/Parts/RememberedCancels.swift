//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Cancels of leases that the worker does not know yet: their grant may still be on its way.
struct RememberedCancels: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        let lease: UInt64
        let until: MonotonicTime
    }

    private var entries: Deque<Entry> = []
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { entries.isEmpty }

    func contains(_ lease: UInt64) -> Bool { entries.contains { $0.lease == lease } }

    /// Remembers a lease; at the bound the oldest is forgotten.
    mutating func remember(_ lease: UInt64, until: MonotonicTime) {
        if entries.count >= capacity { entries.removeFirst() }
        entries.append(Entry(lease: lease, until: until))
    }

    /// Forgets a lease; true if it was remembered.
    mutating func take(_ lease: UInt64) -> Bool {
        guard let index = entries.firstIndex(where: { $0.lease == lease }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Forgets what no grant can follow any more.
    mutating func prune(at now: MonotonicTime) {
        while let entry = entries.first, entry.until <= now { entries.removeFirst() }
    }
}
