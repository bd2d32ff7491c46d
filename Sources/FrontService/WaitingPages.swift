//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Requests for pages that have arrived and are not answered yet: each once, however often it was repeated while a disk was slow.
struct WaitingPages<Peer: Hashable & Sendable> {
    private struct Key: Hashable {
        let peer: Peer
        let number: UInt64
    }

    /// Requests that wait at most; more stay in the socket's queue.
    private let limit: Int
    private var requests: Deque<(peer: Peer, request: PageRequest)> = []
    private var keys: Set<Key> = []

    init(limit: Int = 1_024) { self.limit = limit }

    var isFull: Bool { requests.count >= limit }

    /// Takes a request; one that waits already keeps its place.
    mutating func add(_ request: PageRequest, of peer: Peer) {
        guard keys.insert(Key(peer: peer, number: request.number)).inserted else { return }
        requests.append((peer, request))
    }

    /// Gives the oldest; nil: none waits.
    mutating func next() -> (peer: Peer, request: PageRequest)? {
        guard let first = requests.popFirst() else { return nil }
        keys.remove(Key(peer: first.peer, number: first.request.number))
        return first
    }
}
