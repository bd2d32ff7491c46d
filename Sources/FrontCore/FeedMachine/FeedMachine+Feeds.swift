//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension FeedMachine {
    /// Makes sure that a feed is there; nil if there are too many busy ones.
    mutating func feed(_ key: FeedKey, in turn: inout FrontTurn) -> FeedRecord? {
        if let feed = turn.state.feeds[key] {
            turn.state.feeds.noteUse(of: key, in: turn.context)
            return feed
        }
        if turn.state.feeds.count >= turn.settings.bounds.feeds, !forgetLongestIdle(in: &turn) { return nil }
        let isEditable = turn.definitions[key.name]?.isEditable ?? false
        turn.record(.feedChanged(JournalEntry.FeedChanged(FeedState(key: key, isEditable: isEditable), isAskedFor: false)))
        var shared = ViewState(name: ViewName.shared)
        shared.sort = turn.definitions[key.name]?.defaultSort
        turn.record(.viewChanged(JournalEntry.ViewChanged(key, shared)))
        turn.state.feeds.noteUse(of: key, in: turn.context)
        turn.emit(.changed(.feed(key), key: ItemKey.feed))
        turn.emit(.changed(.view(key, ViewName.shared), key: ItemKey.view))
        return turn.state.feeds[key]
    }

    /// The refusal when there are too many busy feeds.
    mutating func tooManyFeeds(in turn: inout FrontTurn) -> Reply {
        turn.busy(.feeds, "\(turn.settings.bounds.feeds) feeds are in use (limit): detach from some first", retryAfter: RetryPause.usual)
    }

    /// Loads a feed, or joins the load that is under way.
    mutating func load(_ key: FeedKey, cause: LoadCause, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn) -> Reply {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        let isAskedFor = feed.isAskedFor || cause != .attach
        let (rule, newest) = (loadRule(of: key, cause, in: turn), runningLoad(of: key, in: turn))
        if let joined = newest, isJoined(joined, by: rule, in: turn) {
            set(feed.state, isAskedFor: isAskedFor, in: &turn)
            if let debounce = rule.debounce, turn.state.jobs[joined.rawValue].standing == .scheduled {
                queue.debounce(joined, debounce, in: &turn)
            }
            return .accepted(joined, joined: true)
        }
        guard let loader = turn.definitions[key.name]?.sourceLoader else {
            set(feed.state, isAskedFor: isAskedFor, in: &turn)
            return .done(version: feed.state.content?.version.rawValue ?? 0)
        }
        var job = JournalEntry.FeedJob(job: .none, key: key, operation: .load, loader: loader, acceptedAt: turn.now.wall)
        queue.place(&job, in: turn)
        // Before a number is taken: what is refused leaves no trace.
        if cause.isAsked, let refused = queue.refusalBeyondRates(ofLoadIn: job.options.limitKeys, in: turn) { return refused }
        (job.job, job.cause, job.submitter) = (queue.takeJobs(1, in: &turn), cause, Submitter(session))
        turn.record(.feedJobAccepted(job))
        if let debounce = rule.debounce { queue.debounce(job.job, debounce, in: &turn) }
        var changed = turn.state.feeds[key]?.state ?? feed.state
        // One that runs before it is what the feed does; this one is once that has ended.
        if newest == nil || changed.activity.job != newest { changed.activity = activity(by: job.job, queue: queue, in: turn) }
        set(changed, isAskedFor: isAskedFor, in: &turn)
        return .accepted(job.job, joined: false)
    }

    /// How loads of a feed that somebody asks for follow each other; others follow each other as if nothing were said.
    private func loadRule(of key: FeedKey, _ cause: LoadCause, in turn: FrontTurn) -> FeedLoadRule {
        cause.isAsked ? turn.definitions[key.name]?.loads ?? FeedLoadRule() : FeedLoadRule()
    }

    /// Whether another load joins the one under way; otherwise it is a job of its own.
    private func isJoined(_ newest: JobID, by rule: FeedLoadRule, in turn: FrontTurn) -> Bool {
        !rule.buffersOne || turn.state.jobs[newest.rawValue].state != .running
    }

    /// Whether a request is for a load and makes no job: it joins one, or the feed is loaded by nobody. A full queue does not refuse it.
    func addsNoJob(_ body: RequestBody, in turn: FrontTurn) -> Bool {
        guard case .feed(let named, let asked) = body, let cause = asked.loadCause, let key = try? turn.definitions.resolve(named).get()
        else {
            return false
        }
        guard turn.definitions[key.name]?.sourceLoader != nil else { return true }
        return runningLoad(of: key, in: turn).map { isJoined($0, by: loadRule(of: key, cause, in: turn), in: turn) } ?? false
    }

    /// What a feed does whose load or merge that is.
    private func activity(by job: JobID, queue: JobQueue, in turn: FrontTurn) -> Activity {
        let record = turn.state.jobs[job.rawValue]
        if record.state == .running, let own = turn.state.jobs.keyLines[job.rawValue]?.job {
            return .loading(job, cause: own.cause, attempt: record.attempts)
        }
        return .waiting(job, queue.waitReason(job.rawValue, in: turn) ?? .slotsTaken)
    }

    /// What a feed does once its load has ended, or stops: the load behind it, if there is one.
    func nextActivity(of key: FeedKey, queue: JobQueue, in turn: FrontTurn) -> Activity {
        runningLoad(of: key, in: turn).map { activity(by: $0, queue: queue, in: turn) } ?? .idle
    }

    /// The load, or the merge that follows it, that newcomers join.
    private func runningLoad(of key: FeedKey, in turn: FrontTurn) -> JobID? {
        let lines = turn.state.jobs.keyLines
        func goesOn(_ job: JobID) -> Bool {
            turn.state.jobs.contains(job.rawValue) && turn.state.jobs[job.rawValue].state != .cancelling
                && !turn.state.left.isReset(job, of: key)
        }
        return lines.loads(of: key).first(where: goesOn)
    }

    /// Records a feed's new state and says so to observers.
    mutating func set(_ feed: FeedState, isAskedFor: Bool? = nil, damaged found: DamagedVersion? = nil, in turn: inout FrontTurn) {
        let old = turn.state.feeds[feed.key]
        let asked = isAskedFor ?? old?.isAskedFor ?? false
        if let old, old.state == feed, old.isAskedFor == asked { return }
        var changed = JournalEntry.FeedChanged(feed, isAskedFor: asked)
        if let old {
            changed.damaged = old.damaged(before: feed, found)
            changed.older = old.older(before: feed, changed.damaged)
        }
        turn.record(.feedChanged(changed))
        turn.emit(.changed(.feed(feed.key), key: ItemKey.feed))
        noteWait(of: feed, in: &turn)
    }

    /// Accepts a create or an update of an editable feed.
    ///
    /// - Parameter failed: the failed save that it repeats; none: it is new.
    mutating func save(
        _ key: FeedKey, _ operation: FeedOperation, itemID: String?, _ item: [UInt8], repeats failed: JobID = .none, _ session: SessionID,
        queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        guard feed.state.isEditable else {
            return .refusal(
                .invalidData, "feed \(key) is not editable: declare \"editable: true\" for it in gantry.yaml",
                arguments: RefusedRequest.arguments(setting: Failure.editableSetting, of: key))
        }
        // It travels with the grant, and a grant that no worker can read would fail at one after the other.
        if let refused = turn.settings.bounds.refusal(ofItemID: itemID ?? "") { return refused }
        guard item.count <= turn.settings.bounds.payloadByteCount else {
            return .refusal(.tooLarge, "the item is over \(turn.settings.bounds.payloadByteCount) bytes (limit)")
        }
        var job = JournalEntry.FeedJob(
            job: queue.takeJobs(1, in: &turn), key: key, operation: operation, loader: LoaderName.list, acceptedAt: turn.now.wall)
        job.itemID = itemID
        job.item = item
        job.repeats = failed
        job.submitter = Submitter(session)
        queue.place(&job, in: turn)
        turn.record(.feedJobAccepted(job))
        return .accepted(job.job, joined: false)
    }

    /// Asks that a feed be loaded and kept; the first one loads it if it is declared so.
    mutating func attach(_ key: FeedKey, _ view: String, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn) -> Reply {
        let isNew = turn.state.sessions.attach(session, to: ClientSession.AttachedView(key: key, view: view), in: &turn.context)
        turn.state.feeds.attach(key, view, isNew: isNew)
        guard let feed = turn.state.feeds[key] else { return .done(version: 0) }
        if let cause = causeToLoad(feed, of: key, attached: feed.attachmentCount, in: turn) {
            return load(key, cause: cause, session, queue: &queue, in: &turn)
        }
        return .done(version: feed.state.content?.version.rawValue ?? 0)
    }

    /// Why an attachment loads a feed; nil: it does not.
    /// - Parameter count: how many there are with it.
    private func causeToLoad(_ feed: FeedRecord, of key: FeedKey, attached count: Int, in turn: FrontTurn) -> LoadCause? {
        if feed.isMissed { return .damaged }
        let loads = turn.definitions[key.name]?.loadsOnAttach == true && count == 1
        return loads && feed.state.content == nil && feed.state.activity == .idle ? .attach : nil
    }

    /// Why an attachment cannot be taken now: its session has too many, or it makes a view or loads the feed, which writes and works as any other
    /// request does. One to what is there goes on with a full disk, too.
    mutating func refusalOfAttachment(
        of session: SessionID, to view: String, of key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply? {
        let attached = ClientSession.AttachedView(key: key, view: view)
        if let refused = turn.state.sessions.refusalOfAttachment(session, to: attached, in: &turn.context) { return refused }
        let feed = turn.state.feeds[key] ?? FeedRecord(state: FeedState(key: key))
        let loads = causeToLoad(feed, of: key, attached: feed.attachmentCount + 1, in: turn) != nil
        guard loads || feed.views[view] == nil else { return nil }
        if let refused = turn.context.refusalOfStorage { return refused }
        return loads ? queue.refusalOfJobs(1, byteCount: key.text.utf8.count + view.utf8.count + RoughSize.feedJob, in: &turn) : nil
    }

    /// Ends a session's attachment.
    mutating func detach(_ key: FeedKey, _ view: String, _ session: SessionID, in turn: inout FrontTurn) -> Reply {
        if turn.state.sessions.detach(session, from: ClientSession.AttachedView(key: key, view: view)) {
            turn.state.feeds.leave(key, view, in: &turn.context)
        } else {
            turn.context.noteIgnored(.viewNotAttached)
        }
        return .done(version: turn.state.feeds[key]?.state.content?.version.rawValue ?? 0)
    }
}

extension FeedMachine {
    /// Ends the newest accepted load of a feed for everybody: the fetch, or the merge that follows it. It is looked for here, so one that has
    /// taken another's place meanwhile is met too.
    /// - Parameter only: the job that it has to be; otherwise nothing changes, and the reply says how that job stands.
    mutating func cancelLoad(
        of key: FeedKey, only expected: JobID?, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        let newest = newestLoad(of: key, in: turn)
        if let newest, expected == nil || expected == newest {
            return queue.cancel(newest, by: .client(turn.state.sessions.label(session)), in: &turn)
        }
        let name = key.text.cut(to: Reply.quotedByteCount)
        guard let expected else { return .refusal(.unknownItem, "nothing is in progress for \(name)") }
        guard let standing = turn.state.jobs.state(of: expected.rawValue) else { return .unknownJob(expected) }
        switch standing {
        case .succeeded, .failed, .cancelled, .expired, .quarantined: return .alreadyEnded(expected, standing)
        case .cancelling: return .cancelling(expected)
        case .waiting, .scheduled, .running:
            return .refusal(.unknownItem, "job \(expected) is \(standing.name) and is not the load of \(name): cancel it by its number")
        }
    }

    /// The load that newcomers join; where there is none, the newest one that is being cancelled.
    private func newestLoad(of key: FeedKey, in turn: FrontTurn) -> JobID? {
        let lines = turn.state.jobs.keyLines
        return runningLoad(of: key, in: turn) ?? lines.loads(of: key).first { turn.state.jobs.contains($0.rawValue) }
    }

    /// The time may have come at which the loads of a feed end because nobody is attached.
    mutating func lookAtLoad(of key: FeedKey, _ reading: TurnReading, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard turn.state.feeds.isAbandoned(key, reading, in: &turn.context) else { return }
        for job in Array(turn.state.jobs.keyLines.backwards(.load, of: key)) { _ = queue.cancel(job, by: .nobodyAttached, in: &turn) }
    }
}

extension FrontTurn {
    /// What is left to do though no deadline brings a turn about that would go on with it, what waits in memory alone included; nil:
    /// nothing. For checks from outside.
    func forgottenWork(_ feeds: FeedMachine, _ queue: JobQueue) -> String? {
        if let first = state.left.first(where: { !queue.isReading(for: $0) }), !context.deadlines.contains(.work) {
            return "the \(first.work.name) goes on at \(first.cursor.map { "\($0)" } ?? "nothing"), and nothing says when"
        }
        // One deadline stands for their age, too: that it is there says nothing.
        let isDue = context.deadlines.next(at: now).map { $0 <= now.monotonic } ?? false
        if state.jobs.ended.firstBeyond(settings.bounds, in: state.jobs.slab) != nil, !isDue {
            return "ended jobs are beyond their bounds, and nothing says when they go"
        }
        guard feeds.waiting.hasDue || queue.hasOpenWaits, !context.deadlines.contains(.waits) else { return nil }
        return "observers of waiting jobs or feeds are to be notified, and nothing says when"
    }
}

extension FeedRequest {
    /// Why it loads its feed, if that is all it asks for.
    fileprivate var loadCause: LoadCause? {
        switch self {
        case .load: .asked
        case .refresh: .refresh
        case .retry, .reset, .cancelLoad, .create, .update, .sort, .filter, .select, .attach, .detach: nil
        }
    }
}
