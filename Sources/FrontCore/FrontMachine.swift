//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Everything that the front decides: queue, leases, sessions, feeds, views.
///
/// A value without clock, sockets, files or randomness: the same events at the same times give the same actions. `FrontLoop` alone calls `handle`,
/// and carries the actions out. It passes each event to the machine that decides it, and the outcomes of feeds' jobs from the queue to the feeds.
package struct FrontMachine: Sendable {
    /// The time, the durable state, and what is decided.
    var turn: FrontTurn
    var queue: JobQueue
    var workforce = Workforce()
    var feeds = FeedMachine()

    /// A front that knows nothing yet; `restore` and `start` follow.
    package init(settings: FrontSettings, now: FrontTime) {
        turn = FrontTurn(settings: settings, now: now)
        queue = JobQueue(now: now)
    }

    /// When the loop is to come back at the latest, even if nothing happens. `mutating`: a plain getter would copy the whole machine.
    package var nextDeadline: MonotonicTime? { mutating get { turn.context.nextDeadline } }

    /// Up to where everything is decided, for trials; the loop looks into `turn` itself. `mutating` likewise.
    package var decided: DecisionMark { mutating get { turn.decided } }

    /// The number of the event that was handled last.
    package var lastEvent: EventID { turn.context.event }

    /// Takes one event and appends what follows from it, in order, with the event's number.
    package mutating func handle(_ event: FrontEvent, at time: FrontTime, into actions: inout FrontActions) {
        turn.context.begin(turn.context.event.advanced(), at: time, &actions)
        defer { turn.context.end(&actions) }
        switch event {
        case .clientSent(let peer, let principal, let envelope, let from, let count):
            clientSent(peer, principal.rights, envelope, from: from, count: count)
        case .workerSent(let peer, let principal, let envelope, let from, let count):
            workerSent(peer, principal, envelope, from: from, count: count)
        case .clientWaits(let peer, let envelope): turn.state.sessions.receiveWaiting(envelope, from: peer, in: &turn.context)
        case .workerWaits(let peer, let envelope): turn.state.workers.receiveWaiting(envelope, from: peer, in: &turn.context)
        case .malformedFrame(let peer, let channel, let error): turn.context.refuseFrame(of: peer, on: channel, error)
        case .pagesMalformed(let count): turn.context.noteMalformed(count)
        case .peerLost(let peer): turn.lose(peer)
        case .processEnded(let process): turn.state.workers.end(process, in: &turn.context)
        case .peerFull(let peer, let isFull): turn.state.sessions.noteFull(peer, isFull)
        case .topicObserved(let topic, let isObserved): queue.observe(topic, isObserved, in: &turn)
        case .objectDamaged(let digest): feeds.objectDamaged(digest, queue: &queue, in: &turn)
        case .loopPaused(let length): turn.noteAbsence(length)
        case .clockStepped(let length): queue.noteClockStep(length, in: &turn)
        case .checkpointNears(let isNew): queue.prepareCheckpoint(isNew: isNew, in: &turn)
        case .bundleRead(let number, let entries): queue.takeBundle(number, entries, in: &turn)
        case .storageFull(let isFull): if turn.context.noteStorage(isFull: isFull) { queue.noteStorage(in: &turn) }
        case .sent(let mark): workforce.noteSent(mark)
        case .inputRead(let reading): inputRead(reading)
        }
        notifyFeeds()
        turn.endEvent()
    }

    /// All waiting input was read: deadlines are handled next, then grants.
    private mutating func inputRead(_ reading: TurnReading) {
        workforce.note(reading)
        turn.state.sessions.noteReading(reading)
        lookAtDue(reading)
        workforce.dispatch(queue: &queue, in: &turn)
        notifyFeeds()
        feeds.endTurn(queue: &queue, in: &turn)
        workforce.endTurn()
        queue.endTurn(in: &turn)
    }

    /// Deals with everything whose time had come when the turn began to read.
    private mutating func lookAtDue(_ reading: TurnReading) {
        guard turn.context.passDeadlines(to: reading.began) else { return }
        for kind in DeadlineOwner.Kind.allCases {
            let due = turn.takeDue(kind, reading)
            for owner in due.owners { look(at: owner, reading, due.waiting) }
        }
    }

    /// Handles an owner whose deadline has come; it sets its next deadline itself.
    private mutating func look(at owner: DeadlineOwner, _ reading: TurnReading, _ waiting: Set<PeerID>) {
        turn.step()
        switch owner {
        case .reports(let index): turn.state.workers.lookAtReports(index, in: &turn.context)
        case .lease(let index): workforce.lookAtLease(index, reading, queue: &queue, in: &turn)
        case .session(let id): feeds.leave(turn.lookAt(id, reading, waiting: waiting), in: &turn)
        case .load(let key): feeds.lookAtLoad(of: key, reading, queue: &queue, in: &turn)
        case .view(let key, let name): feeds.lookAtView(name, of: key, in: &turn)
        // These only cause a turn: every turn does their work.
        case .counts, .grants, .waits: break
        case .endedJobs: queue.forgetAgedJobs(in: &turn)
        case .readings: queue.answerRead(in: &turn)
        case .delays, .points: queue.makeDue(in: &turn)
        case .work: goOnWithWork()
        case .damaged(let key): feeds.forgetDamage(of: key, in: &turn)
        }
        notifyFeeds()
    }

    /// Goes on with what earlier turns, or epochs, left to do. Each kind of work has its own budget a turn.
    private mutating func goOnWithWork() {
        for left in turn.takeWork(paused: queue.pausedBulkActions) {
            switch left.work {
            case .damage(let object): feeds.goOn(left, with: object, queue: &queue, in: &turn)
            case .loss(let lost): workforce.goOn(lost, queue: &queue, in: &turn)
            case .reset(let key, let label): feeds.goOn(left, resetting: key, by: label, queue: &queue, in: &turn)
            case .bulk(let bulk): queue.goOn(left, bulk, in: &turn)
            }
            notifyFeeds()
        }
    }

    /// Passes the outcomes of jobs to their feeds, and repeats that for the jobs that end because of it.
    mutating func notifyFeeds() {
        while case let news = queue.takeNews(), !news.isEmpty {
            for change in news { feeds.receive(change, queue: &queue, in: &turn) }
        }
    }
}

// Messages of clients and workers.
extension FrontMachine {
    /// Takes so many of a client's messages, in order.
    mutating func clientSent(_ peer: PeerID, _ rights: Rights, _ envelope: ClientEnvelope, from: Int, count: Int) {
        var session = envelope.session
        for message in envelope.messages.dropFirst(from).prefix(count) {
            turn.step()
            switch turn.receive(message, of: session, from: peer) {
            case .taken: break
            case .greeted(let opened): session = opened
            case .ended(let left): feeds.leave(left, in: &turn)
            case .submit(let submit): queue.submit(submit, session, peer, rights, in: &turn)
            case .request(let request): answer(request, session, peer, rights)
            case .snapshot(let topic, let asked): queue.send(turn.snapshot(of: topic, asked: asked, session, peer, rights), in: &turn)
            case .snapshotPartRead(let topic): turn.continueSnapshot(of: topic, session, peer)
            case .refused: return
            }
            notifyFeeds()
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, session, from: from + count)) }
    }

    /// Takes so many of a worker's messages, in order.
    mutating func workerSent(_ peer: PeerID, _ principal: Principal, _ envelope: WorkerEnvelope, from: Int, count: Int) {
        for message in envelope.messages.dropFirst(from).prefix(count) {
            turn.step()
            guard workforce.receive(message, of: envelope, from: peer, principal, queue: &queue, in: &turn) else { return }
            notifyFeeds()
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, .none, from: from + count)) }
    }

    /// Answers a request once; the same number gets the retained reply and never a second run.
    private mutating func answer(_ request: ClientMessage.Request, _ session: SessionID, _ peer: PeerID, _ rights: Rights) {
        let asked = NumberedRequest(request, session, peer, rights)
        guard turn.state.sessions.admits(asked, in: &turn.context), !queue.isWaiting(asked, in: &turn) else { return }
        var (reply, feed): (Reply?, FeedKey?) = (turn.state.sessions.refusalOfReading(asked, in: &turn.context), nil)
        reply = reply ?? queue.refusalForNow(of: feeds.addsNoJob(request.body, in: turn) ? asked.addingNoJob : asked, in: &turn)
        switch request.body {
        case let body where reply != nil: feed = body.feed.flatMap { try? turn.definitions.resolve($0).get() }
        case .feed(let named, let body): (reply, feed) = feeds.reply(to: body, of: named, session, queue: &queue, in: &turn)
        case .job(let body): reply = queue.answer(to: body, asked, in: &turn).reply
        case .listFeeds(let after): reply = feeds.feeds(after: after, for: session, in: &turn)
        case .drainWorker(let worker): reply = workforce.drain(worker, in: &turn)
        case .limit(let body): reply = queue.answer(to: body, in: &turn)
        case .pause(let body): reply = queue.answer(to: body, by: session, in: &turn)
        case .unknown: reply = .unknownRequest
        case .unreadable(let error): reply = .refusal(error.code, error.description)
        }
        // Without a reply it waits for ended jobs to be read.
        guard let reply else { return }
        notifyFeeds()
        turn.conclude(asked, with: reply, feed: feed)
    }
}

extension FrontMachine {
    /// Applies one row of an earlier epoch; decides nothing. All slices of a checkpoint come before all log rows.
    /// - Throws: what cannot be true in it; nothing was applied from there on.
    package mutating func restore(_ entries: [JournalEntry], turn number: TurnNumber, isSlice: Bool) throws(CodecError) {
        defer { if !isSlice { queue.trimRestored(in: &turn) } }
        try turn.restore(entries, of: number, isSlice: isSlice)
    }

    /// Begins to serve after the last `restore`: leases of earlier epochs run on, from the beginning of the first epoch that their worker has
    /// not registered with; what has no job any more is idle.
    package mutating func start(at time: FrontTime, into actions: inout FrontActions) {
        turn.context.begin(.start, at: time, &actions)
        defer { turn.context.end(&actions) }
        queue.begin(in: &turn)
        workforce.noteSent(turn.decided)
        workforce.begin(queue: &queue, in: &turn)
        queue.beginLengths(in: &turn)
        turn.state.sessions.begin(in: &turn.context)
        feeds.begin(queue: &queue, in: &turn)
        turn.awaitWork()
        notifyFeeds()
        queue.show(in: &turn)
    }
}

// What the loop and observers read, and what the loop counts for a turn.
extension FrontMachine {
    /// Everything durable, for whoever checks the machine from outside: the loop looks into `turn` itself, without a copy.
    package var state: FrontState { turn.state }

    /// Whether the disk is full.
    var storageIsFull: Bool { turn.context.storageIsFull }

    /// Whether the jobs that had ended when a checkpoint came near have left the state.
    package var isReadyForCheckpoint: Bool { queue.isReadyForCheckpoint }

    /// Steps since the start: about the microseconds that deciding has taken.
    var steps: UInt64 { turn.context.steps }

    /// Counts what the loop has done for a turn, as `TurnContext.step`.
    mutating func step(_ count: Int = 1) { turn.step(count) }

    /// Counts what the loop has ignored, or refused at a bound.
    mutating func noteIgnored(_ reason: FrontIgnoredReason) { turn.context.noteIgnored(reason) }
    mutating func noteBusy(_ bound: BusyBound) { turn.context.noteBusy(bound) }

    /// The value of a topic's item as it is now; nil: there is no such item, or the loop alone knows it.
    package func item(_ key: String, of topic: Topic) -> ItemValue? {
        switch topic {
        case .feed(let feed): feeds.item(key, of: feed, queue, in: turn)
        case .view(let feed, let name): turn.state.feeds[feed]?.views[name].map { .view($0) }
        case .job(let id): queue.item(key, of: id, in: turn)
        case .ofFront(.jobs), .ofFront(.limits), .ofFront(.pauses): queue.item(key, in: turn)
        case .ofFront(.workers): workforce.item(key, in: turn)
        case .ofFront(.front): .front(turn.context.summary)
        case .ofFront(.clients): .clients(turn.state.sessions.clients)
        case .ofFront: nil
        }
    }

    /// The keys of all of a topic's items, in an order of their own; of a topic that the loop knows, one with its own name.
    package func itemKeys(of topic: Topic) -> [String] {
        switch topic {
        case .feed(let feed): feeds.itemKeys(of: feed, queue, in: turn)
        case .view(let feed, let name): turn.state.feeds[feed]?.views[name] == nil ? [] : [ItemKey.view]
        case .job(let id): queue.itemKeys(of: id, in: turn)
        case .ofFront(.workers): turn.state.workers.all.map { ItemKey.worker($0.id) }
        case .ofFront(let topic): queue.itemKeys(of: topic, in: turn)
        }
    }
}
