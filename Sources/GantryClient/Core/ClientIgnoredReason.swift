//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why something that has come to a client changed nothing. All of these are normal on a network; they are counted.
package enum ClientIgnoredReason: String, Hashable, Sendable, CaseIterable {
    /// It is of an earlier epoch of the front.
    case oldEpoch
    /// A kind that this version does not know.
    case unknown
    /// Its columns do not fit each other.
    case malformed

    // To the conversation.

    /// The client has said close.
    case closed
    /// No session is open: it came before the welcome, or after the session's end.
    case notOpen
    /// It is of another session, or of another front.
    case otherSession
    /// The session is open already: a repeated hello is answered again.
    case alreadyOpen
    /// No request of that number waits for its answer.
    case notAsked
    /// Nobody awaits the outcome of that job, or it came before.
    case outcomeNotAwaited

    // To a replica.

    /// What is published shows another front than the snapshot is of.
    case otherFront
    /// No snapshot is asked for, or another one is awaited.
    case snapshotNotAsked
    /// The part does not follow the one before, or the topic is larger than a client keeps.
    case snapshotBroken
    /// A bookmark that proves nothing, for the snapshot is not here yet.
    case nothingHeld
    /// A change, a bookmark or a snapshot that is no newer than what is held.
    case behind
    /// So many changes wait for a snapshot that those before are dropped.
    case tooManyWaiting
}

/// How often something changed nothing, by why.
package struct IgnoredCounts: Hashable, Sendable {
    /// Each reason that there was.
    package private(set) var counts: [ClientIgnoredReason: UInt64] = [:]

    /// Counts one more.
    mutating func note(_ reason: ClientIgnoredReason) { counts[reason, default: 0] += 1 }
}
