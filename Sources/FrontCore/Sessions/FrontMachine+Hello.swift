//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// The smallest frame that a client must take: a result of 65,536 bytes with what travels around it fits.
    static let smallestLargestFrame: UInt32 = 131_072

    /// Opens a session or takes one up again; nil: refused or over.
    mutating func hello(_ hello: ClientMessage.Hello, _ peer: PeerID) -> SessionID? {
        if let refused = refusal(of: hello) {
            turn.emit(.tell(peer, hello.resumed ?? .none, .refused(refused)))
            return nil
        }
        if let resumed = hello.resumed {
            guard state.sessions[resumed.rawValue] != nil else {
                turn.emit(.tell(peer, resumed, .sessionEnded))
                return nil
            }
            return takeUp(resumed, hello, peer, isResumed: true)
        }
        if let known = state.sessionNonces[hello.nonce] { return takeUp(known, hello, peer, isResumed: false) }
        if let refused = refusalOfAnotherSession(at: peer) {
            turn.emit(.tell(peer, .none, .refused(refused)))
            return nil
        }
        let id = unusedSession()
        let opened = Fact.SessionOpened(id, label: hello.label, role: hello.role, nonce: hello.nonce)
        record(.sessionOpened(opened))
        state.sessions[id.rawValue]?.highestNumber = 0
        noteSessions()
        let session = takeUp(id, hello, peer, isResumed: false)
        checkSession(id, after: turn.settings.sessionMilliseconds)
        return session
    }

    /// Binds a session to the connection that said hello for it: from another one it is answered `resumeFirst` from now on.
    private mutating func takeUp(
        _ id: SessionID, _ hello: ClientMessage.Hello, _ peer: PeerID, isResumed: Bool
    ) -> SessionID {
        connect(id, to: peer)
        state.sessions[id.rawValue]?.heardAt = sessionClock.reading(at: turn.now.monotonic)
        state.sessions[id.rawValue]?.largestFrame = Int(hello.largestFrame)
        turn.emit(.tell(peer, id, .welcome(welcome(id, isResumed: isResumed))))
        return id
    }

    /// Why a hello cannot be taken, whatever sessions there are.
    private func refusal(of hello: ClientMessage.Hello) -> Refused? {
        guard hello.minimumVersion <= ProtocolVersion.current, hello.maximumVersion >= ProtocolVersion.current else {
            let reason =
                "protocol versions \(hello.minimumVersion) to \(hello.maximumVersion) are offered, this front speaks "
                + "\(ProtocolVersion.current): use a client of the same release"
            return Refused(reason: reason, code: .invalidData)
        }
        if let token = turn.settings.token, !token.admits(hello.token) {
            return Refused(reason: "the token is not that of this front: say the content of DATA/run/token in hello", code: .notAuthorized)
        }
        guard Role(rawValue: hello.role) != nil else {
            let reason = "there is no role \"\(hello.role)\": say observe, request or admin"
            return Refused(reason: reason, code: .notAuthorized)
        }
        guard hello.largestFrame >= Self.smallestLargestFrame else {
            let reason = "largest_frame is \(hello.largestFrame), but a client must take frames of \(Self.smallestLargestFrame) bytes"
            return Refused(reason: reason, code: .invalidData)
        }
        return nil
    }

    private mutating func refusalOfAnotherSession(at peer: PeerID) -> Refused? {
        let bounds = turn.settings.bounds
        if connections[peer]?.count ?? 0 >= bounds.sessionsPerConnection {
            let reason = "this connection has \(bounds.sessionsPerConnection) sessions (limit): close one of them first"
            turn.noteBusy(.sessionsPerConnection)
            return Refused(reason: reason, code: .busy, retryAfterMilliseconds: RetryPause.usual)
        }
        if state.sessions.count >= bounds.sessions, !makePlace(forSessionOf: peer) {
            let reason = "\(bounds.sessions) sessions are open (limit): try again when some have ended"
            turn.noteBusy(.sessions)
            return Refused(reason: reason, code: .busy, retryAfterMilliseconds: RetryPause.usual)
        }
        return nil
    }

    /// A number that no session has, also none of an earlier life.
    private mutating func unusedSession() -> SessionID {
        while true {
            sessionCount += 1
            let id = turn.settings.sessionKey.number(ofSession: sessionCount)
            if id != .none, state.sessions[id.rawValue] == nil { return id }
        }
    }

    private func welcome(_ session: SessionID, isResumed: Bool) -> FrontMessage.Welcome {
        var welcome = FrontMessage.Welcome(session: session, isResumed: isResumed)
        welcome.heartbeatMilliseconds = UInt32(turn.settings.heartbeatMilliseconds)
        welcome.requestWindow = UInt32(turn.settings.bounds.requestWindow)
        welcome.changesEndpoint = turn.settings.changesEndpoint
        welcome.pagesEndpoint = turn.settings.pagesEndpoint
        welcome.durability = turn.settings.durability.rawValue
        return welcome
    }
}
