//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which sessions each connection of a client owns, and for which connections so much waits that nothing more is read for them. Of this epoch only.
struct SessionConnections {
    /// In order of their first message.
    private var owned: [PeerID: [SessionID]] = [:]
    private var full: Set<PeerID> = []

    /// Connections that own a session.
    var count: Int { owned.count }

    /// How many sessions a connection owns.
    func count(of peer: PeerID) -> Int { owned[peer]?.count ?? 0 }

    /// Whether so much waits for a client that nothing more is read for it.
    func isFull(_ peer: PeerID) -> Bool { full.contains(peer) }

    /// A connection owns a session that none owned.
    mutating func add(_ session: SessionID, to peer: PeerID) { owned[peer, default: []].append(session) }

    /// A connection owns a session no longer.
    /// - Complexity: grows with the sessions of the connection.
    mutating func remove(_ session: SessionID, from peer: PeerID) {
        owned[peer]?.removeAll { $0 == session }
        if owned[peer]?.isEmpty == true { owned[peer] = nil }
    }

    /// A connection is lost.
    /// - Returns: the sessions that it owned.
    mutating func lose(_ peer: PeerID) -> [SessionID] {
        full.remove(peer)
        return owned.removeValue(forKey: peer) ?? []
    }

    /// So much waits for a client that it is to ask for nothing more; or it has taken enough of it.
    mutating func noteFull(_ peer: PeerID, _ isFull: Bool) { if isFull { full.insert(peer) } else { full.remove(peer) } }
}
