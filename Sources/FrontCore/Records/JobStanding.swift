//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The state of a job, as observers see it, together with its place; no other combination exists. What an entry says of a job that
/// it cannot move from there changes nothing, and is counted by its `JobRefusal`.
///
/// - blocked: it waits behind another job of its key, in no lane.
/// - scheduled: it waits for its time, in no lane.
/// - queued: it waits in its lane.
/// - suspected: it waits among the suspected jobs of its loader, since a worker died that ran it beside others.
/// - running: a worker holds it.
/// - cancelling: a worker holds it and is to stop it: it can only end as cancelled. If ever its worker were forgotten with it, it would wait in its lane.
/// - ended: it is kept for who asks; it is forgotten in the end.
///
/// Where each can go say `moves`, and `isGrantable`, `canEndAttempt` and `canEnd`.
enum JobStanding: Hashable, CaseIterable {
    case blocked
    case scheduled
    case queued
    case suspected
    case running
    case cancelling
    case ended

    /// Whether nobody holds it, and it has not ended.
    var waits: Bool {
        switch self {
        case .blocked, .scheduled, .queued, .suspected: true
        case .running, .cancelling, .ended: false
        }
    }

    /// Whether it stands in a line of the scheduler, where its rank decides when it is next.
    var isInLine: Bool {
        switch self {
        case .queued, .suspected: true
        case .blocked, .scheduled, .running, .cancelling, .ended: false
        }
    }

    /// Whether an entry may give it to a worker.
    /// - Parameter again: That has it in hand, and registers again; else it is in line.
    func isGrantable(again: Bool) -> Bool {
        switch self {
        case .queued, .suspected: !again
        case .running, .cancelling: again
        case .blocked, .scheduled, .ended: false
        }
    }

    /// Whether an attempt can end for that reason and the job go on: a worker has it in hand, and nobody has cancelled it; or it stands in line again, and
    /// the worker that could not stop it has died since.
    func canEndAttempt(_ cause: AttemptEndCause) -> Bool {
        switch self {
        case .running: true
        case .queued, .suspected: cause == .culprit
        case .blocked, .scheduled, .cancelling, .ended: false
        }
    }

    /// Whether it can end so from here. An accepted cancel wins over whatever its worker reports.
    func canEnd(as state: JobState) -> Bool {
        switch state {
        case .cancelled: self != .ended
        case .succeeded: self == .running
        // Its total time may be over while it waits, for the first attempt or for another one.
        case .failed: self == .running || waits
        // Also from the line, as a culprit may stand there again when the worker that could not stop it dies.
        case .quarantined: self == .running || isInLine
        case .expired: waits
        case .waiting, .scheduled, .running, .cancelling: false
        }
    }

    /// Where an entry can move it from here; what else there is, a checkpoint has stored.
    var moves: Set<JobStanding> {
        switch self {
        case .blocked: [.queued, .scheduled, .ended]
        case .scheduled: [.queued, .suspected, .blocked, .ended]
        case .queued: [.running, .suspected, .scheduled, .blocked, .ended]
        case .suspected: [.running, .queued, .scheduled, .ended]
        case .running: [.cancelling, .queued, .suspected, .scheduled, .ended]
        case .cancelling: [.ended, .queued]
        case .ended: []
        }
    }

    /// Whether a worker holds it.
    var isHeld: Bool {
        switch self {
        case .running, .cancelling: true
        case .blocked, .scheduled, .queued, .suspected, .ended: false
        }
    }
}

extension JobRecord {
    /// Its state.
    var standing: JobStanding {
        switch place {
        case .nowhere: .blocked
        case .lengths, .points: .scheduled
        case .lane: .queued
        case .suspects: .suspected
        case .held: state == .cancelling ? .cancelling : .running
        case .ended: .ended
        }
    }
}
