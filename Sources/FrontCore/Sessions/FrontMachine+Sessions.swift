//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Takes so many of a client's messages, in order.
    mutating func clientSpoke(
        _ peer: PeerID, _ principal: Principal, _ envelope: ClientEnvelope, from: Int, count: Int
    ) {
        var session = envelope.session
        for message in envelope.messages.dropFirst(from).prefix(count) {
            turn.step()
            if case .hello(let hello) = message {
                let greeted = state.sessions.greet(hello, from: peer, in: &turn)
                leave(greeted.lapsed)
                guard let opened = greeted.session else { return }
                session = opened
                continue
            }
            if session == .none, isNotUnderstood(message, session, peer) { continue }
            switch state.sessions.standing(of: session, at: peer) {
            case .speaks:
                state.sessions.hear(session, in: &turn)
                take(message, from: session, peer)
            case .ended:
                turn.noteLate(.sessionEnded)
                return turn.emit(.tell(peer, session, .sessionEnded))
            case .resumeFirst:
                turn.noteLate(.notResumed)
                return turn.emit(.tell(peer, session, .resumeFirst))
            }
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, session, from: from + count)) }
    }

    private mutating func take(_ message: ClientMessage, from session: SessionID, _ peer: PeerID) {
        switch message {
        case .hello: break
        case .heartbeat(let lowest): state.sessions.heartbeat(lowest, of: session, from: peer, in: &turn)
        case .bye: leave(state.sessions.end(session, in: &turn))
        case .submit(let submit): self.submit(submit, session, peer)
        case .request(let request): answer(request, session, peer)
        case .snapshot(let topic, let asked):
            let canonical = canonical(topic)
            let text = asked ?? (canonical == topic ? nil : topic.description)
            turn.emit(.sendSnapshot(peer, session, canonical, asked: text))
        case .snapshotPartRead(let topic): turn.emit(.continueSnapshot(peer, session, canonical(topic)))
        case .unknown, .unreadable: _ = isNotUnderstood(message, session, peer)
        }
    }

    /// Answers and counts a message that cannot be taken; false: it can.
    private mutating func isNotUnderstood(
        _ message: ClientMessage, _ session: SessionID, _ peer: PeerID
    ) -> Bool {
        let refused: Refused
        switch message {
        case .hello, .heartbeat, .bye, .request, .submit, .snapshot, .snapshotPartRead: return false
        case .unknown: refused = turn.refuseMalformed(nil)
        case .unreadable(let error): refused = turn.refuseMalformed(error)
        }
        turn.emit(.tell(peer, session, .refused(refused)))
        return true
    }

    /// The topic that changes are published under: a feed's with the defaults of its parameters filled in.
    private func canonical(_ topic: Topic) -> Topic {
        switch topic {
        case .feed(let key): (try? resolve(key).get()).map { .feed($0) } ?? topic
        case .view(let key, let name): (try? resolve(key).get()).map { .view($0, name) } ?? topic
        case .job, .jobs, .workers, .limits, .schedules, .front: topic
        }
    }

    /// The largest frame that a session's client takes.
    func largestFrame(of session: SessionID) -> Int { state.sessions.largestFrame(of: session) }

    /// Nobody of a session wishes these views to be kept any more.
    mutating func leave(_ views: [ClientSession.AttachedView]) {
        for attached in views { state.feeds.leave(attached.key, attached.view, in: &turn) }
    }
}
