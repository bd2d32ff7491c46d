//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What of sessions is durable changes here, by entries: `ClientSessions` says what is to become of one, and takes what an entry has made of it.
extension FrontTurn {
    /// Handles a message of a client.
    mutating func receive(_ message: ClientMessage, of session: SessionID, from peer: PeerID) -> ClientStep {
        switch state.sessions.receive(message, of: session, from: peer, in: &context) {
        case .hello(let hello): greet(hello, from: peer)
        case .close: .ended(left: end(session))
        case .step(let step): step
        }
    }

    private mutating func greet(_ hello: ClientMessage.Hello, from peer: PeerID) -> ClientStep {
        switch state.sessions.greet(hello, from: peer, in: &context) {
        case .refused: return .refused
        case .takenUp(let id): return .greeted(id)
        case .opens(let unused):
            // First, so that there are never more sessions than the bound. One that was never used is attached to no view.
            if let unused { _ = end(unused) }
            let opened = state.sessions.opening(hello, settings)
            record(.sessionOpened(opened))
            state.sessions.begin(opened.session, hello, from: peer, in: &context)
            return .greeted(opened.session)
        }
    }

    /// Ends a session: its replies are forgotten, its jobs go on.
    /// - Returns: the views that it was attached to.
    private mutating func end(_ id: SessionID) -> [ClientSession.AttachedView] {
        // Before the entry, after which nothing is known of its attachments and its connection.
        let lapsed = state.sessions.close(id, in: &context)
        record(.sessionEnded(JournalEntry.SessionEnded(id)))
        state.sessions.notifyCount(in: &context)
        return lapsed
    }

    /// What of a kind is due, and of which clients something was read that is not handled: sessions alone ask for those, and no other deadline
    /// pays for that.
    mutating func takeDue(_ kind: DeadlineOwner.Kind, _ reading: TurnReading) -> (owners: [DeadlineOwner], waiting: Set<PeerID>) {
        guard kind == .session else { return (context.takeDue(kind), []) }
        guard !state.sessions.isClockStanding(at: reading.began) else {
            context.holdDeadlines(of: kind, for: ClientSessions.unreadPause)
            return ([], [])
        }
        let owners = context.takeDue(kind)
        let waiting = owners.isEmpty ? [] : Set(reading.waitingClients)
        step(waiting.count)
        return (owners, waiting)
    }

    /// A session's time may have come.
    /// - Returns: the views whose attachments end.
    mutating func lookAt(_ id: SessionID, _ reading: TurnReading, waiting: Set<PeerID>) -> [ClientSession.AttachedView] {
        switch state.sessions.lookAt(id, reading, waiting: waiting, in: &context) {
        case .goesOn(let lapsed): lapsed
        case .isOver: end(id)
        }
    }

    /// Answers a request that was admitted, and keeps the reply if a second run would do something a second time or costs much.
    /// - Parameter feed: The feed that it was about, with its defaults filled in.
    mutating func conclude(_ asked: NumberedRequest, with reply: Reply, feed: FeedKey? = nil) {
        let kept = RetainedReply(number: asked.number, reply: reply, feed: feed, fingerprint: asked.fingerprint)
        if asked.isHeld { state.sessions.hold(kept, of: asked.session) }
        if asked.changesState {
            // The room that is left belongs to what runs: a refusal is remembered by its number alone.
            if context.storageIsFull, reply.isRefused {
                state.sessions.noteRefusal(of: asked)
            } else {
                let mark = RequestNumber(state.sessions[asked.session]?.lowestUnanswered ?? 0)
                record(.replyRetained(JournalEntry.ReplyRetained(asked.session, kept, lowestUnanswered: mark)))
            }
        }
        emit(.send(asked.peer, asked.session, .reply(number: asked.number, reply, feed: feed)))
    }
}
