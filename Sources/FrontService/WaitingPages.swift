//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Requests for pages that have arrived and are not answered yet: each once, however often it was repeated while a disk was slow, and
/// clients in turn, so that one with many questions holds nobody up for longer than one page.
struct WaitingPages<Peer: Hashable & Sendable> {
    private struct Key: Hashable {
        let peer: Peer
        let number: UInt64
    }

    /// Requests that wait for one client at most; what it asks beyond is `busy`.
    static var peerLimit: Int { 64 }
    /// Requests that wait at most in all: what a crowd asks beyond is `busy` too.
    private let limit: Int
    private var queues: [Peer: Deque<PageRequest>] = [:]
    /// Clients that have a request here, the one whose turn is next first.
    private var turns: Deque<Peer> = []
    private var keys: Set<Key> = []

    init(limit: Int = 4_096) { self.limit = limit }

    /// Takes a request; one that waits already keeps its place.
    ///
    /// - Returns: false when the client, or all of them, have too many here.
    mutating func add(_ request: PageRequest, of peer: Peer) -> Bool {
        let key = Key(peer: peer, number: request.number)
        guard !keys.contains(key) else { return true }
        guard keys.count < limit, queues[peer].map({ $0.count < Self.peerLimit }) ?? true else { return false }
        keys.insert(key)
        if queues[peer] == nil { turns.append(peer) }
        queues[peer, default: []].append(request)
        return true
    }

    /// Gives the oldest request of the client whose turn it is; nil: none waits.
    mutating func next() -> (peer: Peer, request: PageRequest)? {
        guard let peer = turns.popFirst(), let request = queues[peer]?.popFirst() else { return nil }
        keys.remove(Key(peer: peer, number: request.number))
        if queues[peer]?.isEmpty == false { turns.append(peer) } else { queues[peer] = nil }
        return (peer, request)
    }
}
