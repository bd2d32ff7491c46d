//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension Reply {
    /// Bytes of a name that a refusal echoes, and of the whole sentence: what is kept for repeats is as small as what is useful to read.
    static let quotedByteCount = 80
    private static let refusalByteCount = 1_024
    /// Bytes of the sentence about another version: the longest that any client can ask for at will.
    private static let conflictByteCount = 256

    /// A refusal that changes nothing.
    static func refusal(_ code: FailureCode, _ text: String, arguments: [String] = [], retryAfter: Duration = .zero) -> Reply {
        let failure = Failure(code: code, text: text.cut(to: refusalByteCount), arguments: arguments, retryable: retryAfter > .zero)
        return .refused(failure, retryAfter: retryAfter)
    }

    /// The refusal of a request of another version.
    static var unknownRequest: Reply {
        refusal(.invalidData, "this front supports protocol version \(ProtocolVersion.current) and does not know that request")
    }

    /// The refusal of a request about a job that is not there.
    static func unknownJob(_ job: JobID) -> Reply {
        refusal(
            .unknownItem,
            "job \(job) is not known: it never existed, was forgotten after its end, or was lost with a front that kept its jobs in memory")
    }

    /// The refusal of a request about a view that is not there.
    static func noView(_ name: String, of key: FeedKey) -> Reply { refusal(.unknownItem, "feed \(key) has no view \(name)") }

    /// The refusal of a request that saw another version; the arguments name the current one.
    static func conflict(_ text: String, _ key: FeedKey, view: String? = nil, version: UInt64) -> Reply {
        let name = key.text.cut(to: quotedByteCount)
        let arguments = ["feed", name] + (view.map { ["view", $0] } ?? []) + ["version", String(version)]
        // Not retryable: asked again as it is it meets the same version, and only whoever asks can choose another.
        let failure = Failure(code: .conflict, text: text.cut(to: conflictByteCount), arguments: arguments)
        return .refused(failure, retryAfter: .zero)
    }

    /// Whether nothing was done.
    var isRefused: Bool {
        if case .refused = self { return true }
        return false
    }
}

extension Bounds {
    /// Why a request with an item's id is refused; nil: it is short enough.
    func refusal(ofItemID id: String) -> Reply? {
        guard id.utf8.count > itemIDByteCount else { return nil }
        return .refusal(.tooLarge, "the item's id is over \(itemIDByteCount) bytes (limit)")
    }
}

/// A bound that causes a refusal with `busy`: each such refusal names it, so that a check from outside can see which bounds were met. It is
/// never on the wire, where the sentence is for people.
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
    /// There were too many limits.
    case limits
    /// There were too many pauses.
    case pauses
    /// Limits with a rate had too many values.
    case limitValues
    /// Unique keys that were taken took too many bytes.
    case uniqueKeyByteCount
    /// Too many actions with many jobs were under way.
    case bulkActions
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
    /// A turn sent too many bytes of snapshots, or too much waited for the client that asked.
    case snapshotByteCount
}

/// After which time it is worth asking again what was refused at a bound. Sooner would only be refused again, and each repeat costs the
/// front as much as a first time.
enum RetryPause {
    /// Where a client only has to read or confirm what is on its way to it.
    static let short: Duration = .milliseconds(100)
    /// Where others have to finish: jobs, sessions, feeds, or people who make room on a disk.
    static let usual: Duration = .seconds(1)
    /// Where observers have to leave.
    static let long: Duration = .seconds(5)
}
