//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// When calls give up, earliest first.
///
/// Most are as long as those before them and come last, so that adding one costs nothing. Lengths that differ by their kind, as the limit of
/// a call and the grace of one that was cancelled, have a list each: in one the short ones would be moved past all the long ones.
struct CallDeadlines {
    private var entries: Deque<(at: MonotonicTime, ticket: Ticket, limit: Duration)> = []

    /// Adds a call that gives up `limit` from now.
    mutating func add(_ ticket: Ticket, _ limit: Duration, _ now: MonotonicTime) {
        let at = now.adding(limit)
        let index = entries.lastIndex { $0.at <= at }.map { $0 + 1 } ?? 0
        entries.insert((at, ticket, limit), at: index)
    }

    /// The earliest time of a call that still waits; those before it are forgotten.
    mutating func next(isWaiting: (Ticket) -> Bool) -> MonotonicTime {
        while let first = entries.first, !isWaiting(first.ticket) { entries.removeFirst() }
        return entries.first?.at ?? .distantFuture
    }

    /// Takes out the first call whose time is over.
    mutating func takeDue(at now: MonotonicTime) -> (ticket: Ticket, limit: Duration)? {
        guard let first = entries.first, first.at <= now else { return nil }
        entries.removeFirst()
        return (first.ticket, first.limit)
    }

    mutating func removeAll() { entries = [] }
}
