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
                guard let opened = self.hello(hello, peer) else { return }
                session = opened
                continue
            }
            if session == .none, isNotUnderstood(message, session, peer) { continue }
            guard let owner = state.sessions[session.rawValue]?.peer else {
                turn.emit(.tell(peer, session, .sessionEnded))
                return
            }
            guard owner == peer else {
                // Who knows a session's number only may do nothing in it, not even end it.
                turn.emit(.tell(peer, session, .resumeFirst))
                return
            }
            state.sessions[session.rawValue]?.heardAt = sessionClock.reading(at: turn.now.monotonic)
            take(message, from: session, peer)
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, session, from: from + count)) }
    }

    private mutating func take(_ message: ClientMessage, from session: SessionID, _ peer: PeerID) {
        switch message {
        case .hello: break
        case .heartbeat(let lowest): heartbeat(lowest, session, peer)
        case .bye: endSession(session)
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
    func largestFrame(of session: SessionID) -> Int { state.sessions[session.rawValue]?.largestFrame ?? .max }

    /// Ends a session: its attachments lapse, its replies are forgotten, its jobs go on.
    mutating func endSession(_ id: SessionID) {
        lapseAttachments(of: id)
        disconnect(id)
        turn.deadlines.remove(.session(id))
        record(.sessionEnded(Fact.SessionEnded(id)))
        noteSessions()
    }

    /// The views that a session kept are kept by it no longer.
    mutating func lapseAttachments(of id: SessionID) {
        guard let attached = state.sessions[id.rawValue]?.attachments, !attached.isEmpty else { return }
        state.sessions[id.rawValue]?.attachments = []
        for view in attached.sorted(by: { ($0.key, $0.view) < ($1.key, $1.view) }) { leave(view.key, view.view) }
    }

    /// Says how many sessions are open.
    mutating func noteSessions() {
        let count = UInt32(state.sessions.count)
        turn.changeSummary { $0.sessions = count }
    }
}
