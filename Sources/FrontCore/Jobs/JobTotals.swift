//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How many jobs there are in each state, how many have ended so, and how often some waited again. For people: a count that is wrong must not end
/// the front.
struct JobTotals {
    private(set) var counts = JobCounts()
    /// The turn at which a checkpoint stored those that no live job tells.
    private var storedTurn: UInt64 = 0

    /// Jobs that have not ended.
    var alive: UInt64 { counts.waiting + counts.running + counts.cancelling }
    /// Jobs that ended by themselves, or as somebody asked.
    var ended: UInt64 { counts.succeeded + counts.failed + counts.cancelled }

    /// Counts a live job in or out.
    mutating func count(_ state: JobState, _ change: Int) {
        func move(_ count: inout UInt64) { count = UInt64(max(0, Int(count) + change)) }
        switch state {
        case .waiting: move(&counts.waiting)
        case .running: move(&counts.running)
        case .cancelling: move(&counts.cancelling)
        case .succeeded, .failed, .cancelled, .quarantined: break
        }
    }

    /// Counts the end of a job in, unless the totals that were stored have it.
    mutating func countEnd(_ state: JobState, _ turn: EntryTurn) {
        guard turn.number > storedTurn else { return }
        switch state {
        case .succeeded: counts.succeeded += 1
        case .failed: counts.failed += 1
        case .cancelled: counts.cancelled += 1
        case .quarantined, .waiting, .running, .cancelling: break
        }
    }

    /// Counts jobs that wait again in, unless the totals that were stored have them.
    mutating func countRequeued(_ count: Int, _ turn: EntryTurn) { if turn.number > storedTurn { counts.requeuedTotal += UInt64(count) } }

    /// Counts quarantined jobs in: as many as are known, in memory or in bundles, so that a restart counts what it finds.
    mutating func countQuarantined(_ count: Int) { counts.quarantined += UInt64(count) }

    /// A quarantined job is forgotten.
    mutating func forget(_ state: JobState) { if state == .quarantined, counts.quarantined > 0 { counts.quarantined -= 1 } }

    /// Takes totals over; what is counted from jobs that are known is counted anew.
    mutating func restore(_ stored: JobCounts, _ turn: EntryTurn) {
        storedTurn = turn.stored ?? turn.number
        counts.succeeded = stored.succeeded
        counts.failed = stored.failed
        counts.cancelled = stored.cancelled
        counts.requeuedTotal = stored.requeuedTotal
    }
}
