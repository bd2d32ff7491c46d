//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Takes so many of a client's messages, in order.
    mutating func clientSpoke(
        _ peer: PeerID, _ principal: Principal, _ envelope: ClientEnvelope, from: Int, count: Int, into actions: inout [FrontAction]
    ) {
        var session = envelope.session
        for message in envelope.messages.dropFirst(from).prefix(count) {
            step()
            if case .hello(let hello) = message {
                guard let opened = self.hello(hello, peer, into: &actions) else { return }
                session = opened
                continue
            }
            guard state.sessions[session.rawValue] != nil else {
                actions.append(.tell(peer, session, .sessionEnded))
                return
            }
            connect(session, to: peer)
            state.sessions[session.rawValue]?.heardAt = now.monotonic
            take(message, from: session, peer, into: &actions)
        }
        if count < envelope.messages.count - from { actions.append(.goOn(peer, session, from: from + count)) }
    }

    private mutating func take(_ message: ClientMessage, from session: SessionID, _ peer: PeerID, into actions: inout [FrontAction]) {
        switch message {
        case .hello: break
        case .heartbeat(let lowest): heartbeat(lowest, session, peer, into: &actions)
        case .bye: endSession(session, into: &actions)
        case .submit(let submit): self.submit(submit, session, peer, into: &actions)
        case .request(let request): answer(request, session, peer, into: &actions)
        case .snapshot(let topic, _): actions.append(.sendSnapshot(peer, session, topic))
        case .snapshotPartRead(let topic): actions.append(.continueSnapshot(peer, topic))
        case .unknown:
            let reason = "this front speaks protocol version \(ProtocolVersion.current) and does not know that message"
            actions.append(.tell(peer, session, .refused(Refused(reason: reason, code: .invalidData))))
        case .unreadable(let error): actions.append(.tell(peer, session, .refused(Refused(error))))
        }
    }

    /// Opens a session or takes one up again; nil: refused or over.
    private mutating func hello(_ hello: ClientMessage.Hello, _ peer: PeerID, into actions: inout [FrontAction]) -> SessionID? {
        guard hello.minimumVersion <= ProtocolVersion.current, hello.maximumVersion >= ProtocolVersion.current else {
            let reason =
                "protocol versions \(hello.minimumVersion) to \(hello.maximumVersion) are offered, this front speaks "
                + "\(ProtocolVersion.current): use a client of the same release"
            actions.append(.tell(peer, .none, .refused(Refused(reason: reason))))
            return nil
        }
        if let resumed = hello.resumed {
            guard state.sessions[resumed.rawValue] != nil else {
                actions.append(.tell(peer, resumed, .sessionEnded))
                return nil
            }
            connect(resumed, to: peer)
            state.sessions[resumed.rawValue]?.heardAt = now.monotonic
            state.sessions[resumed.rawValue]?.largestFrame = Self.largestFrame(of: hello)
            actions.append(.tell(peer, resumed, .welcome(welcome(resumed, isResumed: true))))
            return resumed
        }
        guard state.sessions.count < settings.bounds.sessions else {
            let reason = "\(settings.bounds.sessions) sessions are open (limit): retry when some have ended"
            actions.append(.tell(peer, .none, .refused(Refused(reason: reason, code: .busy, retryAfterMilliseconds: 1_000))))
            return nil
        }
        nextSession += 1
        let id = SessionID(settings.epoch.rawValue << 32 | nextSession)
        record(.sessionOpened(id, label: hello.label, role: hello.role), into: &actions)
        connect(id, to: peer)
        state.sessions[id.rawValue]?.heardAt = now.monotonic
        state.sessions[id.rawValue]?.largestFrame = Self.largestFrame(of: hello)
        check(.sessions, by: now.monotonic.adding(milliseconds: settings.attachmentMilliseconds))
        noteSessions(into: &actions)
        actions.append(.tell(peer, id, .welcome(welcome(id, isResumed: false))))
        return id
    }

    /// What the client takes in one frame; a smaller wish than the protocol allows is not heard.
    private static func largestFrame(of hello: ClientMessage.Hello) -> Int { max(Int(hello.largestFrame), 65_536) }

    /// The largest frame that a session's client takes.
    func largestFrame(of session: SessionID) -> Int { state.sessions[session.rawValue]?.largestFrame ?? .max }

    private func welcome(_ session: SessionID, isResumed: Bool) -> FrontMessage.Welcome {
        var welcome = FrontMessage.Welcome(session: session, isResumed: isResumed)
        welcome.heartbeatMilliseconds = UInt32(settings.heartbeatMilliseconds)
        welcome.requestWindow = UInt32(settings.bounds.requestWindow)
        welcome.changesEndpoint = settings.changesEndpoint
        welcome.pagesEndpoint = settings.pagesEndpoint
        welcome.durability = settings.durability.rawValue
        return welcome
    }

    /// Ends a session: its attachments lapse, its replies are forgotten, its jobs go on.
    mutating func endSession(_ id: SessionID, into actions: inout [FrontAction]) {
        lapseAttachments(of: id)
        disconnect(id)
        record(.sessionEnded(id), into: &actions)
        noteSessions(into: &actions)
    }

    /// The views that a session kept are kept by it no longer.
    mutating func lapseAttachments(of id: SessionID) {
        guard let attached = state.sessions[id.rawValue]?.attachments, !attached.isEmpty else { return }
        state.sessions[id.rawValue]?.attachments = []
        for view in attached.sorted(by: { ($0.key, $0.view) < ($1.key, $1.view) }) { leave(view.key) }
    }

    private mutating func noteSessions(into actions: inout [FrontAction]) {
        summary.sessions = UInt32(state.sessions.count)
        actions.append(.changed(.front, key: "front"))
    }
}
