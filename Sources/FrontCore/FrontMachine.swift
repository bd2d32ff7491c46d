//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Everything that the front decides: queue, leases, sessions, feeds, views.
///
/// A value without clock, sockets, files or randomness: the same events at the same times give the same actions. `FrontLoop` alone calls
/// `handle`, and carries the actions out.
public struct FrontMachine: Sendable {
    /// The time, and what is decided.
    var turn: TurnContext
    var state: FrontState
    /// Feed definitions by name.
    let definitions: [String: FeedDefinition]

    // Not durable: what is known of connections and observers.

    /// What observers see of jobs.
    var jobViews = JobViews()
    /// Feeds whose activity is waiting: their reason may change.
    var waitingFeeds = WaitingFeeds()
    /// Whether the reasons of all jobs that wait may have changed in this turn.
    var allWaitsAreInQuestion = false
    /// Outcomes that sessions are owed in this turn.
    var owed = OwedAnswers()
    /// By what ended jobs grow old.
    var ageClock = AgeClock()
    /// The job from which on blobs are moved together next.
    var compactedTo: UInt64 = 0
    /// Jobs that had ended when that was looked at last.
    private var endedBefore: UInt64 = 0
    /// Why nothing is granted yet (memory mode); nil: it may be.
    var grantPause: GrantPause?
    /// How long the oldest decision had waited to be durable when the last turn was read.
    var undurableMilliseconds: Int64 = 0
    /// What has left: nobody can have acted upon anything later.
    var sent = DecisionMark(lease: 1, attachment: 1)
    /// What ranks are made of.
    var rankClock: RankClock
    var storageIsFull = false
    /// Jobs that ended since the pace was last measured, and when: for estimates.
    var pace = Pace()
    /// How long jobs ran: for estimates.
    var lengths = RunLengths()

    /// A front that knows nothing yet; `restore` and `start` follow.
    public init(settings: FrontSettings, now: FrontTime) {
        turn = TurnContext(settings: settings, now: now)
        state = FrontState(requestWindow: settings.bounds.requestWindow)
        self.rankClock = RankClock(level: turn.now.wall.milliseconds, at: turn.now.monotonic)
        self.definitions = Dictionary(turn.settings.feeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What the front was told before it started.
    var settings: FrontSettings { turn.settings }

    /// Steps since the start: about the microseconds that deciding has taken.
    var steps: UInt64 { turn.steps }

    /// Whether so much waits for a client that nothing more is read for it.
    func isFull(_ peer: PeerID) -> Bool { state.sessions.isFull(peer) }

    /// Counts what the loop has done for a turn, as `TurnContext.step`.
    mutating func step(_ count: Int = 1) { turn.step(count) }

    /// Counts a bound that the loop has met.
    mutating func noteBusy(_ bound: BusyBound) { turn.noteBusy(bound) }

    /// How often something was said that changes nothing, by why.
    package var lateCounts: [FrontLateness: UInt64] { turn.lateCounts }

    /// How often somebody was told `busy` at each bound.
    var busyCounts: [BusyBound: UInt64] { turn.busyCounts }

    /// When the loop is to come back at the latest, even if nothing happens.
    public var nextDeadline: MonotonicTime? { turn.deadlines.next }

    /// Takes one event and appends what follows from it, in order.
    public mutating func handle(_ event: FrontEvent, at time: FrontTime, into actions: inout [FrontAction]) {
        turn.begin(at: time, &actions)
        defer { turn.end(&actions) }
        switch event {
        case .clientSpoke(let peer, let principal, let envelope, let from, let count):
            clientSpoke(peer, principal, envelope, from: from, count: count)
        case .workerSpoke(let peer, let principal, let envelope, let from, let count):
            workerSpoke(peer, principal, envelope, from: from, count: count)
        case .clientWaits(let peer, let envelope): state.sessions.hearWaiting(envelope, from: peer, in: &turn)
        case .workerWaits(let peer, let envelope): state.workers.hearWaiting(envelope, from: peer, in: &turn)
        case .malformedFrame(let peer, let channel, let error): malformedFrame(peer, channel, error)
        case .pagesMalformed(let count): turn.noteMalformed(count)
        case .peerLost(let peer): peerLost(peer)
        case .processEnded(let process): state.workers.end(process, in: &turn)
        case .peerFull(let peer, let isFull): state.sessions.noteFull(peer, isFull)
        case .topicObserved(let topic, let isObserved): topicObserved(topic, isObserved)
        case .topicsCounted(let subscriptions, let refused, let made): topicsCounted(subscriptions, refused, made)
        case .objectDamaged(let digest): objectDamaged(digest)
        case .wasAway(let milliseconds): wasAway(milliseconds)
        case .storageFull(let isFull): storageFull(isFull)
        case .sent(let mark): sent = mark
        case .inputRead(let reading): inputRead(reading)
        }
        state.noteRooms()
        turn.step(state.jobs.ask { scheduler, _ in scheduler.takeLooks(by: Self.looksPerStep) })
    }

    /// How far decisions have come.
    var decided: DecisionMark { DecisionMark(lease: state.jobs.numbers.nextLease, attachment: state.workers.nextAttachment) }

    /// Applies a fact and hands it to the journal, unless this durability leaves it out.
    mutating func record(_ fact: Fact) {
        state.apply(fact, turn: .serving)
        turn.journal(fact)
    }

    /// A look at an entry or a link of a line takes some 15 ns of an optimised build.
    private static var looksPerStep: Int { 64 }

    private mutating func inputRead(_ reading: TurnReading) {
        undurableMilliseconds = reading.undurableMilliseconds
        checkDeadlines(reading)
        dispatch()
        refreshWaitingFeeds()
        owed.flush(to: state.sessions, in: &turn)
        trimHistory()
        let ended = state.jobs.totals.ended
        compactBlobs(ended: ended)
        pace.note(ended: ended, at: turn.now.monotonic)
        jobViews.publish(
            state.jobs.totals.counts, failures: state.jobs.ended.tally.version, clients: state.sessions.connectionCount, in: &turn)
    }

    /// Looks at as many jobs as have ended since the last turn, within bounds: memory is given back as fast as jobs end.
    private mutating func compactBlobs(ended: UInt64) {
        let count = min(max(ended, endedBefore) - endedBefore, Self.mostCompacted)
        endedBefore = ended
        turn.step(state.jobs.compactBlobs(from: &compactedTo, lookingAt: Int(max(count, Self.leastCompacted))))
    }

    /// Jobs whose blobs one turn looks at, to move them together: at least those of a chunk, at most what takes a few milliseconds.
    private static let (leastCompacted, mostCompacted) = (UInt64(256), UInt64(8_192))

    private mutating func storageFull(_ isFull: Bool) {
        guard storageIsFull != isFull else { return }
        storageIsFull = isFull
        questionAllWaits()
        turn.changeSummary { $0.storage = isFull ? "full" : "ok" }
    }

    private mutating func topicsCounted(_ subscriptions: UInt64, _ refused: UInt64, _ made: UInt64) {
        turn.changeSummary { summary in
            summary.subscriptions = subscriptions
            summary.refusedTopics = refused
            summary.subscriptionsMade = made
        }
    }

    private mutating func malformedFrame(_ peer: PeerID, _ channel: FrontChannel, _ error: CodecError) {
        turn.noteMalformed()
        guard peer != .none else { return }
        let reason = "\(error.description); this front speaks protocol version \(ProtocolVersion.current): see PROTOCOL.md"
        let refused = Refused(reason: reason, code: error.code)
        switch channel {
        case .clients: turn.emit(.tell(peer, .none, .refused(refused)))
        case .workers: turn.emit(.tellWorker(peer, .refused(refused)))
        case .subscriptions: break
        }
    }

    /// A connection is gone, a client's or a worker's.
    private mutating func peerLost(_ peer: PeerID) {
        state.sessions.lose(peer, in: &turn)
        state.workers.lose(peer, in: &turn)
        turn.emit(.forget(peer))
    }

    private mutating func topicObserved(_ topic: Topic, _ isObserved: Bool) {
        guard case .job(let id) = topic else { return }
        jobViews.observe(id.rawValue, of: state.jobs.keyLines[id.rawValue]?.job.key, isObserved)
    }

    /// Leases and sessions are not late by what the loop was away.
    private mutating func wasAway(_ milliseconds: Int64) {
        state.workers.noteAbsence(milliseconds: milliseconds)
        state.sessions.noteAbsence(milliseconds: milliseconds)
    }
}
