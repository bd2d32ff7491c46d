//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What a client's loop reports to its user.
package enum ClientNotice: Hashable, Sendable {
    /// A session is open; reported again when it was taken up after a loss or a new one had to be opened.
    case opened(FrontMessage.Welcome, FrontID, Epoch)
    /// The front answers, waits for its disk, or is lost; the client reconnects by itself.
    case availability(FrontAvailability)
    /// The front did not understand or does not let the client in; the client tries again by itself where that may help (`isRetryable`).
    case refused(ClientError)
    /// The session is over; a new one is being opened.
    case sessionLost
    /// The answer to a request, and the key of the feed that it was about as the front knows it.
    case replied(CallID, Reply, feed: FeedKey? = nil)
    /// A call's jobs were accepted, with consecutive ids; one with a unique key perhaps earlier.
    case accepted(CallID, first: JobID, count: UInt32, JobAcceptance = .new)
    /// A call failed without an answer.
    case failed(CallID, ClientError)
    /// Awaited jobs ended, a row for each; none of them is unknown. Together, for a notice of each costs more than all else that is done with it.
    case ended(FrontMessage.Answers)
    /// An awaited job's outcome will not come.
    case outcomeLost(JobID, ClientError)
    /// A page came.
    case page(CallID, PageReply)
    /// An observed topic moved.
    case topic(TopicUpdate)
    /// A topic cannot be observed: nothing of it follows.
    case topicFailed(Topic, ClientError)
}

/// Names one call of the client's user, so that its answer finds the way back. Chosen by the user of the loop, never sent.
package typealias CallID = Identifier<CallIDKind>

/// The phantom kind of a call id.
package enum CallIDKind {}

/// Whether the front of a client answers.
public enum FrontAvailability: String, Hashable, Sendable {
    /// Its heartbeats are answered.
    case answering
    /// It answers, but for over three seconds its disk has been full or has not finished writing: nothing new is accepted, and what was
    /// decided last is not shown yet.
    case waitingForDisk
    /// Three heartbeats in a row were not answered: it has ended, is stopped, or cannot be reached. What is shown may be old.
    case lost

    /// One sentence for people.
    package var line: String {
        switch self {
        case .answering: "the front answers"
        case .waitingForDisk: "the front waits for its disk: nothing new is accepted until it has room and is written"
        case .lost: "the front does not answer: what is shown may be old"
        }
    }
}

/// What a session's machine wants done.
package enum SessionAction: Hashable, Sendable {
    /// Notify the user.
    case notify(ClientNotice)
    /// Close the requests socket and connect a new one.
    case reconnect
    /// The session is open, for the first time or again after silence: topics without proof ask now.
    case opened(FrontMessage.Welcome, FrontID, Epoch)
    /// The front answers, waits for its disk, or is lost.
    case availability(FrontAvailability)
    /// A part of a topic came in.
    case snapshot(FrontMessage.SnapshotPart, FrontID, Epoch)
    /// A topic, by the text that asked for it, will never have a snapshot.
    case topicFailed(asked: String, ClientError)
}

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
