//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Lets a connection speak for a session; another one did before, or none.
    mutating func connect(_ session: SessionID, to peer: PeerID) {
        guard let old = state.sessions[session.rawValue]?.peer, old != peer else { return }
        disconnect(session)
        guard peer != .none else { return }
        state.sessions[session.rawValue]?.peer = peer
        connections[peer, default: []].append(session)
    }

    /// Lets no connection speak for a session.
    mutating func disconnect(_ session: SessionID) {
        guard let peer = state.sessions[session.rawValue]?.peer, peer != .none else { return }
        state.sessions[session.rawValue]?.peer = .none
        connections[peer]?.removeAll { $0 == session }
        if connections[peer]?.isEmpty == true { connections[peer] = nil }
    }
}
