//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is to be done with a client's message, after its session has heard it.
enum ClientStep {
    /// Nothing is left to do.
    case taken
    /// It speaks in that session from now on; nobody of sessions that ended for it wishes these views to be kept any more.
    case greeted(SessionID, left: [ClientSession.AttachedView])
    /// The session has ended.
    case ended(left: [ClientSession.AttachedView])
    case submit(ClientMessage.Submit)
    case request(ClientMessage.Request)
    /// A snapshot is to be sent of that topic, under the name that it was asked by.
    case snapshot(Topic, asked: String?)
    /// A part of a snapshot was read.
    case snapshotPartRead(Topic)
    /// Nothing else of its envelope is taken: its sender was told why.
    case refused
}

extension ClientSessions {
    /// What is to be done with a client's message that its session has heard, where what is durable of sessions may change.
    enum Hearing {
        /// A connection says hello.
        case hello(ClientMessage.Hello)
        /// The session's client sends close.
        case close
        /// Nothing durable of a session changes by it.
        case step(ClientStep)
    }

    /// Hears a message of a client.
    mutating func receive(
        _ message: ClientMessage, of session: SessionID, from peer: PeerID, in turn: inout TurnContext
    ) -> Hearing {
        if case .hello(let hello) = message { return .hello(hello) }
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
    ) -> Hearing {
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
