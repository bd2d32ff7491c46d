//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// One call of a remote feed whose caller waits.
struct RemoteFeedCall: Hashable, Sendable {
    /// A call's place in the order of asking; never used twice by one machine.
    typealias ID = UInt64

    /// What was asked.
    enum Kind: Hashable, Sendable {
        /// Load: everybody sees `loading` until its outcome is there.
        case load
        /// Ask the source again in the background: what is shown stays.
        case refresh
        /// Show the feed as it is.
        case attach
    }

    /// How far it is.
    enum Phase: Hashable, Sendable {
        /// The request or its job is under way. Moves to `confirming`.
        case working
        /// The work has ended; the topics do not show it yet. Over when they do, or when the grace period has ended.
        case confirming(Evidence, isPatient: Bool)
    }

    /// By what the feed's state shows that an ended job is in it. Topics and answers travel on different sockets.
    enum Evidence: Hashable, Sendable {
        /// Whatever state there is.
        case anyState
        /// Content that was accepted then or later, or a failure of this job or a later one.
        case outcome(JobID, acceptedAt: WallTime)
    }

    /// Its place.
    let id: ID
    /// What was asked.
    let kind: Kind
    /// How far it is.
    var phase: Phase

    /// The proof that an ended job asks for; nil: the job is not known any more, as little as one that cannot be read.
    static func evidence(of ended: JobSummary?) -> Evidence {
        guard let ended, ended.state != .cancelled, let acceptedAt = ended.acceptedAt else { return .anyState }
        return .outcome(ended.id, acceptedAt: acceptedAt)
    }

    /// Whether the state of the feed answers the call; `feed` nil: the front keeps no such feed.
    func isAnswered(by feed: FeedState?) -> Bool {
        guard case .confirming(let evidence, let isPatient) = phase else { return false }
        guard let feed else { return true }
        // The next load is under way already: its outcome is shown together with this one's.
        guard feed.activity == .idle else { return false }
        guard isPatient, case .outcome(let job, let acceptedAt) = evidence else { return true }
        // A later failure has taken the place of this one, or of what this job brought.
        if let failure = feed.failure, failure.id.rawValue >= job.rawValue { return true }
        return feed.content.map { $0.storedAt >= acceptedAt } ?? false
    }
}
