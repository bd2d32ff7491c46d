//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
