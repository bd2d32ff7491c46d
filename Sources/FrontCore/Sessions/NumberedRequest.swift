//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the front has to know of a request with a number before it runs it, be it a submit of jobs or anything else: both take the same road.
struct NumberedRequest {
    let number: RequestNumber
    let lowestUnanswered: RequestNumber
    /// Tells a repeat from another request under the same number.
    let fingerprint: UInt64
    let session: SessionID
    let peer: PeerID
    /// What the session's role must have.
    let right: Role.Right
    /// Whether its reply is kept, because a second run would do something a second time.
    let changesState: Bool
    /// Whether it waits for room on a full disk. A cancel does not: it is what makes jobs end.
    let needsStorage: Bool
    /// The jobs that it adds to the queue, and their bytes; nil: it adds none.
    let jobs: (count: Int, byteCount: Int)?
}

extension NumberedRequest {
    init(_ request: ClientMessage.Request, _ session: SessionID, _ peer: PeerID) {
        let body = request.body
        self.init(
            number: request.number, lowestUnanswered: request.lowestUnanswered, fingerprint: body.fingerprint, session: session, peer: peer,
            right: body.right, changesState: body.changesState, needsStorage: body.changesState && body.effect != .cancel,
            jobs: body.effect == .work ? (1, body.byteCount + RoughSize.feed) : nil)
    }

    init(_ submit: ClientMessage.Submit, _ session: SessionID, _ peer: PeerID) {
        self.init(
            number: submit.number, lowestUnanswered: submit.lowestUnanswered, fingerprint: submit.fingerprint, session: session, peer: peer,
            right: .change, changesState: true, needsStorage: true, jobs: (submit.arguments.count, submit.byteCount))
    }
}

extension FrontMachine {
    /// Why a request that was admitted cannot be run now: the disk is full, or the queue.
    mutating func refusalForNow(of asked: NumberedRequest) -> Reply? {
        if storageIsFull, asked.needsStorage {
            return .refusal(
                .storageFull, "\(turn.settings.fullDiskText): free some space; nothing accepted is lost", retryAfter: RetryPause.usual)
        }
        return asked.jobs.flatMap { refusalOfJobs($0.count, byteCount: $0.byteCount) }
    }

    /// Answers a request that was admitted: see `ClientSessions.conclude`.
    mutating func conclude(_ asked: NumberedRequest, with reply: Reply, feed: FeedKey? = nil, isKept: Bool = false) {
        state.sessions.conclude(asked, with: reply, feed: feed, isKept: isKept, isDiskFull: storageIsFull, in: &turn)
    }
}
