//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A mistake that a world is made with, so that the checker of the promise that it breaks is seen to work.
///
/// Each comes in as a faulty part: a codec, journal, socket or setting that lies to production code which knows nothing of it.
package enum InjectedBug: String, Sendable, CaseIterable {
    /// The journal calls a row durable before it is written.
    case durableTooEarly
    /// The socket of the workers is called empty though frames lie in it.
    case renewalsOverlooked
    /// The codec reads "stopping" as "stopped".
    case stoppingIsStopped
    /// Retained replies are left out of the rows.
    case repliesLeftOut
    /// Bookmarks are not published.
    case bookmarksLeftOut
    /// The rank of a job is read wrongly at restart.
    case rankMisread
    /// A worker's slots are read as one more than it has.
    case slotTooMany
    /// Cancels do not reach workers.
    case cancelsLeftOut
    /// A job is quarantined after its first death.
    case quarantineTooEarly
    /// Counts are sent with one job too many.
    case countsSpoiled
    /// Reports are acknowledged as they are read.
    case ackedTooEarly
    /// A filter is read as none.
    case filterLost
    /// A worker's item is sent with a slot too many.
    case itemSpoiled
    /// Grants that came back are left out of the rows.
    case returnsLeftOut
    /// Checkpoints leave a view out.
    case checkpointForgetsViews
    /// Collection takes what is named.
    case collectsNamed
    /// Frames are sent that their receivers do not take.
    case framesTooLarge
    /// Old rows are dropped together with the first one of the checkpoint.
    case cutTooFar
    /// Ended jobs are kept far beyond their bound.
    case endedKeptTooLong
    /// A job's end is told to each client as another one.
    case endsSpoiled
    /// A worker that is stopped is taken for one whose process has ended.
    case stoppedTakenForEnded

    /// The promise that it breaks; a world with this bug looks for no other.
    package var breaks: Promise {
        switch self {
        case .durableTooEarly: .durableBeforeSent
        case .renewalsOverlooked: .renewedIsKept
        case .stoppingIsStopped: .endedIsStopped
        case .repliesLeftOut: .carriedOutOnce
        case .bookmarksLeftOut: .everythingEnds
        case .rankMisread: .grantsInOrder
        case .slotTooMany: .grantsFitSlots
        case .cancelsLeftOut: .cancelIsQuick
        case .quarantineTooEarly: .quarantineIsEarned
        case .countsSpoiled: .countsAreTrue
        case .ackedTooEarly: .ackedIsDurable
        case .filterLost: .orderStays
        case .itemSpoiled: .observersSeeTheState
        case .returnsLeftOut: .stateIsReplay
        case .checkpointForgetsViews: .restartKeeps
        case .collectsNamed: .objectsStay
        case .framesTooLarge: .framesFit
        case .cutTooFar: .frontGoesOn
        case .endedKeptTooLong: .boundsHold
        case .endsSpoiled: .endsOnce
        case .stoppedTakenForEnded: .renewedIsKept
        }
    }
}
