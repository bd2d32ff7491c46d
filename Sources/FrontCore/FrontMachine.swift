//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Everything that the front decides: queue, leases, sessions, feeds, views.
///
/// A value without clock, sockets, files or randomness: the same events at the same times give the same actions. `FrontLoop` alone calls
/// `handle`, and carries the actions out.
public struct FrontMachine: Sendable {
    let settings: FrontSettings
    var state = FrontState()
    var summary: FrontSummary
    /// Feed definitions by name.
    let definitions: [String: FeedDefinition]

    // Not durable: what is known of connections and observers.

    /// Jobs whose topic is observed.
    var observedJobs = ObservedJobs()
    /// Progress of running jobs, by job.
    var progress: [UInt64: Progress] = [:]
    /// Running jobs that the topic `jobs` lists one by one, oldest first.
    var listedJobs: [UInt64] = []
    /// Feeds whose activity is waiting: their reason may change.
    var waitingFeeds = WaitingFeeds()
    /// Whether the reasons of all jobs that wait may have changed in this turn.
    var allWaitsAreInQuestion = false
    /// When feeds were used, oldest first.
    var feedUses = FeedUses()
    /// Outcomes that sessions are owed in this turn.
    var owed = OwedAnswers()
    /// By what ended jobs grow old.
    var ageClock = AgeClock()
    /// The job from which on blobs are moved together next.
    var compactedTo: UInt64 = 0
    /// Jobs that had ended when that was looked at last.
    private var endedBefore: UInt64 = 0
    /// When each deadline is looked at next.
    var deadlines = Deadlines()
    /// The clock by which sessions are late.
    var sessionClock = SessionClock()
    /// How long the loop was away in all: leases are moved by that when they are looked at.
    var awayMilliseconds: Int64 = 0
    /// The sessions that each connection speaks for, in order of the first word.
    var connections: [PeerID: [SessionID]] = [:]
    /// Clients for whom so much waits that nothing more is read for them.
    var fullPeers: Set<PeerID> = []
    /// Steps since the start: see `step`.
    private(set) var steps: UInt64 = 0
    /// Before this the counts of `jobs` are not published again.
    var countsDue = MonotonicTime(nanoseconds: 0)
    /// Why nothing is granted yet (memory mode); nil: it may be.
    var grantPause: GrantPause?
    /// How long the oldest decision had waited to be durable when the last turn was read.
    var undurableMilliseconds: Int64 = 0
    /// What has left: nobody can have acted upon anything later.
    var sent = DecisionMark(lease: 1, attachment: 1)
    /// What ranks are made of.
    var rankClock: RankClock
    var storageIsFull = false
    /// Where sessions are looked at next when one has to give its place.
    var sessionCursor = 0
    /// Session numbers made in this life.
    var sessionCount: UInt64 = 0
    /// What observers of `jobs` saw last.
    var publishedCounts = JobCounts()
    /// The version of the failures by code that they saw last.
    var publishedFailures: UInt64 = 0
    /// Jobs that ended since the pace was last measured, and when: for estimates.
    var pace = Pace()
    /// How long jobs ran: for estimates.
    var lengths = RunLengths()
    /// How often somebody was told `busy` at each bound, for whoever checks the front from outside.
    private(set) var busyCounts: [BusyBound: UInt64] = [:]
    var now: FrontTime

    /// A front that knows nothing yet; `restore` and `start` follow.
    public init(settings: FrontSettings, now: FrontTime) {
        self.settings = settings
        self.now = now
        self.state.requestWindow = settings.bounds.requestWindow
        self.rankClock = RankClock(level: now.wall.milliseconds, at: now.monotonic)
        self.definitions = Dictionary(settings.feeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.summary = FrontSummary(
            front: settings.front, epoch: settings.epoch, startedAt: now.wall, version: settings.version,
            durability: settings.durability.rawValue)
    }

    /// When the loop is to come back at the latest, even if nothing happens.
    public var nextDeadline: MonotonicTime? { deadlines.next }

    /// Takes one event and appends what follows from it, in order.
    public mutating func handle(_ event: FrontEvent, at time: FrontTime, into actions: inout [FrontAction]) {
        now = time
        switch event {
        case .clientSpoke(let peer, let principal, let envelope, let from, let count):
            clientSpoke(peer, principal, envelope, from: from, count: count, into: &actions)
        case .workerSpoke(let peer, let principal, let envelope, let from, let count):
            workerSpoke(peer, principal, envelope, from: from, count: count, into: &actions)
        case .clientWaits(let peer, let envelope): clientWaits(peer, envelope, into: &actions)
        case .workerWaits(let peer, let envelope): workerWaits(peer, envelope, into: &actions)
        case .malformedFrame(let peer, let channel, let error): malformedFrame(peer, channel, error, into: &actions)
        case .pagesMalformed(let count): noteMalformed(count, into: &actions)
        case .peerLost(let peer): peerLost(peer, into: &actions)
        case .processEnded(let process): processEnded(process, into: &actions)
        case .peerFull(let peer, let isFull): if isFull { fullPeers.insert(peer) } else { fullPeers.remove(peer) }
        case .topicObserved(let topic, let isObserved): topicObserved(topic, isObserved)
        case .topicsCounted(let subscriptions, let refused, let made): topicsCounted(subscriptions, refused, made, into: &actions)
        case .objectDamaged(let digest): objectDamaged(digest, into: &actions)
        case .wasAway(let milliseconds): wasAway(milliseconds)
        case .storageFull(let isFull): storageFull(isFull, into: &actions)
        case .sent(let mark): sent = mark
        case .inputRead(let reading): inputRead(reading, into: &actions)
        }
        state.noteRooms()
        step(state.scheduler.takeLooks(by: Self.looksPerStep))
    }

    /// How far decisions have come.
    var decided: DecisionMark { DecisionMark(lease: state.nextLease, attachment: state.nextAttachment) }

    /// Applies a fact and hands it to the journal, unless this durability leaves it out.
    mutating func record(_ fact: Fact, into actions: inout [FrontAction]) {
        state.apply(fact, turn: .serving)
        journal(fact, into: &actions)
    }

    /// Hands a fact that is applied already to the journal, unless this durability leaves it out.
    func journal(_ fact: Fact, into actions: inout [FrontAction]) {
        if settings.durability == .memory, !fact.traits.survivesMemoryMode { return }
        actions.append(.record(fact))
    }

    /// Counts work, so that a turn ends before it makes others wait: called in each loop over something that grows.
    ///
    /// One step is about a microsecond of an optimised build: a row looked at. Making and encoding one costs `rowSteps`.
    mutating func step(_ count: Int = 1) { steps &+= UInt64(count) }

    /// Notes that somebody is told `busy` at that bound.
    mutating func noteBusy(_ bound: BusyBound) { busyCounts[bound, default: 0] += 1 }

    /// A look at an entry or a link of a line takes some 15 ns of an optimised build.
    private static var looksPerStep: Int { 64 }

    /// What a row of a page costs beside the look at it.
    static var rowSteps: Int { 16 }

    private mutating func inputRead(_ reading: TurnReading, into actions: inout [FrontAction]) {
        undurableMilliseconds = reading.undurableMilliseconds
        checkDeadlines(reading, into: &actions)
        dispatch(into: &actions)
        refreshWaitingFeeds(into: &actions)
        flushAnswers(into: &actions)
        trimHistory(into: &actions)
        let ended = state.counts.succeeded + state.counts.failed + state.counts.cancelled
        compactBlobs(ended: ended)
        pace.note(ended: ended, at: now.monotonic)
        publishCounts(into: &actions)
    }

    /// Looks at as many jobs as have ended since the last turn, within bounds: memory is given back as fast as jobs end.
    private mutating func compactBlobs(ended: UInt64) {
        let count = min(max(ended, endedBefore) - endedBefore, Self.mostCompacted)
        endedBefore = ended
        step(state.compactBlobs(from: &compactedTo, lookingAt: Int(max(count, Self.leastCompacted))))
    }

    /// Jobs whose blobs one turn looks at, to move them together: at least those of a chunk, at most what takes a few milliseconds.
    private static let (leastCompacted, mostCompacted) = (UInt64(256), UInt64(8_192))

    /// Tells observers of `jobs` the counts, at most 20 times a second, and less often where there are many clients: each publication goes to
    /// every one that observes, and with a thousand of them that costs more than the jobs.
    private mutating func publishCounts(into actions: inout [FrontAction]) {
        guard state.counts != publishedCounts || state.failureTally.version != publishedFailures else { return }
        guard now.monotonic >= countsDue else { return check(.counts, by: countsDue) }
        let crowdMilliseconds = Int64(connections.count) * 1_000 / settings.countsCopies
        countsDue = now.monotonic.adding(milliseconds: max(settings.countsMilliseconds, crowdMilliseconds))
        publishedCounts = state.counts
        publishedFailures = state.failureTally.version
        actions.append(.changed(.jobs, key: "counts"))
    }

    private mutating func storageFull(_ isFull: Bool, into actions: inout [FrontAction]) {
        guard storageIsFull != isFull else { return }
        storageIsFull = isFull
        questionAllWaits()
        summary.storage = isFull ? "full" : "ok"
        actions.append(.changed(.front, key: "front"))
    }

    private mutating func topicsCounted(_ subscriptions: UInt64, _ refused: UInt64, _ made: UInt64, into actions: inout [FrontAction]) {
        summary.subscriptions = subscriptions
        summary.refusedTopics = refused
        summary.subscriptionsMade = made
        actions.append(.changed(.front, key: "front"))
    }

    /// Counts what could not be understood: frames that are no envelopes, each once, and messages.
    mutating func noteMalformed(_ count: UInt64 = 1, into actions: inout [FrontAction]) {
        summary.malformedMessages += count
        actions.append(.changed(.front, key: "front"))
    }

    /// Counts a message that cannot be taken.
    /// - Parameter error: Why it cannot be read; nil: its kind is not known.
    /// - Returns: what its sender is told.
    mutating func refuseMalformed(_ error: CodecError?, into actions: inout [FrontAction]) -> Refused {
        // What its sender is told costs what a row does: who sends nothing else would have turns that others wait for.
        step(Self.rowSteps)
        noteMalformed(into: &actions)
        if let error { return Refused(error) }
        let reason = "this front speaks protocol version \(ProtocolVersion.current) and does not know that message"
        return Refused(reason: reason, code: .invalidData)
    }

    private mutating func malformedFrame(_ peer: PeerID, _ channel: FrontChannel, _ error: CodecError, into actions: inout [FrontAction]) {
        noteMalformed(into: &actions)
        guard peer != .none else { return }
        let reason = "\(error.description); this front speaks protocol version \(ProtocolVersion.current): see PROTOCOL.md"
        let refused = Refused(reason: reason, code: error.code)
        switch channel {
        case .clients: actions.append(.tell(peer, .none, .refused(refused)))
        case .workers: actions.append(.tellWorker(peer, .refused(refused)))
        case .subscriptions: break
        }
    }

    private mutating func topicObserved(_ topic: Topic, _ isObserved: Bool) {
        guard case .job(let id) = topic else { return }
        guard isObserved else { return observedJobs.remove(id.rawValue) }
        observedJobs.insert(id.rawValue, of: state.feedJobs[id.rawValue]?.job.key)
    }

    /// Leases and sessions are not late by what the loop was away. A lease is moved by at most one lease in all since the last renewal, or slow
    /// turns, one after the other, would keep the slots of dead workers for ever: see `WorkerRecord.lostAt`.
    private mutating func wasAway(_ milliseconds: Int64) {
        awayMilliseconds += milliseconds
        sessionClock.noteAbsence(milliseconds: milliseconds)
    }
}
