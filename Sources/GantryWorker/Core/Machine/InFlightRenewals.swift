//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// When each renewal of the current registration was sent. Numbers go on over registrations, so an old answer fits no new renewal.
struct InFlightRenewals: Hashable, Sendable {
    /// How many renewals are remembered; older ones are longer ago than any lease.
    static let capacity: UInt64 = 64

    private var sentAt = [MonotonicTime](repeating: MonotonicTime(nanoseconds: 0), count: Int(capacity))
    private var first: UInt64 = 1
    private var registeredFrom = MonotonicTime(nanoseconds: 0)
    /// The newest number that was given.
    private(set) var newest: UInt64 = 0

    /// Begins a registration whose leases count from `sent`, the earliest registration that the front may have read.
    mutating func register(sentAt sent: MonotonicTime) {
        first = newest + 1
        registeredFrom = sent
    }

    /// Numbers a renewal that is sent now.
    mutating func send(at now: MonotonicTime) -> RenewalNumber {
        newest += 1
        sentAt[Int(newest % Self.capacity)] = now
        return RenewalNumber(newest)
    }

    /// When a renewal of this registration was sent, 0 meaning its registration; nil for others and for ones long ago.
    func sent(_ number: RenewalNumber) -> MonotonicTime? {
        let number = number.rawValue
        if number == 0 { return registeredFrom }
        guard number >= first, number <= newest, newest - number < Self.capacity else { return nil }
        return sentAt[Int(number % Self.capacity)]
    }
}

/// The leases that were granted lately, so that a grant that the network or the front repeats does not run twice.
///
/// A grant names its renewal and is refused a lease later, so nothing older needs to be known. Large arrays are the grants' own.
struct ReceivedGrants: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var until: MonotonicTime
        var low: UInt64
        var high: UInt64
        var leases: [UInt64]
    }

    /// Small grants share an entry of up to so many leases; larger ones keep their own array.
    private static let sharedCount = 256

    private var entries: Deque<Entry> = []
    private(set) var highest: UInt64 = 0

    /// Remembers a grant's leases, `low` and `high` being the smallest and the greatest.
    mutating func note(_ leases: [UInt64], low: UInt64, high: UInt64, until: MonotonicTime) {
        highest = max(highest, high)
        if let last = entries.last, last.leases.count + leases.count <= Self.sharedCount {
            let index = entries.count - 1
            // The whole entry waits for its newest grant: to remember one longer than needed is harmless.
            entries[index].until = until
            entries[index].low = min(last.low, low)
            entries[index].high = max(last.high, high)
            entries[index].leases.append(contentsOf: leases)
            return
        }
        entries.append(Entry(until: until, low: low, high: high, leases: leases))
    }

    /// Remembers the lease that a re-registration gave.
    mutating func raise(to lease: UInt64) { highest = max(highest, lease) }

    /// - Complexity: O(grants of one lease time + rows of those that could hold it); constant for a lease above all others.
    func contains(_ lease: UInt64) -> Bool {
        // Leases only grow, so a new one is told from the rest without a search.
        guard lease <= highest else { return false }
        return entries.contains { $0.low <= lease && lease <= $0.high && $0.leases.contains(lease) }
    }

    /// Forgets grants that would be refused by their age.
    mutating func prune(at now: MonotonicTime) {
        while let entry = entries.first, entry.until <= now { entries.removeFirst() }
    }
}

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
        // It comes again in each answer to a renewal until its grant is here, so what is forgotten is not lost.
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
