//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Each request has one reply: a repeat gets the kept one, and is never run again.
extension ClientSessions {
    /// Whether a request is to be run; otherwise it has been answered here, and nothing is written for it: it is a repeat, or is refused again
    /// when it is repeated, because a connection's rights never change and what was refused for want of room stays refused under its number.
    mutating func admits(_ asked: NumberedRequest, in turn: inout TurnContext) -> Bool {
        let refused: Reply
        switch take(asked) {
        case .run:
            guard let reply = refusal(byRightsOf: asked) ?? (asked.changesState ? refusalOfKeeping(asked, in: &turn) : nil)
            else { return true }
            refused = reply
        case .repeated(let retained):
            turn.emit(.send(asked.peer, asked.session, .reply(number: asked.number, retained.reply, feed: retained.feed)))
            return false
        case .refused(let fault):
            let text = fault.text(asked.number, asked.lowestUnanswered, window: requestWindow)
            let isBusy = fault == .outsideWindow
            refused = isBusy ? turn.busy(.requestWindow, text, retryAfter: RetryPause.short) : .refusal(fault.code, text)
        case nil: return false
        }
        turn.emit(.send(asked.peer, asked.session, .reply(number: asked.number, refused)))
        return false
    }

    /// Why who asks may not do it.
    private func refusal(byRightsOf asked: NumberedRequest) -> Reply? {
        asked.rights.isSuperset(of: asked.right) ? nil : .refused(.without(asked.right), retryAfter: .zero)
    }

    /// Why a change may not be made: its client has not said of too many replies that it has them, or was told before that the number did
    /// nothing. Such a refusal is not kept itself.
    private mutating func refusalOfKeeping(_ asked: NumberedRequest, in turn: inout TurnContext) -> Reply? {
        let bounds = turn.settings.bounds
        guard let session = self[asked.session] else { return nil }
        guard asked.number.rawValue > session.refusedThrough else {
            let text = "there was no room when request \(asked.number) came, and it did nothing: ask again under a new number"
            return .refusal(.busy, text, retryAfter: RetryPause.short)
        }
        let count = session.retainedByteCount
        let limit =
            retainedByteCount < bounds.allRetainedByteCount
            ? bounds.retainedByteCount : min(bounds.sparedByteCount, bounds.retainedByteCount)
        guard count >= limit else { return nil }
        noteRefusal(of: asked)
        let text = "replies of \(count) bytes are kept for this session (limit \(limit)): say in lowest_unanswered which have come"
        return turn.busy(.retainedByteCount, text, retryAfter: RetryPause.short)
    }

    /// Why a request that only reads cannot be run now: too many replies are under way, or wait for a client that does not read. A reply that
    /// costs as much as the state is large is held for repeats, so few of those may be under way.
    func refusalOfReading(_ asked: NumberedRequest, in turn: inout TurnContext) -> Reply? {
        if !asked.changesState, isFull(asked.peer) {
            return turn.busy(
                .unreadReplies, "replies wait for this client that it has not read (limit): read them first", retryAfter: RetryPause.usual)
        }
        let bounds = turn.settings.bounds
        guard asked.isHeld, let session = self[asked.session] else { return nil }
        guard session.readings < bounds.readingRequests, session.readingByteCount < bounds.readingByteCount else {
            let text =
                "\(session.readings) replies with \(session.readingByteCount) bytes are under way (limit \(bounds.readingRequests) and "
                + "\(bounds.readingByteCount)): say in lowest_unanswered which have come"
            return turn.busy(.readingRequests, text, retryAfter: RetryPause.short)
        }
        return nil
    }
}

/// A frame that has to wait, or is dropped, is heard all the same.
extension ClientSessions {
    /// The newest heartbeat of a frame that has to wait or is dropped: the session is alive whatever becomes of the rest.
    mutating func receiveWaiting(_ envelope: ClientEnvelope, from peer: PeerID, in turn: inout TurnContext) {
        turn.step(envelope.messages.count)
        guard standing(of: envelope.session, at: peer) == .connected else { return }
        var newest: RequestNumber?
        for case .heartbeat(let lowest) in envelope.messages { newest = lowest }
        guard let newest else { return }
        receive(envelope.session, in: &turn)
        heartbeat(newest, of: envelope.session, from: peer, in: &turn)
    }
}
