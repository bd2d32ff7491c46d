//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Where a job is in its life: a state as observers see it and a place, which together are no more than these. What an entry says of a job that
/// it cannot move from there changes nothing, and is counted by its `JobRefusal`.
///
/// - blocked: it waits behind another job of its key, in no lane. Moves to queued when it is the first of its key, and to ended.
/// - queued: it waits in its lane. Moves to running when it is granted, and to ended.
/// - suspected: it waits among the suspected jobs of its loader, since a worker died that ran it beside others. Moves as queued does.
/// - running: a worker holds it. Moves to queued when the grant is given back or the worker is lost, to suspected when it may have caused
///   that, to cancelling when somebody asks for its end, and to ended.
/// - cancelling: a worker holds it and is to stop it. Moves as running does; a cancel changes nothing any more.
/// - ended: it is kept for who asks. Nothing moves it; it is forgotten.
enum JobStanding: Hashable, CaseIterable {
    case blocked
    case queued
    case suspected
    case running
    case cancelling
    case ended

    /// Whether nobody holds it, and it has not ended.
    var waits: Bool {
        switch self {
        case .blocked, .queued, .suspected: true
        case .running, .cancelling, .ended: false
        }
    }

    /// Whether a worker holds it.
    var isHeld: Bool {
        switch self {
        case .running, .cancelling: true
        case .blocked, .queued, .suspected, .ended: false
        }
    }
}

extension JobRecord {
    /// Where it is in its life.
    var standing: JobStanding {
        switch place {
        case .nowhere: .blocked
        case .lane: .queued
        case .suspects: .suspected
        case .held: state == .cancelling ? .cancelling : .running
        case .ended: .ended
        }
    }
}
