//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A bound at which somebody is told `busy`: whoever makes such a refusal names it, so that a check from outside can see which bounds were met.
/// It is never on the wire, where the sentence is for people.
package enum BusyBound: String, Sendable, CaseIterable {
    /// Too many requests of a session were unanswered.
    case requestWindow
    /// A session had not confirmed too many bytes of replies to changes.
    case retainedByteCount
    /// The queue was full.
    case queuedJobs
    /// What jobs that have not ended carry took too many bytes.
    case queuedByteCount
    /// Too many jobs had come since one that was still kept.
    case jobSpan
    /// Jobs named too many different loaders.
    case loaderNames
    /// Too many replies to reading requests were not confirmed, or too many bytes of them.
    case readingRequests
    /// Too many questions waited for ended jobs to be read.
    case endedReadings
    /// Too much waited for a client that reads slowly.
    case unreadReplies
    /// Too many feeds were in use.
    case feeds
    /// A feed had too many views.
    case viewsPerFeed
    /// All feeds together had too many views.
    case views
    /// A session was attached to too many views, or all sessions together were.
    case attachments
    /// The details of views took too many bytes.
    case detailByteCount
    /// Too many workers were known.
    case workers
    /// Too many sessions were open.
    case sessions
    /// A connection had too many sessions.
    case sessionsPerConnection
    /// Too many topics were kept, all of them observed.
    case topics
    /// Too many snapshots were on their way, or too many bytes of them to one client.
    case snapshots
    /// A turn sent too many bytes of snapshots, or too much waited for who asked.
    case snapshotByteCount
}
