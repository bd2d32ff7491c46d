//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What the machines of the front decide with: the durable state, which entries alone change by `record`, and what follows from an event.
struct FrontTurn {
    /// The time, and what is decided.
    var context: TurnContext
    /// Everything durable.
    var state: FrontState
    /// The feeds that the configuration declares.
    let definitions: FeedDefinitions
    /// Loaders that the configuration names, be it for a feed or a limit.
    let configuredLoaders: Set<String>

    init(settings: FrontSettings, now: FrontTime) {
        context = TurnContext(settings: settings, now: now)
        state = FrontState(requestWindow: settings.bounds.requestWindow)
        state.jobs.weigh(settings.flow.clientWeights)
        definitions = FeedDefinitions(settings)
        configuredLoaders = settings.flow.loaders.union(settings.flow.limitsOfLoaders.keys).union(settings.feeds.compactMap(\.sourceLoader))
    }

    /// How far decisions have come.
    ///
    /// It is part of its callers: for a call the whole value would be copied.
    @inline(__always)
    var decided: DecisionMark {
        DecisionMark(lease: state.jobs.numbers.nextLease, registrationNumber: state.workers.nextRegistrationNumber)
    }

    /// Jobs that were accepted durably and have not ended, where this epoch would not journal their ends: its successor would run them again,
    /// and a checkpoint would drop those that wait. Unless there are none, it must not serve.
    var unkeptJobCount: UInt64 { settings.durability == .memory ? state.jobs.totals.alive : 0 }

    /// That peer has no connection any more.
    mutating func lose(_ peer: PeerID) {
        state.sessions.lose(peer, in: &context)
        state.workers.lose(peer, in: &context)
        emit(.forget(peer))
    }

    /// The loop was away for so long: nobody is late by that.
    mutating func noteAbsence(_ length: Duration) {
        state.workers.noteAbsence(length)
        state.sessions.noteAbsence(length)
    }

    /// About so many bytes of a page: with the row that fills it, which is small beside any frame, it fits the frame of the client that asks.
    func pageByteCount(for session: SessionID) -> Int {
        min(settings.bounds.pageByteCount, state.sessions.largestFrame(of: session) / 2)
    }

    /// Handles a request for a snapshot: it is sent, or refused if the client may not observe or the topic names no feed.
    func snapshot(of topic: Topic, asked: String?, _ session: SessionID, _ peer: PeerID, _ rights: Rights) -> FrontAction {
        guard rights.contains(.observe) else {
            let text = asked ?? topic.description
            return .send(peer, session, .snapshotRefused(asked: text, .without(.observe), retryAfter: .zero))
        }
        do throws(RefusedRequest) {
            let canonical = try definitions.canonical(topic)
            return .sendSnapshot(peer, session, canonical, asked: asked ?? (canonical == topic ? nil : topic.description))
        } catch {
            let text = asked ?? topic.description
            return .send(peer, session, .snapshotRefused(asked: text, error.failure, retryAfter: .zero))
        }
    }

    /// The limits that a feed's job counts in: those of its loader, and where it asks the source those of its feed.
    ///
    /// Whoever loads chooses the parameters of a feed, and so the values: where limits with a rate have as many as may be, what would be a new one
    /// counts with those that have none.
    func limitKeys(of job: JournalEntry.FeedJob) -> [LimitKey] {
        // A merge works on what a load has fetched, and asks no source.
        guard job.operation != .merge, let feed = definitions[job.key.name], job.loader == feed.sourceLoader else {
            return settings.flow.limitKeys(of: job.options, loader: job.loader)
        }
        let keys = settings.flow.limitKeys(of: job.options, loader: job.loader, feed: feed.name) {
            $0.value(for: job.operation, of: job.key, feed)
        }
        guard state.jobs.limits.ratedUses >= settings.bounds.limitValues else { return keys }
        return keys.map { state.jobs.limits.isNewValue($0.unweighted) ? LimitKey($0.limit, weight: $0.weight) : $0 }
    }

    /// A client has read a part of a snapshot: it goes on, if its topic names a feed still.
    mutating func continueSnapshot(of topic: Topic, _ session: SessionID, _ peer: PeerID) {
        guard let canonical = try? definitions.canonical(topic) else { return context.noteIgnored(.topicUnknown) }
        emit(.continueSnapshot(peer, session, canonical))
    }

    /// An event is handled: the next question for a job sees the present workers and lines, and what the scheduler looked at is counted.
    mutating func endEvent() {
        state.noteRooms()
        step(state.jobs.takeLooks(by: TurnContext.looksPerStep))
    }

    // What the machines use of the context all the time.

    var now: FrontTime { context.now }
    var settings: FrontSettings { context.settings }

    mutating func emit(_ action: FrontAction) { context.emit(action) }
    mutating func step(_ count: Int = 1) { context.step(count) }
    mutating func check(_ owner: DeadlineOwner, by deadline: MonotonicTime) { context.check(owner, by: deadline) }

    /// As `TurnContext.check`.
    mutating func check(_ owner: DeadlineOwner, at point: WallTime) { context.check(owner, at: point) }
    mutating func noteLateReports(_ reason: FrontIgnoredReason, _ count: Int = 1) { context.noteLateReports(reason, count) }

    /// As `TurnContext.busy`.
    mutating func busy(_ bound: BusyBound, _ text: String, retryAfter: Duration = .zero) -> Reply {
        context.busy(bound, text, retryAfter: retryAfter)
    }
}

// Which loaders jobs may name: those that a worker has offered lately, and those that the configuration names.
extension FrontTurn {
    /// A worker offers its loaders now, or has until now: it registers, or is forgotten.
    mutating func noteOffered(by worker: Int) {
        guard settings.refusesUnknownLoaders, let loaders = state.workers[worker]?.registration.loaders, !loaders.isEmpty else { return }
        step(loaders.count)
        let note = state.workers.offered.note(of: loaders.map(\.name), at: now.wall, limit: settings.bounds.offeredLoaders)
        guard let note else { return }
        // Which is the oldest is looked for among all of them.
        step(state.workers.offered.count)
        record(.loadersOffered(note))
    }

    /// Whether jobs may name a loader.
    mutating func knows(loader: String) -> Bool {
        if state.workers.offered.knows(loader, at: now.wall) || configuredLoaders.contains(loader) { return true }
        // A worker may have registered long ago.
        step(state.workers.count)
        return state.workers.all.contains { worker in worker.registration.loaders.contains { $0.name == loader } }
    }

    /// The known loader whose name is most like that; nil: none is like it.
    mutating func nearestLoader(to name: String) -> String? {
        nearest(to: name, among: configuredLoaders.union(state.workers.offered.known(at: now.wall)))
    }

    /// The name that is most like that; nil: none is like it.
    mutating func nearest(to name: String, among known: Set<String>) -> String? {
        let length = name.utf8.count
        // By length first, as most names are too unlike for a closer look.
        let alike = known.filter { abs($0.utf8.count - length) <= max(2, length / 2) }.sorted().prefix(Self.namesCompared)
        step(known.count + alike.reduce(0) { $0 + 1 + $1.utf8.count * length / Self.lettersPerStep })
        return SpellingDistance.nearest(to: name, in: Array(alike))
    }

    /// Names that one refusal is compared with: each is some thousand comparisons of letters, and a client may mistype as often as it likes.
    private static var namesCompared: Int { 128 }
    /// Pairs of letters that are compared in the time of a step.
    private static var lettersPerStep: Int { 50 }
}
