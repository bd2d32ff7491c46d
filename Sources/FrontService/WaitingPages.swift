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

    /// What becomes of a request that has come.
    enum Admission {
        /// It waits for its turn.
        case waits
        /// It waits in the place of the newest request of the client that had most of them here, which is busy now.
        case waitsInstead(of: (peer: Peer, request: PageRequest))
        /// There is no place for it.
        case busy
    }

    /// Requests that wait for one client at most; what it asks beyond is `busy`.
    static var peerLimit: Int { 64 }
    /// Requests that wait at most in all. A crowd that fills them shares them: who asks little takes the place of who asks much.
    private let limit: Int
    private var queues: [Peer: Deque<PageRequest>] = [:]
    /// Clients that have a request here, the one whose turn is next first.
    private var turns: Deque<Peer> = []
    private var keys: Set<Key> = []
    /// How many clients have so many requests here, so that a crowd with one each is told at once that none has more.
    private var peerCounts = [Int](repeating: 0, count: Self.peerLimit + 1)

    init(limit: Int = 4_096) { self.limit = limit }

    /// Takes a request; one that waits already keeps its place.
    mutating func add(_ request: PageRequest, of peer: Peer) -> Admission {
        let key = Key(peer: peer, number: request.number)
        guard !keys.contains(key) else { return .waits }
        let own = queues[peer]?.count ?? 0
        guard own < Self.peerLimit else { return .busy }
        var displaced: (peer: Peer, request: PageRequest)?
        if keys.count >= limit {
            displaced = displace(forOneWith: own)
            guard displaced != nil else { return .busy }
        }
        keys.insert(key)
        if own == 0 { turns.append(peer) }
        queues[peer, default: []].append(request)
        count(peer: own, own + 1)
        return displaced.map { .waitsInstead(of: $0) } ?? .waits
    }

    /// Takes the newest request of the client with most, if it has at least two more than who comes.
    private mutating func displace(forOneWith own: Int) -> (peer: Peer, request: PageRequest)? {
        guard let greatest = peerCounts.lastIndex(where: { $0 > 0 }), greatest > own + 1,
            // The one whose turn is latest, of several: the order of `turns` is the same every time.
            let most = turns.last(where: { queues[$0]?.count == greatest }), let request = queues[most]?.popLast()
        else { return nil }
        count(peer: greatest, greatest - 1)
        keys.remove(Key(peer: most, number: request.number))
        return (most, request)
    }

    /// None waits.
    var isEmpty: Bool { keys.isEmpty }

    /// Gives the oldest request of the client whose turn it is; nil: none waits.
    /// - Parameter mayHaveTurn: whether the client may have its turn now; if not it keeps its place.
    mutating func next(_ mayHaveTurn: (Peer) -> Bool) -> (peer: Peer, request: PageRequest)? {
        guard let index = turns.firstIndex(where: mayHaveTurn) else { return nil }
        let peer = turns.remove(at: index)
        guard let request = queues[peer]?.popFirst() else { return nil }
        keys.remove(Key(peer: peer, number: request.number))
        let left = queues[peer]?.count ?? 0
        count(peer: left + 1, left)
        if left > 0 { turns.append(peer) } else { queues[peer] = nil }
        return (peer, request)
    }

    /// Counts a client with so many requests as one with another number of them.
    private mutating func count(peer before: Int, _ after: Int) {
        if before > 0 { peerCounts[before] -= 1 }
        if after > 0 { peerCounts[after] += 1 }
    }
}
