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
    var observedJobs: Set<UInt64> = []
    /// Progress of running jobs, by job.
    var progress: [UInt64: Progress] = [:]
    /// Running jobs that the topic `jobs` lists one by one, oldest first.
    var listedJobs: [UInt64] = []
    /// Feeds whose activity is waiting: their reason may change.
    var waitingFeeds: [FeedKey] = []
    /// When feeds were used, oldest first.
    var feedUses = FeedUses()
    /// Outcomes that sessions are owed in this turn.
    var owed = OwedAnswers()
    /// The earliest time at which a deadline may have come.
    var nextCheck = MonotonicTime.distantFuture
    /// Before this nothing is granted: an earlier life's grants may still run unseen (memory mode).
    var grantsBlockedUntil: MonotonicTime?
    /// The worker that is kept free for suspected jobs.
    var reservedWorker: Int?
    var storageIsFull = false
    /// Sessions opened in this epoch.
    var nextSession: UInt64 = 0
    /// What observers of `jobs` saw last.
    var publishedCounts = JobCounts()
    /// The version of the failures by code that they saw last.
    var publishedFailures: UInt64 = 0
    /// Jobs that ended since the pace was last measured, and when: for estimates.
    var pace = Pace()
    var now: FrontTime

    /// A front that knows nothing yet; `restore` and `start` follow.
    public init(settings: FrontSettings, now: FrontTime) {
        self.settings = settings
        self.now = now
        self.definitions = Dictionary(settings.feeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.summary = FrontSummary(
            front: settings.front, epoch: settings.epoch, startedAt: now.wall, version: settings.version,
            durability: settings.durability.rawValue)
    }

    /// When the loop is to come back at the latest, even if nothing happens.
    public var nextDeadline: MonotonicTime? { nextCheck == .distantFuture ? nil : nextCheck }

    /// Takes one event and appends what follows from it, in order.
    public mutating func handle(_ event: FrontEvent, at time: FrontTime, into actions: inout [FrontAction]) {
        now = time
        switch event {
        case .clientSpoke(let peer, let principal, let envelope): clientSpoke(peer, principal, envelope, into: &actions)
        case .workerSpoke(let peer, _, let envelope): workerSpoke(peer, envelope, into: &actions)
        case .malformedFrame(let peer, let channel): malformedFrame(peer, channel, into: &actions)
        case .peerLost(let peer): peerLost(peer)
        case .topicObserved(let topic, let isObserved): topicObserved(topic, isObserved)
        case .objectDamaged(let digest): objectDamaged(digest, into: &actions)
        case .wasAway(let milliseconds): wasAway(milliseconds)
        case .storageFull(let isFull):
            storageIsFull = isFull
            summary.storage = isFull ? "full" : "ok"
            actions.append(.changed(.front, key: "front"))
        case .inputRead(let instant): inputRead(upTo: instant, into: &actions)
        }
    }

    /// Applies a fact and hands it to the journal, unless this durability leaves it out.
    mutating func record(_ fact: Fact, into actions: inout [FrontAction]) {
        state.apply(fact, turn: .max)
        journal(fact, into: &actions)
    }

    /// Hands a fact that is applied already to the journal, unless this durability leaves it out.
    func journal(_ fact: Fact, into actions: inout [FrontAction]) {
        if settings.durability == .memory, fact.concernsJobs { return }
        actions.append(.record(fact))
    }

    /// Sets the time of the next look at deadlines no later than `deadline`.
    mutating func check(by deadline: MonotonicTime) { nextCheck = min(nextCheck, deadline) }

    private mutating func inputRead(upTo instant: MonotonicTime?, into actions: inout [FrontAction]) {
        if now.monotonic >= nextCheck { checkDeadlines(readUpTo: instant, into: &actions) }
        dispatch(into: &actions)
        refreshWaitingFeeds(into: &actions)
        flushAnswers(into: &actions)
        state.trimHistory(now: now.wall, bounds: settings.bounds)
        pace.note(ended: state.counts.succeeded + state.counts.failed + state.counts.cancelled, at: now.monotonic)
        if state.counts != publishedCounts || state.failureTally.version != publishedFailures {
            publishedCounts = state.counts
            publishedFailures = state.failureTally.version
            actions.append(.changed(.jobs, key: "counts"))
        }
    }

    private mutating func malformedFrame(_ peer: PeerID, _ channel: FrontChannel, into actions: inout [FrontAction]) {
        summary.malformedMessages += 1
        actions.append(.changed(.front, key: "front"))
        guard peer != .none else { return }
        let refused = Refused(
            reason: "the frame is not an envelope of protocol version \(ProtocolVersion.current): see PROTOCOL.md", code: .invalidData)
        switch channel {
        case .clients: actions.append(.tell(peer, .none, .refused(refused)))
        case .workers: actions.append(.tellWorker(peer, .refused(refused)))
        case .subscriptions: break
        }
    }

    private mutating func topicObserved(_ topic: Topic, _ isObserved: Bool) {
        guard case .job(let id) = topic else { return }
        if isObserved { observedJobs.insert(id.rawValue) } else { observedJobs.remove(id.rawValue) }
    }

    private mutating func wasAway(_ milliseconds: Int64) {
        for index in state.workers.indices {
            if let lostAt = state.workers[index]?.lostAt { state.workers[index]?.lostAt = lostAt.adding(milliseconds: milliseconds) }
        }
    }
}
