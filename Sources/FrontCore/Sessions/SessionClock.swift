//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The clock by which sessions are late.
///
/// It stands while their clients cannot be heard: from the beginning of a turn that leaves something of them in their socket to the beginning
/// of the next one that does not, and while the loop is away. So nobody is late by such a time, and nobody has to be given it back.
struct SessionClock: Sendable {
    /// What it shows: compared and moved, but never taken for an instant.
    struct Reading: Comparable, Sendable {
        fileprivate let nanoseconds: Int64

        /// What it shows at first.
        static let zero = Reading(nanoseconds: 0)

        static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

        /// What it shows so much later.
        func adding(milliseconds: Int64) -> Reading {
            Reading(nanoseconds: MonotonicTime(nanoseconds: nanoseconds).adding(milliseconds: milliseconds).nanoseconds)
        }
    }

    /// How long it has stood in all.
    private var stoodNanoseconds: Int64 = 0
    /// Up to when all that clients had sent is read.
    private var heardUpTo = MonotonicTime(nanoseconds: 0)
    /// Since when it stands; nil: it runs.
    private var standsSince: MonotonicTime?

    /// What it shows at an instant.
    func reading(at instant: MonotonicTime) -> Reading {
        Reading(nanoseconds: min(instant, standsSince ?? instant).nanoseconds - stoodNanoseconds)
    }

    /// When it shows that, if it runs from `now` on.
    func instant(of reading: Reading, from now: MonotonicTime) -> MonotonicTime {
        let stood = stoodNanoseconds + (standsSince.map { max(0, now.nanoseconds - $0.nanoseconds) } ?? 0)
        let (sum, overflow) = reading.nanoseconds.addingReportingOverflow(stood)
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// A turn that began then has read all that clients had sent, or not.
    mutating func noteReading(isDone: Bool, since began: MonotonicTime) {
        guard isDone else {
            standsSince = standsSince ?? max(began, heardUpTo)
            return
        }
        heardUpTo = max(heardUpTo, began)
        guard let since = standsSince else { return }
        standsSince = nil
        stoodNanoseconds += max(0, began.nanoseconds - since.nanoseconds)
    }

    /// The loop was away for so long, up to now. While the clock stands that is a part of the time for which it stands.
    mutating func noteAbsence(milliseconds: Int64) {
        if standsSince == nil { stoodNanoseconds += milliseconds * 1_000_000 }
    }
}
