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
    public var line: String {
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
