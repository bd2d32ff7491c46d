//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// All sessions of clients: the connection that owns each, which requests were answered, and when sessions end.
///
/// Entries make and change what is durable of them, while serving and at restart alike; connections and the clock are of this epoch only.
struct ClientSessions: EntryState {
    /// What becomes of a hello.
    enum Greeting: Equatable {
        /// Nothing: it is refused, or its session has ended, and its connection has got that answer.
        case refused
        /// Its connection now owns a session that existed.
        case takenUp(SessionID)
        /// A session is to be opened for it, for which this one that nobody uses has to give its place.
        case opens(insteadOf: SessionID?)
    }

    /// What becomes of a session whose time may have come.
    enum Look: Equatable {
        /// It goes on, and its attachments to these views have ended.
        case goesOn(lapsed: [ClientSession.AttachedView])
        /// Its client was silent for too long.
        case isOver
    }

    /// What a connection may do in a session.
    enum Standing: Equatable {
        /// Everything: it owns the session.
        case connected
        /// Nothing: the session has ended, or never was.
        case ended
        /// Nothing before it has sent hello: the session belongs to another connection, or to none. The session's number alone gives no
        /// right, not even to end it.
        case resumeFirst
    }

    private var records: [UInt64: ClientSession] = [:]
    /// The session that each hello's number opened.
    private var nonces: [UInt64: SessionID] = [:]
    /// In order of opening.
    private var order = ArrivalOrder<SessionID>()
    /// About how many bytes of replies are kept for all of them.
    private(set) var retainedByteCount = 0
    /// Views that sessions are attached to, counted over all.
    private(set) var attachmentCount = 0
    /// How many sessions there are of each label.
    private(set) var labels = RankedCounts<String>()
    /// A request's number is less than this above the lowest unanswered one.
    let requestWindow: UInt64

    // What follows is not durable.

    /// Who owns them.
    private var connections = SessionConnections()
    /// By what they are late.
    private var clock = SessionClock()
    /// Which of them has to give its place next.
    private var unused = UnusedSearch()
    /// Numbers made in this epoch.
    private var numbered: UInt64 = 0

    init(requestWindow: UInt64) { self.requestWindow = requestWindow }
}

// MARK: Questions

extension ClientSessions {
    var count: Int { records.count }
    var connectionCount: Int { connections.count }
    /// What is known of a session; nil: there is none of that number.
    subscript(id: SessionID) -> ClientSession? { records[id.rawValue] }

    func contains(_ id: SessionID) -> Bool { records.index(forKey: id.rawValue) != nil }

    /// In order of opening.
    var ids: ArrivalOrder<SessionID> { order }

    /// The name of a session, for people; empty: it has none.
    func label(_ id: SessionID) -> String { records[id.rawValue]?.label ?? "" }

    /// The connection that owns a session; none: it has none, or the session has ended.
    func peer(of id: SessionID) -> PeerID { records[id.rawValue]?.peer ?? .none }

    /// The largest frame that a session's client takes.
    func largestFrame(of id: SessionID) -> Int { records[id.rawValue]?.largestFrame ?? .max }

    func standing(of id: SessionID, at peer: PeerID) -> Standing {
        guard let record = records[id.rawValue] else { return .ended }
        return record.state == .here(peer) ? .connected : .resumeFirst
    }

    /// Whether so much waits for a client that nothing more is read for it.
    func isFull(_ peer: PeerID) -> Bool { connections.isFull(peer) }
}

// MARK: Durable changes, made by entries alone

extension ClientSessions {
    mutating func apply(_ entry: JournalEntry.SessionOpened, _ turn: EntryTurn) {
        let id = entry.session
        if records[id.rawValue] == nil {
            records[id.rawValue] = ClientSession(entry)
            labels.add(entry.label)
            if entry.nonce != 0 { nonces[entry.nonce] = id }
            order.append(id)
        }
        if let stored = turn.stored { records[id.rawValue]?.storedTurn = stored }
    }

    mutating func apply(_ entry: JournalEntry.SessionEnded, _ turn: EntryTurn) {
        guard let record = records[entry.session.rawValue], record.storedTurn < turn.number else { return }
        records[entry.session.rawValue] = nil
        count(record.amounts, by: -1)
        labels.remove(record.label)
        // It is this session's: a hello by the number of one that lives opens none.
        nonces[record.nonce] = nil
        unused.remove(entry.session, from: &order)
    }

    /// Keeps a reply until the client says that it has it; one of a turn that the session was stored at or before is in it already, or forgotten.
    ///
    /// The entry carries the client's mark, and a request is admitted only if its number is less than a window above it: so replay forgets what
    /// was forgotten while serving, and one session never has more replies than its window.
    mutating func apply(_ entry: JournalEntry.ReplyRetained, _ turn: EntryTurn) {
        change(entry.session) { session in
            guard session.storedTurn < turn.number else { return }
            session.keep(entry.reply)
            session.forget(below: entry.lowestUnanswered.rawValue)
        }
    }

    /// Takes the numbers of a request; nil: there is no such session.
    mutating func take(_ asked: NumberedRequest) -> Admission? {
        let window = requestWindow
        return change(asked.session) {
            $0.admit(asked.number, lowest: asked.lowestUnanswered, fingerprint: asked.fingerprint, window: window)
        }
    }

    /// Holds the reply to a request that only reads.
    mutating func hold(_ reply: RetainedReply, of id: SessionID) { change(id) { $0.hold(reply) } }

    /// A change was refused and the refusal is not kept: a copy of it that is still on its way must not be carried out behind its user's back.
    mutating func noteRefusal(of asked: NumberedRequest) { change(asked.session) { $0.noteRefusal(of: asked.number) } }

    /// A session as a checkpoint stores it, with the replies that are kept for it; nothing: it has ended.
    func entries(of id: SessionID) -> [JournalEntry] {
        guard let session = records[id.rawValue] else { return [] }
        let mark = RequestNumber(session.lowestUnanswered)
        return [.sessionOpened(session.opened)]
            + session.replies.map { .replyRetained(JournalEntry.ReplyRetained(id, $0, lowestUnanswered: mark)) }
    }

    /// The only way to a record: what all sessions have of retained replies and of attachments is counted along.
    @discardableResult
    private mutating func change<Value>(_ id: SessionID, _ change: (inout ClientSession) -> Value) -> Value? {
        guard let index = records.index(forKey: id.rawValue) else { return nil }
        // Counted in place: to read a record takes a copy of it.
        let (before, after, value) = records.values[index].counted(change)
        count(before, by: -1)
        count(after, by: 1)
        return value
    }

    private mutating func count(_ amounts: ClientSession.Amounts, by factor: Int) {
        retainedByteCount += factor * amounts.retainedByteCount
        attachmentCount += factor * amounts.attachmentCount
    }
}

// MARK: Beginning and end

extension ClientSessions {
    /// An epoch begins: every session of an earlier one has its whole time to come back.
    mutating func begin(in turn: inout TurnContext) {
        let reading = clock.reading(at: turn.now.monotonic)
        for id in order {
            change(id) { $0.receive(at: reading) }
            look(at: id, after: turn.settings.sessionGracePeriod, in: &turn)
        }
        notifyCount(in: &turn)
    }

    /// Takes a session up again for the connection that says hello, or says that one is to be opened: from another connection it is answered
    /// `resumeFirst` from then on.
    mutating func greet(_ hello: ClientMessage.Hello, from peer: PeerID, in turn: inout TurnContext) -> Greeting {
        if let refused = hello.refusal(by: turn.settings) {
            turn.emit(.send(peer, hello.resumed ?? .none, .refused(refused)))
            return .refused
        }
        if let resumed = hello.resumed {
            guard contains(resumed) else {
                turn.noteIgnored(.sessionEnded)
                turn.emit(.send(peer, resumed, .sessionEnded))
                return .refused
            }
            return .takenUp(takeUp(resumed, hello, peer, isResumed: true, in: &turn))
        }
        // A hello that the network repeats opens nothing.
        if let known = nonces[hello.nonce] { return .takenUp(takeUp(known, hello, peer, isResumed: false, in: &turn)) }
        let bounds = turn.settings.bounds
        guard connections.count(of: peer) < bounds.sessionsPerConnection else {
            let reason = "this connection has \(bounds.sessionsPerConnection) sessions (limit): close one of them first"
            refuse(peer, .sessionsPerConnection, reason, in: &turn)
            return .refused
        }
        guard records.count >= bounds.sessions else { return .opens(insteadOf: nil) }
        if let unused = unusedSession(for: peer, in: &turn) { return .opens(insteadOf: unused) }
        let reason = "\(bounds.sessions) sessions are open (limit): try again when some have ended"
        refuse(peer, .sessions, reason, in: &turn)
        return .refused
    }

    /// What is to be recorded of a new session.
    mutating func opening(_ hello: ClientMessage.Hello, _ settings: FrontSettings) -> JournalEntry.SessionOpened {
        JournalEntry.SessionOpened(makeNumber(settings.sessionKey), label: hello.label, nonce: hello.nonce, client: hello.client)
    }

    /// A session was opened for the connection that says hello.
    mutating func begin(_ id: SessionID, _ hello: ClientMessage.Hello, from peer: PeerID, in turn: inout TurnContext) {
        change(id) { $0.begin() }
        notifyCount(in: &turn)
        _ = takeUp(id, hello, peer, isResumed: false, in: &turn)
        look(at: id, after: turn.settings.sessionGracePeriod, in: &turn)
    }

    private func refuse(_ peer: PeerID, _ bound: BusyBound, _ reason: String, in turn: inout TurnContext) {
        turn.noteBusy(bound)
        let refused = Refused(reason: reason, code: .busy, retryAfter: RetryPause.usual)
        turn.emit(.send(peer, .none, .refused(refused)))
    }

    private mutating func takeUp(
        _ id: SessionID, _ hello: ClientMessage.Hello, _ peer: PeerID, isResumed: Bool, in turn: inout TurnContext
    ) -> SessionID {
        if self.peer(of: id) != peer {
            disconnect(id, in: &turn)
            connections.add(id, to: peer)
        }
        let reading = clock.reading(at: turn.now.monotonic)
        change(id) { session in
            session.takeUp(by: peer, largestFrame: hello.largestFrame)
            session.receive(at: reading)
        }
        turn.emit(.send(peer, id, .welcome(FrontMessage.Welcome(session: id, isResumed: isResumed, by: turn.settings))))
        return id
    }

    /// A number that no session has, also none of an earlier epoch.
    private mutating func makeNumber(_ key: SessionKey) -> SessionID {
        while true {
            numbered += 1
            // By a key that nobody else has, so that no number can be guessed from another one.
            let id = key.number(ofSession: numbered)
            if id != .none, !contains(id) { return id }
        }
    }

    /// A session loses its connection and its deadline: the entry that ends it follows.
    /// - Returns: the views that it was attached to.
    mutating func close(_ id: SessionID, in turn: inout TurnContext) -> [ClientSession.AttachedView] {
        let lapsed = change(id) { $0.lapse() } ?? []
        disconnect(id, in: &turn)
        turn.forget(.session(id))
        return lapsed
    }

    /// Publishes how many there are, and whose.
    func notifyCount(in turn: inout TurnContext) {
        turn.changeSummary { $0.sessions = UInt32(count) }
        turn.emit(.changed(.clients, key: ItemKey.only(of: .clients)))
    }

    /// Who is connected, as observers see it.
    var clients: ClientsSummary {
        let first = labels.first(ClientsSummary.listed)
        return ClientsSummary(first.listed.map { ClientCount($0.key, $0.count) }, otherSessions: first.rest)
    }

    /// A session has no connection any more.
    private mutating func disconnect(_ id: SessionID, in turn: inout TurnContext) {
        let peer = peer(of: id)
        guard peer != .none else { return }
        change(id) { $0.lose() }
        turn.step(connections.count(of: peer))
        connections.remove(id, from: peer)
    }

    /// A session that has asked for nothing, so that a connection with fewer may open one; nil: none was found.
    ///
    /// On a Unix socket all connections look alike, so one client with many of them could take every place. It is recognized by holding
    /// many and using few: a session that was never used is ended for a connection that has fewer. One that has asked for anything stays.
    private mutating func unusedSession(for peer: PeerID, in turn: inout TurnContext) -> SessionID? {
        turn.step(UnusedSearch.looks(in: order))
        let own = connections.count(of: peer)
        let (shown, grace) = (clock.reading(at: turn.now.monotonic), turn.settings.attachmentGracePeriod)
        return unused.next(in: order) { [records, connections] id in
            guard let session = records[id.rawValue], session.isUnused else { return .keeps }
            switch session.state {
            // Whose connection has just broken is about to come back.
            case .away: return shown >= session.receivedAt.advanced(by: grace) ? .gives : .keeps
            // By more than one, or two connections would take each other's places in turn.
            case .here(let other): return connections.count(of: other) > own + 1 ? .mayGive : .keeps
            }
        }
    }
}

// MARK: Receiving and silence

extension ClientSessions {
    /// A session's client has said something.
    mutating func receive(_ id: SessionID, in turn: inout TurnContext) {
        let reading = clock.reading(at: turn.now.monotonic)
        change(id) { $0.receive(at: reading) }
    }

    /// A session is alive; the answer may overtake everything else. A mark that cannot be is refused, because replies that are still wanted would
    /// be forgotten.
    mutating func heartbeat(_ lowest: RequestNumber, of id: SessionID, from peer: PeerID, in turn: inout TurnContext) {
        if let fault = change(id, { $0.takeMark(lowest) }) ?? nil {
            let refused = Refused(reason: fault.text(.none, lowest, window: requestWindow), code: fault.code)
            turn.emit(.send(peer, id, .refused(refused)))
        }
        turn.emit(.answerHeartbeat(peer, id, lowest))
    }

    /// A connection is lost; its sessions wait for the next one. The cost grows with its own sessions only.
    mutating func lose(_ peer: PeerID, in turn: inout TurnContext) {
        let ids = connections.lose(peer)
        turn.step(ids.count)
        for id in ids { change(id) { $0.lose() } }
    }

    /// So much waits for a client that it is to ask for nothing more; or it has taken enough of it.
    mutating func noteFull(_ peer: PeerID, _ isFull: Bool) { connections.noteFull(peer, isFull) }

    /// A session attaches to a view.
    /// - Returns: whether it was not attached before.
    mutating func attach(_ id: SessionID, to view: ClientSession.AttachedView, in turn: inout TurnContext) -> Bool {
        let isNew = change(id) { $0.attach(view) } ?? false
        look(at: id, after: turn.settings.attachmentGracePeriod, in: &turn)
        return isNew
    }

    /// It detaches from a view.
    /// - Returns: whether it was attached.
    mutating func detach(_ id: SessionID, from view: ClientSession.AttachedView) -> Bool { change(id) { $0.detach(view) } ?? false }

    /// A turn has read what clients had sent, or a part of it: see `SessionClock`.
    mutating func noteReading(_ reading: TurnReading) {
        clock.noteReading(isDone: reading.isClientsDone, isKept: reading.isKeptByDisk, since: reading.began)
    }

    /// The loop was away for so long.
    mutating func noteAbsence(_ length: Duration) { clock.noteAbsence(length) }

    /// Whether no session is late, because messages of clients are not read.
    func isClockStanding(at instant: MonotonicTime) -> Bool { clock.isStanding(at: instant) }

    /// How soon is looked again at sessions of whom something may be unread: they are many, and less urgent than workers.
    static var unreadPause: Duration { .milliseconds(100) }

    /// A session's time may have come. Only its own client's messages count: a client that keeps the front busy does not prolong other sessions.
    mutating func lookAt(_ id: SessionID, _ reading: TurnReading, waiting: Set<PeerID>, in turn: inout TurnContext) -> Look {
        guard let session = records[id.rawValue] else {
            turn.noteIgnored(.ownerForgotten)
            return .goesOn(lapsed: [])
        }
        // What its client sent was read and waits for its turn: it may be just what keeps the session.
        guard !waiting.contains(session.peer) else {
            turn.check(.session(id), by: turn.now.monotonic.advanced(by: Self.unreadPause))
            return .goesOn(lapsed: [])
        }
        let shown = clock.reading(at: reading.began)
        let last = session.receivedAt.advanced(by: turn.settings.sessionGracePeriod)
        if shown >= last { return .isOver }
        let lapse = session.receivedAt.advanced(by: turn.settings.attachmentGracePeriod)
        let lapsed = shown >= lapse ? change(id) { $0.lapse() } ?? [] : []
        let next = shown >= lapse || session.attachments.isEmpty ? last : lapse
        turn.check(.session(id), by: clock.instant(of: next, from: turn.now.monotonic))
        return .goesOn(lapsed: lapsed)
    }

    /// A session is new, or attached to something new: its deadline is so long after its client's last message.
    private func look(at id: SessionID, after length: Duration, in turn: inout TurnContext) {
        guard let receivedAt = records[id.rawValue]?.receivedAt else { return }
        turn.check(.session(id), by: clock.instant(of: receivedAt.advanced(by: length), from: turn.now.monotonic))
    }
}
