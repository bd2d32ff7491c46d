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

/// What is to be done with a client's message, after its session has noted it.
enum ClientStep {
    /// Nothing is left to do.
    case taken
    /// It owns that session from now on.
    case greeted(SessionID)
    /// The session has ended.
    case ended(left: [ClientSession.AttachedView])
    case submit(ClientMessage.Submit)
    case request(ClientMessage.Request)
    /// A snapshot is to be sent of that topic, under the name that it was asked by.
    case snapshot(Topic, asked: String?)
    /// A part of a snapshot was read.
    case snapshotPartRead(Topic)
    /// The rest of its envelope is dropped: its sender got the reason.
    case refused
}

extension ClientSessions {
    /// What is to be done with a client's message that its session has noted, where what is durable of sessions may change.
    enum Handling {
        /// A connection says hello.
        case hello(ClientMessage.Hello)
        /// The session's client sends close.
        case close
        /// Nothing durable of a session changes by it.
        case step(ClientStep)
    }

    /// Handles a message of a client.
    mutating func receive(
        _ message: ClientMessage, of session: SessionID, from peer: PeerID, in turn: inout TurnContext
    ) -> Handling {
        if case .hello(let hello) = message { return .hello(hello) }
        // No session is named, so there is none to resume first: its sender is to know that it was not understood, and a hello beside it
        // counts.
        if session == .none, isNotUnderstood(message, session, peer, in: &turn) { return .step(.taken) }
        switch standing(of: session, at: peer) {
        case .connected:
            receive(session, in: &turn)
            return take(message, of: session, from: peer, in: &turn)
        case .ended:
            turn.noteIgnored(.sessionEnded)
            turn.emit(.send(peer, session, .sessionEnded))
        case .resumeFirst:
            turn.noteIgnored(.notResumed)
            turn.emit(.send(peer, session, .resumeFirst))
        }
        return .step(.refused)
    }

    private mutating func take(
        _ message: ClientMessage, of session: SessionID, from peer: PeerID, in turn: inout TurnContext
    ) -> Handling {
        switch message {
        case .hello: break
        case .heartbeat(let lowest): heartbeat(lowest, of: session, from: peer, in: &turn)
        case .close: return .close
        case .submit(let submit): return .step(.submit(submit))
        case .request(let request): return .step(.request(request))
        case .snapshot(let topic, let asked): return .step(.snapshot(topic, asked: asked))
        case .snapshotPartRead(let topic): return .step(.snapshotPartRead(topic))
        case .unknown, .unreadable: _ = isNotUnderstood(message, session, peer, in: &turn)
        }
        return .step(.taken)
    }

    /// Answers and counts a message that cannot be taken; false: it can.
    private func isNotUnderstood(_ message: ClientMessage, _ session: SessionID, _ peer: PeerID, in turn: inout TurnContext) -> Bool {
        let refused: Refused
        switch message {
        case .hello, .heartbeat, .close, .request, .submit, .snapshot, .snapshotPartRead: return false
        case .unknown: refused = turn.refuseMalformed(nil)
        case .unreadable(let error): refused = turn.refuseMalformed(error)
        }
        turn.emit(.send(peer, session, .refused(refused)))
        return true
    }
}

extension ClientMessage.Hello {
    /// Why a front cannot take it, whatever sessions there are; nil: it can.
    func refusal(by settings: FrontSettings) -> Refused? {
        guard ProtocolVersion.isOffered(from: minimumVersion, to: maximumVersion) else {
            let reason =
                "protocol versions \(minimumVersion) to \(maximumVersion) are offered, this front supports "
                + "\(ProtocolVersion.current): use a client of the same release"
            return Refused(reason: reason, code: .invalidData)
        }
        if let front = settings.token, !front.admits(token) {
            return Refused(reason: "the token is not that of this front: send the content of DATA/run/token in hello", code: .notAuthorized)
        }
        // A single message is never split, and one of the largest must fit.
        guard largestFrame >= MessageBounds.smallestFrameByteCount else {
            let reason = "largest_frame is \(largestFrame), but a client must take frames of \(MessageBounds.smallestFrameByteCount) bytes"
            return Refused(reason: reason, code: .invalidData)
        }
        return nil
    }
}

extension FrontMessage.Welcome {
    /// What a front sends to the client of a new session.
    init(session: SessionID, isResumed: Bool, by settings: FrontSettings) {
        self.init(session: session, isResumed: isResumed)
        heartbeat = settings.heartbeat
        requestWindow = UInt32(settings.bounds.requestWindow)
        changesEndpoint = settings.changesEndpoint
        pagesEndpoint = settings.pagesEndpoint
        durability = JobDurability(rawValue: settings.durability.rawValue)
    }
}
