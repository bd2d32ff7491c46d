//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A bound of the front that a world met: what happens there was then really tried, and not only drawn.
package enum MetBound: String, Sendable, CaseIterable {
    // MARK: What is told with `busy`

    /// Too many requests of a session were unanswered.
    case requestWindow
    /// The queue was full.
    case queuedJobs
    /// The arguments of the jobs in the queue took too many bytes.
    case queuedByteCount
    /// Too many replies to reading requests were not confirmed.
    case readingRequests
    /// Too much waited for a client that reads slowly.
    case unreadReplies
    /// A feed had too many views.
    case viewsPerFeed
    /// All feeds together had too many views.
    case views
    /// Too many workers were known.
    case workers
    /// Too many sessions were open.
    case sessions
    /// A connection had too many sessions.
    case sessionsPerConnection
    /// Too many topics or snapshots were kept.
    case snapshots
    /// A turn sent too many bytes of snapshots, or too much waited for who asked.
    case snapshotByteCount
    /// The details of views took too many bytes.
    case detailByteCount

    // MARK: What is seen in what the front sends

    /// A snapshot had several parts.
    case snapshotParts
    /// A topic that nobody observed was dropped and brought up again.
    case topicMilliseconds
    /// A session lapsed.
    case sessionMilliseconds
    /// An ended job was forgotten.
    case endedJobs
    /// A grant was as long as it may be.
    case grantJobs
    /// A message with outcomes was as long as it may be.
    case answerRows
    /// A list went on at another page.
    case pageByteCount
    /// What one turn had for one client did not fit a frame.
    case largestFrame

    // MARK: What is seen in the loop between two turns

    /// A turn left messages for the next one.
    case turnMessages
    /// So much was gathered during a commit that only renewals and heartbeats were handled.
    case gatherByteLimit
    /// A socket was left unread, for one peer or all had sent too much.
    case inboxByteLimit

    /// The bound that a refusal speaks of, by its words; nil: of none of these.
    init?(refusal text: String) {
        guard let found = Self.words.first(where: { text.contains($0.words) }) else { return nil }
        self = found.bound
    }

    /// What a refusal says at a bound. One that says something else would be found by nobody, and the standard seeds would miss it.
    private static let words: [(words: String, bound: MetBound)] = [
        ("requests are unanswered (limit)", .requestWindow), ("jobs are waiting (limit", .queuedJobs),
        ("bytes of arguments (limit", .queuedByteCount), ("are under way (limit", .readingRequests),
        ("that it has not read (limit)", .unreadReplies),
        ("views (limit): use one of them", .viewsPerFeed), ("views are in use (limit)", .views),
        ("workers are known (limit)", .workers), ("sessions are open (limit)", .sessions),
        ("sessions (limit): close one of them first", .sessionsPerConnection),
        ("too many topics or snapshots are kept (limit)", .snapshots), ("so much waits for this client, or for all", .snapshotByteCount),
        ("details of all views hold", .detailByteCount),
    ]
}
