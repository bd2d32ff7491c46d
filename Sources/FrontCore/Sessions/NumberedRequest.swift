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
    /// Whether a request is to be run; otherwise it has been answered here, and nothing is written for it: it is a repeat, or is refused again
    /// when it is repeated, because a session's role never changes and what was refused for want of room stays refused under its number.
    mutating func admits(_ asked: NumberedRequest) -> Bool {
        guard admitsNumber(of: asked) else { return false }
        guard let refused = refusal(byRole: asked.right, asked.session) ?? (asked.changesState ? refusalOfKeeping(asked) : nil)
        else { return true }
        turn.emit(.tell(asked.peer, asked.session, .reply(number: asked.number, refused)))
        return false
    }

    /// Why a request that was admitted cannot be run now: the disk is full, or the queue.
    mutating func refusalForNow(of asked: NumberedRequest) -> Reply? {
        if storageIsFull, asked.needsStorage {
            return .refusal(
                .storageFull, "\(turn.settings.fullDiskText): free some space; nothing accepted is lost", retryAfter: RetryPause.usual)
        }
        return asked.jobs.flatMap { refusalOfJobs($0.count, byteCount: $0.byteCount) }
    }

    /// Answers a request that was admitted, and keeps the reply if a second run would do something a second time.
    ///
    /// - Parameters:
    ///   - feed: The feed that it was about, with its defaults filled in.
    ///   - isKept: Whether an entry that was recorded for it keeps the reply already.
    mutating func conclude(
        _ asked: NumberedRequest, with reply: Reply, feed: FeedKey? = nil, isKept: Bool = false
    ) {
        if asked.changesState, !isKept {
            if storageIsFull, reply.isRefused {
                // No refusal is written to a full disk.
                noteRefusal(of: asked)
            } else {
                let kept = KeptReply(number: asked.number, reply: reply, feed: feed, fingerprint: asked.fingerprint)
                record(.replyKept(Fact.ReplyKept(asked.session, kept)))
            }
        }
        turn.emit(.tell(asked.peer, asked.session, .reply(number: asked.number, reply, feed: feed)))
    }

    /// A change was refused and the refusal is not kept: a copy of it that is still on its way must not be carried out behind its user's back.
    mutating func noteRefusal(of asked: NumberedRequest) {
        state.sessions[asked.session.rawValue]?.noteRefusal(of: asked.number)
    }
}
