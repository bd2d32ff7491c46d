//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What a client's loop tells its user.
public enum ClientNotice: Hashable, Sendable {
    /// A session is open; told again when it was taken up after a loss or a new one had to be opened.
    case opened(FrontMessage.Welcome, FrontID, Epoch)
    /// The front answers, waits for its disk, or is lost; the client reconnects by itself.
    case availability(FrontAvailability)
    /// The front did not understand or does not let the client in; the client tries again by itself where that may help (`isRetryable`).
    case refused(ClientError)
    /// The session is over; a new one is being opened.
    case sessionLost
    /// The answer to a request, and the key of the feed that it was about as the front knows it.
    case replied(CallID, Reply, feed: FeedKey? = nil)
    /// A call's jobs were accepted, with consecutive ids.
    case accepted(CallID, first: JobID, count: UInt32)
    /// A call failed without an answer.
    case failed(CallID, ClientError)
    /// An awaited job ended.
    case ended(JobID, JobState, result: [UInt8])
    /// An awaited job's outcome will not come.
    case outcomeLost(JobID, ClientError)
    /// A page came.
    case page(CallID, PageReply)
    /// An observed topic moved.
    case topic(TopicUpdate)
    /// A topic cannot be observed: nothing of it follows.
    case topicFailed(Topic, ClientError)
}
