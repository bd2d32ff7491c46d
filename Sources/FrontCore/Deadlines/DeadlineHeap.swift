//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import HeapModule
import Model

/// Owners by the time at which each is looked at next: one time for each, found and moved in logarithmic time.
///
/// A time that is brought forward or dropped leaves its item where it is; such items are skipped, and cleared away before they are as many
/// as those that count. So the heap never has more than twice as many items as owners, however often they move.
struct DeadlineHeap<Owner: DeadlineHolder, Time: Comparable & Sendable>: Sendable {
    private struct Item: Comparable, Sendable {
        let time: Time
        let owner: Owner

        static func < (left: Self, right: Self) -> Bool {
            left.time != right.time ? left.time < right.time : left.owner < right.owner
        }
    }

    /// Items that count for nothing and are not worth clearing away yet.
    private static var spareItems: Int { 64 }

    private var items = Heap<Item>()
    private var times: [Owner: Time] = [:]
    /// Items that were put in, taken out or cleared away since the start: what it has cost.
    private(set) var moves: UInt64 = 0

    /// Owners that are looked at some time.
    var count: Int { times.count }

    /// Items that it holds, those that count for nothing included.
    var itemCount: Int { items.count }

    /// The earliest time, or an earlier one that counts for nothing any more; nil: there is none.
    ///
    /// It is stored: each turn asks several times, and to look at the first item would copy its owner.
    private(set) var next: Time?

    /// Whether an owner is looked at some time.
    func contains(_ owner: Owner) -> Bool { times[owner] != nil }

    /// An owner is looked at by then, or earlier if that was said before.
    mutating func insert(_ owner: Owner, by time: Time) {
        if let known = times[owner], known <= time { return }
        times[owner] = time
        items.insert(Item(time: time, owner: owner))
        next = min(next ?? time, time)
        moves &+= 1
        clear()
    }

    /// An owner is looked at no more.
    mutating func remove(_ owner: Owner) {
        guard times.removeValue(forKey: owner) != nil else { return }
        clear()
    }

    /// The next owner whose time has come, which then has none; nil: there is none. Ties go by the order of owners.
    mutating func takeFirst(upTo time: Time) -> Owner? {
        while let next, next <= time {
            let first = items.removeMin()
            self.next = items.min?.time
            moves &+= 1
            guard times[first.owner] == first.time else { continue }
            times[first.owner] = nil
            return first.owner
        }
        return nil
    }

    private mutating func clear() {
        guard items.count > 2 * times.count + Self.spareItems else { return }
        moves &+= UInt64(items.count)
        items = Heap(times.map { Item(time: $0.value, owner: $0.key) })
        next = items.min?.time
    }
}
