//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// What `ClientSessions` keeps beside the sessions: by what time they are late, whose they are, and which gives its place.

/// The clock by which sessions are late.
///
/// It stands while messages of their clients are not read: from the beginning of a turn that leaves something of them in their socket to
/// the beginning of the next one that does not, and while the loop is paused. So no session is late because of such a time, and none has
/// to be prolonged.
///
/// While a flood keeps the socket from being read empty, it does not stand for longer than `mostUnread`, and then goes on behind time: the
/// socket gives every client its turn, so what was sent that long ago is read. Else a flood could keep the sessions of ended clients for ever.
struct SessionClock: Sendable {
    /// What it shows: compared and moved, but never taken for an instant.
    struct Reading: Comparable, Sendable {
        fileprivate let instant: MonotonicTime

        /// What it shows at first.
        static let zero = Reading(instant: MonotonicTime(nanoseconds: 0))

        static func < (left: Self, right: Self) -> Bool { left.instant < right.instant }

        /// What it shows so much later.
        func advanced(by duration: Duration) -> Reading {
            Reading(instant: instant.advanced(by: duration))
        }
    }

    /// For how long the clock stands at most because something of clients is unread.
    static let mostUnread = Duration.seconds(10)

    /// How long it has stood in all.
    private var stood = Duration.zero
    /// Up to when all that clients had sent is read.
    private var receivedUpTo = MonotonicTime(nanoseconds: 0)
    /// When a turn began to read last.
    private var lastReading = MonotonicTime(nanoseconds: 0)
    /// For how long of the time since `standsSince` the disk kept messages of clients from being read, or the loop was paused.
    private var kept = Duration.zero
    /// Since when it stands, or is behind time; nil: it runs.
    private var standsSince: MonotonicTime?

    /// What it shows at an instant.
    func reading(at instant: MonotonicTime) -> Reading {
        Reading(instant: instant.advanced(by: .zero - standing(at: instant) - stood))
    }

    /// When it shows that, if it runs from `now` on.
    func instant(of reading: Reading, from now: MonotonicTime) -> MonotonicTime {
        reading.instant.advanced(by: stood + standing(at: now))
    }

    /// Whether it stands at an instant.
    func isStanding(at instant: MonotonicTime) -> Bool {
        standsSince.map { instant.duration(since: $0) <= kept + Self.mostUnread } ?? false
    }

    /// How long it has stood since it ran last.
    private func standing(at instant: MonotonicTime) -> Duration {
        guard let since = standsSince else { return .zero }
        return max(.zero, min(instant.duration(since: since), kept + Self.mostUnread))
    }

    /// A turn that began then has read all that clients had sent, or not; `isKept`: what they said could not be handled, however long that lasts.
    mutating func noteReading(isDone: Bool, isKept: Bool = false, since began: MonotonicTime) {
        if isKept { kept += max(.zero, began.duration(since: max(lastReading, standsSince ?? began))) }
        lastReading = max(lastReading, began)
        guard isDone, !isKept else {
            standsSince = standsSince ?? max(began, receivedUpTo)
            return
        }
        receivedUpTo = max(receivedUpTo, began)
        guard standsSince != nil else { return }
        stood += standing(at: began)
        (standsSince, kept) = (nil, .zero)
    }

    /// The loop was away for so long, up to now. While the clock stands that is a part of the time for which it stands.
    mutating func noteAbsence(_ length: Duration) {
        if standsSince == nil { stood += length } else { kept += length }
    }
}

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

/// The search for a session that has to give its place to a new one.
///
/// Each search looks at some, and the next goes on behind them: so none costs more though thousands are refused, and each session has its turn.
struct UnusedSearch {
    /// What is found of a session.
    enum Finding {
        /// It keeps its place.
        case keeps
        /// It gives its place unless one is found that gives it at once.
        case mayGive
        /// It gives its place, and no other is looked at.
        case gives
    }

    /// Sessions that are looked at for one hello.
    private static var lookedAtOnce: Int { 64 }

    /// The place from which on the next search looks, one behind the last at most.
    private var cursor = 0

    /// How many places a search looks at.
    static func looks(in order: ArrivalOrder<SessionID>) -> Int { min(lookedAtOnce, order.placeCount) }

    /// A session has ended: the next search goes on behind those that were looked at, wherever they stand now.
    mutating func remove(_ id: SessionID, from order: inout ArrivalOrder<SessionID>) { order.remove(id, moving: &cursor) }

    /// The next session that gives its place; nil: none was found.
    mutating func next(in order: ArrivalOrder<SessionID>, _ look: (SessionID) -> Finding) -> SessionID? {
        let count = Self.looks(in: order)
        guard count > 0 else { return nil }
        let begin = cursor % order.placeCount
        // Behind the last one those stand next that come until then.
        if count < order.placeCount { cursor = begin + count > order.placeCount ? begin + count - order.placeCount : begin + count }
        var found: SessionID?
        for place in begin..<begin + count {
            guard let id = order.key(at: place % order.placeCount) else { continue }
            switch look(id) {
            case .keeps: continue
            case .mayGive: found = found ?? id
            case .gives: return id
            }
        }
        return found
    }
}
