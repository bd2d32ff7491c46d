//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// That connection speaks for the session from now on.
    mutating func connect(_ session: SessionID, to peer: PeerID) {
        guard let before = state.sessions[session.rawValue]?.peer, before != peer else { return }
        disconnect(session)
        guard peer != .none else { return }
        state.sessions[session.rawValue]?.peer = peer
        connections[peer, default: []].append(session)
    }

    /// No connection speaks for the session any more.
    mutating func disconnect(_ session: SessionID) {
        guard let peer = state.sessions[session.rawValue]?.peer, peer != .none else { return }
        state.sessions[session.rawValue]?.peer = .none
        turn.step(connections[peer]?.count ?? 0)
        connections[peer]?.removeAll { $0 == session }
        if connections[peer]?.isEmpty == true { connections[peer] = nil }
    }

    /// A connection is gone; what it carried waits for the next one. Costs what that connection carried, however many others there are.
    mutating func peerLost(_ peer: PeerID) {
        let sessions = connections.removeValue(forKey: peer) ?? []
        turn.step(sessions.count + state.workers.count)
        for id in sessions { state.sessions[id.rawValue]?.peer = .none }
        for index in state.workers.indices where state.workers[index]?.peer == peer { state.workers[index]?.peer = .none }
        fullPeers.remove(peer)
        turn.emit(.forget(peer))
    }

    /// A session is alive; the answer may overtake everything else.
    mutating func heartbeat(_ lowest: RequestNumber, _ session: SessionID, _ peer: PeerID) {
        takeMark(lowest, session, peer)
        turn.emit(.answerHeartbeat(peer, session, lowest))
    }

    /// The newest heartbeat of a frame that has to wait or is dropped: the session is alive whatever becomes of the rest.
    mutating func clientWaits(_ peer: PeerID, _ envelope: ClientEnvelope) {
        let session = envelope.session
        turn.step(envelope.messages.count)
        guard state.sessions[session.rawValue]?.peer == peer else { return }
        var newest: RequestNumber?
        for case .heartbeat(let lowest) in envelope.messages { newest = lowest }
        guard let newest else { return }
        state.sessions[session.rawValue]?.heardAt = sessionClock.reading(at: turn.now.monotonic)
        heartbeat(newest, session, peer)
    }
}
