//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A bound of the front or a client that a world met, beside those at which somebody is told `busy`: what happens there was then really tried, and
/// not only drawn.
package enum MetBound: String, Sendable, CaseIterable {
    // MARK: What is seen in what the front sends

    /// A snapshot had several parts.
    case snapshotParts
    /// A topic that nobody observed was dropped and brought up again.
    case topicAge
    /// A session lapsed.
    case sessionGracePeriod
    /// An ended job was forgotten.
    case endedJobs
    /// A grant was as long as it may be.
    case grantJobs
    /// A message with outcomes was as long as it may be.
    case answerRows
    /// An argument or an item was too large.
    case payloadByteCount
    /// An item's id was too long.
    case itemIDByteCount
    /// A worker that offered too many loaders, or held too many leases, was refused.
    case loadersPerWorker
    case heldLeases
    /// A view that nobody used was forgotten.
    case viewAge
    /// Feeds were left to let go of a damaged object in a later turn.
    case damageLooks
    /// Jobs of a lost worker, or of a feed that was reset, were left to a later turn.
    case lostJobs
    case resetJobs
    /// More lists of work of one kind were left than one turn goes on with.
    case workLists
    /// A list went on at another page.
    case pageByteCount
    /// What one turn had for one client did not fit a frame.
    case largestFrame

    // MARK: What is seen when what is kept is compared with its bounds

    /// The replies of all sessions took so many bytes that each may have but a few.
    case allRetainedByteCount

    // MARK: What is seen in the loop between two turns

    /// A turn left messages for the next one.
    case turnMessages
    /// So much was gathered during a commit that only renewals and heartbeats were handled.
    case gatherByteLimit
    /// A socket was left unread, for one peer or all had sent too much.
    case inboxByteLimit

    /// Ended jobs were read out of a bundle beside the journal.
    case bundleJobs

    /// Several rows were under way at the same time.
    case rowsUnderWay

    // MARK: What clients say themselves

    /// A client had no room for a request or for the outcome of a job.
    case clientBusy
    /// What a client submitted at once was too large for one message.
    case clientTooLarge
}
