//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What is decided of feeds and views: what a request asks of them, and what becomes visible of the jobs that work for them.
///
/// What is shared of them is durable, and `FeedTable` knows it; here is what only this epoch knows.
struct FeedMachine {
    /// Feeds whose activity is waiting: their reason may change.
    var waiting = WaitingFeeds()
    /// Feeds and views that were looked at in this turn for damaged objects.
    var damageLooks = 0
    /// Jobs that were cancelled in this turn because their feeds were reset.
    var resetLooks = 0

    /// All that had come was read and dealt with.
    mutating func endTurn(queue: inout JobQueue, in turn: inout FrontTurn) {
        refreshWaits(queue: &queue, in: &turn)
        (damageLooks, resetLooks) = (0, 0)
    }
}

extension FeedMachine {
    /// An epoch begins: what waits for lost jobs stops waiting.
    mutating func begin(queue: inout JobQueue, in turn: inout FrontTurn) {
        turn.state.feeds.begin(in: &turn.context)
        for key in turn.state.feeds.order { endOrphans(key, queue: &queue, in: &turn) }
        for key in turn.state.feeds.order { watchDamage(of: key, in: &turn) }
    }

    /// Activities whose job does not exist any more end.
    private mutating func endOrphans(_ key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard var feed = turn.state.feeds[key]?.state else { return }
        if let isEditable = turn.definitions[key.name]?.isEditable, isEditable != feed.isEditable {
            // It was declared otherwise in an earlier epoch. What it holds stays; its next content is kept, or no longer.
            feed.isEditable = isEditable
            set(feed, in: &turn)
        }
        if let job = feed.activity.job, !isAlive(job, in: turn) {
            feed.activity = .idle
            set(feed, in: &turn)
        } else {
            // The reason was given in an earlier epoch.
            noteWait(of: feed, in: &turn)
            waiting.lookAgain(at: key)
            if feed.activity.job != nil, turn.state.feeds[key]?.isAskedFor == false {
                turn.state.feeds.awaitAttachments(of: key, in: &turn.context)
            }
        }
        for name in turn.state.feeds[key]?.viewNames ?? [] {
            resume(name, of: key, queue: &queue, in: &turn)
        }
    }

    /// What a view waits for is asked for again where its job is lost: a front that does not journal its jobs forgets them, not the orders.
    private mutating func resume(_ name: String, of key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn) {
        if var view = turn.state.feeds.view(name, of: key), let job = view.state.sorting, !isAlive(job, in: turn) {
            carryOut(view.orderLost(job), view, of: key, .none, queue: &queue, in: &turn)
        }
        if var view = turn.state.feeds.view(name, of: key), case .loading(let job) = view.state.detail, !isAlive(job, in: turn) {
            carryOut(view.detailLost(job), view, of: key, .none, queue: &queue, in: &turn)
        }
    }

    private func isAlive(_ job: JobID, in turn: FrontTurn) -> Bool { turn.state.jobs.isAlive(job.rawValue) }
}

extension FeedMachine {
    /// Forgets the feed that was not used for longest; false: all that were looked at are busy.
    mutating func forgetLongestIdle(in turn: inout FrontTurn) -> Bool {
        let lines = turn.state.jobs.keyLines
        guard let idle = turn.state.feeds.takeLongestIdle(in: &turn.context, where: { lines.isEmpty($0.state.key) }) else { return false }
        forget(idle, in: &turn)
        return true
    }

    /// A feed goes, with its views: observers see its items go.
    private mutating func forget(_ feed: FeedRecord, in turn: inout FrontTurn) {
        let key = feed.state.key
        turn.record(.feedForgotten(JournalEntry.FeedForgotten(key)))
        turn.emit(.changed(.feed(key), key: ItemKey.feed))
        turn.context.forget(.load(key))
        waiting.note(key, waitsFor: nil)
        for name in feed.viewNames {
            turn.context.forget(.view(key, name))
            turn.emit(.changed(.view(key, name), key: ItemKey.view))
        }
    }

    /// A view's time may have come: one that nobody has used for too long goes.
    mutating func lookAtView(_ name: String, of key: FeedKey, in turn: inout FrontTurn) {
        guard turn.state.feeds.isUnused(name, of: key, in: &turn.context) else { return }
        turn.record(.viewForgotten(JournalEntry.ViewForgotten(key, name)))
        turn.emit(.changed(.view(key, name), key: ItemKey.view))
    }
}

extension ViewState {
    /// Whether a job makes its order or fetches its detail.
    var isWorkedFor: Bool {
        if sorting != nil { return true }
        switch detail {
        case .loading: return true
        case .idle, .loaded, .stored, .failed: return false
        }
    }
}

extension FeedMachine {
    /// The reply to a request about a feed, and the feed with its defaults filled in; nil: there is no such feed.
    mutating func reply(
        to body: FeedRequest, of named: FeedKey, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> (Reply, FeedKey?) {
        switch turn.definitions.resolve(named) {
        case .failure(let refused): return (.refused(refused.failure, retryAfter: .zero), nil)
        case .success(let key):
            if case .attach(let view) = body, let refused = refusalOfAttachment(of: session, to: view, of: key, queue: &queue, in: &turn) {
                return (refused, key)
            }
            // After the refusal above: an attachment that is refused makes no view.
            if let (view, version) = body.view, let refused = prepare(key, view, version, queue: &queue, in: &turn) {
                return (refused, key)
            }
            return (carryOut(body, key, session, queue: &queue, in: &turn), key)
        }
    }

    /// Carries out what is asked of a feed, by its whole key.
    private mutating func carryOut(
        _ body: FeedRequest, _ key: FeedKey, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        switch body {
        case .load: load(key, cause: .asked, session, queue: &queue, in: &turn)
        case .refresh: load(key, cause: .refresh, session, queue: &queue, in: &turn)
        case .retry(let view, let failure): retry(key, view, failure, session, queue: &queue, in: &turn)
        case .reset(let version): reset(key, version, session, queue: &queue, in: &turn)
        case .cancelLoad(let job): cancelLoad(of: key, only: job, session, queue: &queue, in: &turn)
        case .create(let item): save(key, .create, itemID: nil, item, session, queue: &queue, in: &turn)
        case .update(let itemID, let item): save(key, .update, itemID: itemID, item, session, queue: &queue, in: &turn)
        case .sort(let view, let order, _): sort(key, view, order, session, queue: &queue, in: &turn)
        case .filter(let view, let text, _): filter(key, view, text, session, queue: &queue, in: &turn)
        case .select(let view, let itemID, _): select(key, view, itemID, session, queue: &queue, in: &turn)
        case .attach(let view): attach(key, view, session, queue: &queue, in: &turn)
        case .detach(let view): detach(key, view, session, in: &turn)
        }
    }

    /// Makes sure that a view exists and is at the version that the request saw; otherwise why not.
    private mutating func prepare(
        _ key: FeedKey, _ view: String, _ version: UInt64?, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply? {
        guard PlainName.isName(view) else {
            return .refusal(.invalidData, "\"\(view.cut(to: Reply.quotedByteCount))\" names no view: \(PlainName.rule)")
        }
        if let refused = makeView(key, view, queue: &queue, in: &turn) { return refused }
        let current = turn.state.feeds[key]?.views[view]?.version ?? 0
        guard let version, version != current else { return nil }
        let name = key.text.cut(to: Reply.quotedByteCount)
        let text = "view \(view) of \(name) is at version \(current), not \(version): look again and repeat"
        return .conflict(text, key, view: view, version: current)
    }

    /// A session's attachments to these views have ended.
    mutating func leave(_ views: [ClientSession.AttachedView], in turn: inout FrontTurn) {
        for attached in views { turn.state.feeds.leave(attached.key, attached.view, in: &turn.context) }
    }
}

extension FeedRequest {
    /// The view that has to be there for it, and the version that it saw; nil: it needs none.
    fileprivate var view: (name: String, version: UInt64?)? {
        switch self {
        case .sort(let view, _, let version), .filter(let view, _, let version), .select(let view, _, let version): (view, version)
        case .attach(let view): (view, nil)
        case .load, .refresh, .retry, .reset, .cancelLoad, .create, .update, .detach: nil
        }
    }
}

extension FeedMachine {
    /// A page of the feeds by key: live ones, and those of the configuration that nobody uses.
    mutating func feeds(after: FeedKey?, for session: SessionID, in turn: inout FrontTurn) -> Reply {
        var found: [FeedState] = []
        var byteCount = 0
        let byteLimit = turn.pageByteCount(for: session)
        // A configuration may have thousands, and each page looks at all of them.
        turn.step(turn.definitions.needingNoParameter.count / TurnContext.looksPerStep)
        var unused = turn.definitions.needingNoParameter.filter { feed in
            turn.state.feeds[feed.key] == nil && after.map { $0 < feed.key } ?? true
        }[...]
        var keys = turn.state.feeds.sorted.keys(after: after)
        var live = keys.next()
        while let key = [live, unused.first?.key].compactMap({ $0 }).min() {
            if key == live { live = keys.next() }
            guard let feed = turn.state.feeds[key]?.state ?? unused.popFirst() else { continue }
            guard byteCount < byteLimit else { return .feeds(found, next: found.last?.key) }
            turn.step(TurnContext.rowSteps)
            byteCount += feed.roughByteCount
            found.append(feed)
        }
        return .feeds(found, next: nil)
    }
}

extension FeedMachine {
    /// An item of a feed's topic; nil: there is no such item.
    func item(_ item: String, of key: FeedKey, _ queue: JobQueue, in turn: FrontTurn) -> ItemValue? {
        guard let feed = turn.state.feeds[key]?.state else { return nil }
        if item == ItemKey.feed { return .feed(feed) }
        guard item == ItemKey.progress, let job = feed.activity.job else { return nil }
        return queue.item(item, of: job, in: turn)
    }

    /// The keys of a feed's items.
    func itemKeys(of key: FeedKey, _ queue: JobQueue, in turn: FrontTurn) -> [String] {
        guard let feed = turn.state.feeds[key]?.state else { return [] }
        let progress = feed.activity.job.flatMap { queue.item(ItemKey.progress, of: $0, in: turn) }
        return progress == nil ? [ItemKey.feed] : [ItemKey.feed, ItemKey.progress]
    }
}

extension FeedMachine {
    /// Notes whether a feed waits, and for what.
    mutating func noteWait(of feed: FeedState, in turn: inout FrontTurn) {
        guard case .waiting(let job, _) = feed.activity else { return waiting.note(feed.key, waitsFor: nil) }
        waiting.note(feed.key, waitsFor: turn.state.jobs.keyLines[job.rawValue]?.job.loader ?? "")
    }

    /// Notifies observers of feeds and jobs when the reason of a wait has changed.
    private mutating func refreshWaits(queue: inout JobQueue, in turn: inout FrontTurn) {
        let changed = turn.state.jobs.takeChangedOffers()
        for loader in changed { turn.step(waiting.lookAgain(atThoseOf: turn.state.jobs.loaderNames[loader])) }
        if queue.takeAllWaitsInQuestion() {
            turn.step(waiting.lookAgainAtAll())
            queue.questionObservedWaits(in: &turn)
        } else if !changed.isEmpty {
            let (loaders, jobs) = (Set(changed), turn.state.jobs.slab)
            queue.questionObservedWaits(in: &turn) { loaders.contains(Int(jobs[$0].loader)) }
        }
        queue.notifyObservedWaits(in: &turn)
        for _ in 0..<turn.settings.bounds.waitLooks {
            guard let key = waiting.next() else { return }
            turn.step()
            guard var feed = turn.state.feeds[key]?.state, case .waiting(let job, _) = feed.activity,
                let reason = queue.waitReason(job.rawValue, in: turn)
            else {
                continue
            }
            feed.activity = .waiting(job, reason)
            set(feed, in: &turn)
        }
        if waiting.hasDue { turn.check(.waits, by: turn.now.monotonic) }
    }

    /// A feed whose reason to wait is another one than it shows, though nothing calls it in question; nil: there is none. For checks from
    /// outside.
    func staleWait(queue: JobQueue, in turn: FrontTurn) -> String? {
        for key in waiting.unquestioned {
            guard case .waiting(let job, let shown)? = turn.state.feeds[key]?.state.activity,
                let reason = queue.waitReason(job.rawValue, in: turn),
                shown != reason
            else { continue }
            // What limits have changed is shown as often as the limits are.
            let isLimited = turn.state.jobs.keyLines[job.rawValue]?.job.options.limitKeys.isEmpty == false
            if isLimited, turn.state.jobs.limits.hasChanged { continue }
            return "feed \(key) waits as \(shown), and job \(job) as \(reason)"
        }
        return nil
    }
}

/// Feeds whose activity is waiting, and which of them are to be looked at because their reason may be another one.
///
/// A reason changes only when the first worker begins to offer a loader or the last one ends to, when nothing is granted to anybody any
/// more or again, when another job of the same key goes or is to stop, when its time comes, or when a limit that it counts in is published with other
/// numbers. The code that causes such a change notes it here, so that a turn looks only at what has changed, never at all that waits.
struct WaitingFeeds {
    /// The loader of the job that each feed waits for.
    private var loaders: [FeedKey: String] = [:]
    private var byLoader: [String: ArrivalOrder<FeedKey>] = [:]
    /// Feeds that are to be looked at, in the order in which that was said, each once.
    private var due = ArrivalOrder<FeedKey>()

    /// Feeds that wait.
    var count: Int { loaders.count }

    /// Whether some are still to be looked at.
    var hasDue: Bool { due.count > 0 }

    /// A feed waits for a job of that loader; nil: it does not wait any more, and is not looked at: if it waits again, that says why anew.
    mutating func note(_ key: FeedKey, waitsFor loader: String?) {
        let old = loaders[key]
        guard old != loader else { return }
        if let old {
            byLoader[old]?.remove(key)
            if byLoader[old]?.count == 0 { byLoader[old] = nil }
        }
        loaders[key] = loader
        if loader == nil { due.remove(key) }
        if let loader { byLoader[loader, default: ArrivalOrder()].append(key) }
    }

    /// A feed is to be looked at, if it waits.
    mutating func lookAgain(at key: FeedKey) {
        if loaders[key] != nil { due.append(key) }
    }

    /// All feeds that wait for a loader are to be looked at.
    /// - Returns: how many they are.
    mutating func lookAgain(atThoseOf loader: String) -> Int {
        guard let keys = byLoader[loader] else { return 0 }
        for key in keys { lookAgain(at: key) }
        return keys.count
    }

    /// All that wait are to be looked at.
    /// - Returns: how many they are.
    fileprivate mutating func lookAgainAtAll() -> Int {
        // Sorted, since the order of a table must not reach what is decided.
        for loader in byLoader.keys.sorted() { _ = lookAgain(atThoseOf: loader) }
        return count
    }

    /// The next feed that is to be looked at; nil: there is none.
    mutating func next() -> FeedKey? { due.popFirst() }

    /// The feeds whose reason nobody has called in question.
    fileprivate var unquestioned: some Sequence<FeedKey> { loaders.keys.lazy.filter { [due] key in !due.contains(key) } }
}
