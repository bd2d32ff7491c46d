//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Everything that the front decides: queue, leases, sessions, feeds, views.
///
/// A value without clock, sockets, files or randomness: the same events at the same times give the same actions. `FrontLoop` alone calls
/// `handle`, and carries the actions out.
///
/// It decides nothing itself: it says which of its machines hears of an event, and carries what has become of feeds' jobs from the queue to the
/// feeds.
public struct FrontMachine: Sendable {
    /// The time, the durable state, and what is decided.
    var turn: FrontTurn
    var queue: JobQueue
    var workforce = Workforce()
    var feeds = FeedMachine()

    /// A front that knows nothing yet; `restore` and `start` follow.
    public init(settings: FrontSettings, now: FrontTime) {
        turn = FrontTurn(settings: settings, now: now)
        queue = JobQueue(now: now)
    }

    /// When the loop is to come back at the latest, even if nothing happens.
    public var nextDeadline: MonotonicTime? { turn.context.nextDeadline }

    /// Takes one event and appends what follows from it, in order.
    public mutating func handle(_ event: FrontEvent, at time: FrontTime, into actions: inout [FrontAction]) {
        turn.context.begin(at: time, &actions)
        defer { turn.context.end(&actions) }
        switch event {
        case .clientSpoke(let peer, let principal, let envelope, let from, let count):
            clientSpoke(peer, principal.rights, envelope, from: from, count: count)
        case .workerSpoke(let peer, let principal, let envelope, let from, let count):
            workerSpoke(peer, principal, envelope, from: from, count: count)
        case .clientWaits(let peer, let envelope): turn.state.sessions.hearWaiting(envelope, from: peer, in: &turn.context)
        case .workerWaits(let peer, let envelope): turn.state.workers.hearWaiting(envelope, from: peer, in: &turn.context)
        case .malformedFrame(let peer, let channel, let error): turn.context.refuseFrame(of: peer, on: channel, error)
        case .pagesMalformed(let count): turn.context.noteMalformed(count)
        case .peerLost(let peer):
            turn.state.sessions.lose(peer, in: &turn.context)
            turn.state.workers.lose(peer, in: &turn.context)
            turn.emit(.forget(peer))
        case .processEnded(let process): turn.state.workers.end(process, in: &turn.context)
        case .peerFull(let peer, let isFull): turn.state.sessions.noteFull(peer, isFull)
        case .topicObserved(let topic, let isObserved): queue.observe(topic, isObserved, in: turn)
        case .objectDamaged(let digest): feeds.objectDamaged(digest, queue: &queue, in: &turn)
        case .wasAway(let milliseconds):
            turn.state.workers.noteAbsence(milliseconds: milliseconds)
            turn.state.sessions.noteAbsence(milliseconds: milliseconds)
        case .clockStepped(let milliseconds): queue.noteClockStep(milliseconds: milliseconds, in: &turn)
        case .checkpointNears(let isNew): queue.prepareCheckpoint(isNew: isNew, in: &turn)
        case .bundleRead(let number, let facts): queue.takeBundle(number, facts, in: &turn)
        case .storageFull(let isFull): queue.noteStorage(isFull: isFull, in: &turn)
        case .sent(let mark): workforce.noteSent(mark)
        case .inputRead(let reading): inputRead(reading)
        }
        tellFeeds()
        turn.state.noteRooms()
        turn.step(turn.state.jobs.ask { scheduler, _ in scheduler.takeLooks(by: Self.looksPerStep) })
    }

    /// A look at an entry or a link of a line takes some 15 ns of an optimised build.
    private static var looksPerStep: Int { 64 }

    /// All that had come was read: what time brings about follows, and what workers get.
    private mutating func inputRead(_ reading: TurnReading) {
        workforce.note(reading)
        turn.state.sessions.noteReading(reading)
        lookAtDue(reading)
        workforce.dispatch(queue: &queue, in: &turn)
        tellFeeds()
        feeds.refreshWaits(queue: &queue, in: &turn)
        queue.endTurn(in: &turn)
    }

    /// Deals with everything whose time had come when the turn began to read.
    private mutating func lookAtDue(_ reading: TurnReading) {
        guard turn.context.passDeadlines(to: reading.began) else { return }
        for kind in DeadlineOwner.Kind.allCases {
            if kind == .session, turn.state.sessions.isClockStanding(at: reading.began) {
                turn.context.holdDeadlines(of: kind, milliseconds: ClientSessions.unreadMilliseconds)
                continue
            }
            let owners = turn.context.takeDue(kind)
            // Only sessions ask who waits: no other deadline pays for that.
            let waiting: Set<PeerID> = kind == .session && !owners.isEmpty ? Set(reading.waitingClients) : []
            turn.step(waiting.count)
            for owner in owners { look(at: owner, reading, waiting) }
        }
    }

    /// What has a deadline is looked at: it says when it is to be looked at again.
    private mutating func look(at owner: DeadlineOwner, _ reading: TurnReading, _ waiting: Set<PeerID>) {
        turn.step()
        switch owner {
        case .reports(let index): turn.state.workers.lookAtReports(index, in: &turn.context)
        case .lease(let index):
            if turn.state.workers.isLost(index, reading, in: &turn.context) { workforce.loseWorker(index, queue: &queue, in: &turn) }
        case .session(let id): feeds.leave(turn.state.sessions.lookAt(id, reading, waiting: waiting, in: &turn.context), in: &turn)
        case .load(let key):
            if turn.state.feeds.isAbandoned(key, reading, in: &turn.context) { feeds.abandonLoad(of: key, queue: &queue, in: &turn) }
        case .view(let key, let name):
            if turn.state.feeds.isUnused(name, of: key, in: &turn.context) { feeds.forgetView(name, of: key, in: &turn) }
        // These only bring the turn about: what is to be done is seen in each.
        case .counts, .grants, .waits: break
        case .endedJobs: queue.forgetAgedJobs(in: &turn)
        }
        tellFeeds()
    }

    /// The feeds hear what has become of their jobs, and what they do then.
    mutating func tellFeeds() {
        while case let news = queue.takeNews(), !news.isEmpty {
            for change in news { feeds.hear(change, queue: &queue, in: &turn) }
        }
    }
}
