//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import HeapModule
import Model

/// When calls give up, earliest first.
///
/// A call that is answered leaves its entries here, since to look for them would cost each call as much as all calls take. They are forgotten
/// when they come first, and together when they are more than those of the calls under way: one call that waits for an hour does not keep
/// what thousands of short ones leave behind it.
struct CallDeadlines {
    private struct Entry: Comparable {
        let at: MonotonicTime
        let callID: CallID
        let limit: Duration

        static func < (left: Self, right: Self) -> Bool { (left.at, left.callID) < (right.at, right.callID) }
    }

    /// Entries of one call, at most: its limit, and the grace after its cancellation.
    private static let entriesOfCall = 2
    /// Entries that are not worth looking through.
    private static let spareCount = 64

    private var entries = Heap<Entry>()

    /// Entries, of calls that were answered too.
    var count: Int { entries.count }

    /// Adds a call that gives up `limit` from now.
    /// - Parameters:
    ///   - underWay: how many calls wait.
    ///   - isWaiting: whether that call is one of them.
    /// - Complexity: O(log n), where n is not much more than the calls under way: at least half of what is looked through was answered.
    mutating func add(_ callID: CallID, _ limit: Duration, _ now: MonotonicTime, underWay: Int, isWaiting: (CallID) -> Bool) {
        if entries.count > 2 * Self.entriesOfCall * underWay + Self.spareCount {
            entries = Heap(entries.unordered.filter { isWaiting($0.callID) })
        }
        entries.insert(Entry(at: now.advanced(by: limit), callID: callID, limit: limit))
    }

    /// The earliest time of a call that still waits; those before it are forgotten.
    mutating func next(isWaiting: (CallID) -> Bool) -> MonotonicTime {
        while let first = entries.min, !isWaiting(first.callID) { entries.removeMin() }
        return entries.min?.at ?? .distantFuture
    }

    /// Takes out the first call whose time is over.
    mutating func takeDue(at now: MonotonicTime) -> (callID: CallID, limit: Duration)? {
        guard let first = entries.min, first.at <= now else { return nil }
        entries.removeMin()
        return (first.callID, first.limit)
    }

    mutating func removeAll() { entries = Heap() }
}
