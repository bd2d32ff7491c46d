//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import GantryZMQ

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
    /// Requests that wait at most in all. When they are full, clients share them: a client with few requests replaces requests of one with many.
    private let limit: Int
    private var queues: [Peer: Deque<PageRequest>] = [:]
    /// Clients that have a request here, the one whose turn is next first.
    private var turns: Deque<Peer> = []
    private var keys: Set<Key> = []
    /// How many clients have so many requests here, so that it is known at once when no client has more than one.
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

    /// Takes the newest request of the client with most, if it has at least two more than the new one's.
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

/// The pages that are being read, and whether one more may be begun beside them.
///
/// A few are read at a time, for more would only share the cores. A read that is slow waits for its disk: it keeps no other one from being begun,
/// up to a bound. A process has fewer of them than are read at a time, so that one whose pages hang delays nobody else at all; and some of the
/// places are kept for who has none, since over TCP a process with many connections counts as many.
/// Times are those of one clock, given by the caller.
struct PagesUnderWay {
    private struct Key: Hashable {
        let client: PageClient
        let number: UInt64
    }

    /// Reads that are begun beside each other while none of them is slow.
    static var quickLimit: Int { 4 }
    /// Reads of one process.
    static var ownerLimit: Int { 3 }
    /// Reads in all, those that hang included: each keeps a thread.
    static var limit: Int { 32 }
    /// How many of them are kept for clients that have none.
    static var reserve: Int { 8 }
    /// After that time a read is slow: one from memory takes less than a millisecond.
    static var slow: Duration { .milliseconds(50) }

    private var begunAt: [Key: MonotonicTime] = [:]
    private var counts: [PageClient.Owner: Int] = [:]

    /// Whether that request is being read: a repeat is answered with it.
    func contains(_ number: UInt64, of client: PageClient) -> Bool { begunAt[Key(client: client, number: number)] != nil }

    /// Whether another read of the client may begin.
    func hasPlace(for client: PageClient) -> Bool {
        let own = counts[client.owner, default: 0]
        guard own > 0 else { return true }
        guard begunAt.count < Self.limit - Self.reserve else { return false }
        return own < Self.ownerLimit
    }

    /// Whether another read may begin.
    func hasPlace(at now: MonotonicTime) -> Bool {
        begunAt.count < Self.limit && begunAt.values.count { now.duration(since: $0) < Self.slow } < Self.quickLimit
    }

    /// When another one may begin though none has ended; nil: not before one ends.
    func nextPlaceAt(_ now: MonotonicTime) -> MonotonicTime? {
        guard begunAt.count < Self.limit else { return nil }
        return begunAt.values.map { $0.advanced(by: Self.slow) }.filter { $0 > now }.min()
    }

    /// A read begins.
    mutating func begin(_ number: UInt64, of client: PageClient, at now: MonotonicTime) {
        begunAt[Key(client: client, number: number)] = now
        counts[client.owner, default: 0] += 1
    }

    /// A read has ended.
    mutating func end(_ number: UInt64, of client: PageClient) {
        guard begunAt.removeValue(forKey: Key(client: client, number: number)) != nil else { return }
        let left = counts[client.owner, default: 0] - 1
        counts[client.owner] = left > 0 ? left : nil
    }
}

/// The client that asks for pages: a connection, and its process where the kernel gives it.
struct PageClient: Hashable, Sendable {
    /// Whose reads are counted together: those of a process however many connections it has, else those of a connection. Over TCP processes
    /// cannot be distinguished, nor over ipc those of another container.
    enum Owner: Hashable {
        case process(Int32)
        case connection(RoutingID)
    }

    /// Where the replies go.
    let connection: RoutingID
    /// nil: not known.
    let process: Int32?

    /// The sender of a message; nil credentials: it did not come over ipc.
    init(_ connection: RoutingID, _ credentials: PeerCredentials?) {
        self.connection = connection
        process = credentials.map(\.processID).flatMap { $0 > 0 ? $0 : nil }
    }

    var owner: Owner { process.map { .process($0) } ?? .connection(connection) }
}
