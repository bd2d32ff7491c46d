//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
    mutating func attach(registerSentAt sent: MonotonicTime) {
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
