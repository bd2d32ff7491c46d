//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Makes sure that a feed is there; nil if there are too many busy ones.
    mutating func feed(_ key: FeedKey, in turn: inout FrontTurn) -> FeedRecord? {
        if let feed = turn.state.feeds[key] {
            turn.state.feeds.noteUse(of: key, in: turn.context)
            return feed
        }
        if turn.state.feeds.count >= turn.settings.bounds.feeds, !forgetLongestIdle(in: &turn) { return nil }
        let isEditable = turn.definitions[key.name]?.isEditable ?? false
        turn.record(.feedChanged(Fact.FeedChanged(FeedState(key: key, isEditable: isEditable), isAskedFor: false)))
        var shared = ViewState(name: "shared")
        shared.sort = turn.definitions[key.name]?.defaultSort
        turn.record(.viewChanged(Fact.ViewChanged(key, shared)))
        turn.state.feeds.noteUse(of: key, in: turn.context)
        turn.emit(.changed(.feed(key), key: "feed"))
        turn.emit(.changed(.view(key, "shared"), key: "view"))
        return turn.state.feeds[key]
    }

    /// The refusal when there are too many busy feeds.
    mutating func tooManyFeeds(in turn: inout FrontTurn) -> Reply {
        turn.busy(.feeds, "\(turn.settings.bounds.feeds) feeds are in use (limit): detach from some first", retryAfter: RetryPause.usual)
    }

    /// Loads a feed, or joins the load that is under way.
    mutating func load(_ key: FeedKey, cause: LoadCause, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn) -> Reply {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        let isAskedFor = feed.isAskedFor || cause != .appeared
        if let job = runningLoad(of: key, in: turn) {
            if isAskedFor != feed.isAskedFor { set(feed.state, isAskedFor: isAskedFor, in: &turn) }
            return .accepted(job, joined: true)
        }
        guard let loader = turn.definitions[key.name]?.sourceLoader else {
            set(feed.state, isAskedFor: isAskedFor, in: &turn)
            return .done(version: feed.state.content?.version.rawValue ?? 0)
        }
        var job = Fact.FeedJob(job: queue.takeJobs(1, in: &turn), key: key, operation: .load, loader: loader, acceptedAt: turn.now.wall)
        job.cause = cause
        job.session = session
        job.rank = queue.rank(of: job.options, in: turn)
        turn.record(.feedJobAccepted(job))
        var changed = turn.state.feeds[key]?.state ?? feed.state
        changed.activity = .waiting(job.job, queue.waitReason(job.job.rawValue, in: turn) ?? .slotsTaken)
        set(changed, isAskedFor: isAskedFor, in: &turn)
        return .accepted(job.job, joined: false)
    }

    /// The load, or the merge that follows it, that newcomers join.
    func runningLoad(of key: FeedKey, in turn: FrontTurn) -> JobID? {
        let lines = turn.state.jobs.keyLines
        func goesOn(_ job: JobID) -> Bool { turn.state.jobs.contains(job.rawValue) && turn.state.jobs[job.rawValue].state != .cancelling }
        return lines.backwards(.load, of: key).first(where: goesOn)
            ?? lines.backwards(.edit, of: key).first { lines[$0.rawValue]?.job.operation == .merge && goesOn($0) }
    }

    /// Records a feed's new state and says so to observers.
    mutating func set(_ feed: FeedState, isAskedFor: Bool? = nil, in turn: inout FrontTurn) {
        let asked = isAskedFor ?? turn.state.feeds[feed.key]?.isAskedFor ?? false
        if let old = turn.state.feeds[feed.key], old.state == feed, old.isAskedFor == asked { return }
        turn.record(.feedChanged(Fact.FeedChanged(feed, isAskedFor: asked)))
        turn.emit(.changed(.feed(feed.key), key: "feed"))
        noteWait(of: feed, in: &turn)
    }

    /// Cancels what runs and forgets content, failure and selections.
    mutating func reset(_ key: FeedKey, _ version: ContentVersion?, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn)
        -> Reply
    {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        let current = feed.state.content?.version ?? .none
        if let version, version != current {
            let text = "feed \(key.text.cut(to: Reply.echoByteCount)) is at version \(current), not \(version): look again and repeat"
            return .conflict(text, key, version: current.rawValue)
        }
        // From the end: none begins because the one before it goes.
        let lines = [KeyLines.Line.edit, .load].flatMap { Array(turn.state.jobs.keyLines.backwards($0, of: key)) }
        for job in lines {
            turn.step()
            _ = queue.cancel(job, by: turn.state.sessions.label(session), in: &turn)
        }
        var changed = FeedState(key: key, isEditable: feed.state.isEditable)
        changed.activity = .idle
        set(changed, isAskedFor: false, in: &turn)
        for name in feed.viewNames {
            guard let old = turn.state.feeds[key]?.views[name] else { continue }
            var view = old
            view.version += 1
            view.selection = nil
            view.detail = .idle
            view.pair = nil
            view.arranging = nil
            view.failure = nil
            set(view, of: key, in: &turn)
            // Cancelled once the view waits for them no longer: what they were asked for stays for the next content.
            if let job = old.arranging { _ = queue.cancel(job, by: turn.state.sessions.label(session), in: &turn) }
            if case .loading(let job) = old.detail { _ = queue.cancel(job, by: turn.state.sessions.label(session), in: &turn) }
        }
        return .done(version: feed.nextVersion - 1)
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
                arguments: RefusedRequest.arguments(setting: "editable", of: key))
        }
        guard (itemID?.utf8.count ?? 0) <= turn.settings.bounds.itemIDByteCount else {
            return .refusal(.tooLarge, "the item's id is over \(turn.settings.bounds.itemIDByteCount) bytes (limit)")
        }
        guard item.count <= turn.settings.bounds.payloadByteCount else {
            return .refusal(.tooLarge, "the item is over \(turn.settings.bounds.payloadByteCount) bytes (limit)")
        }
        var job = Fact.FeedJob(job: queue.takeJobs(1, in: &turn), key: key, operation: operation, loader: "list", acceptedAt: turn.now.wall)
        job.itemID = itemID
        job.item = item
        job.repeats = failed
        if failed != .none { job.cause = .retry }
        job.session = session
        job.rank = queue.rank(of: job.options, in: turn)
        turn.record(.feedJobAccepted(job))
        return .accepted(job.job, joined: false)
    }

    /// Wishes that a feed be loaded and kept; the first one loads it if it is declared so.
    mutating func attach(_ key: FeedKey, _ view: String, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn) -> Reply {
        let isNew = turn.state.sessions.attach(session, to: ClientSession.AttachedView(key: key, view: view), in: &turn.context)
        turn.state.feeds.attach(key, view, isNew: isNew)
        guard let feed = turn.state.feeds[key] else { return .done(version: 0) }
        if feed.state.content == nil, feed.state.activity == .idle, feed.state.failure?.damagedVersion != nil {
            return load(key, cause: .damaged, session, queue: &queue, in: &turn)
        }
        guard turn.definitions[key.name]?.loadOnAppear == true else { return .done(version: 0) }
        if feed.attachmentCount == 1, feed.state.content == nil, feed.state.activity == .idle {
            return load(key, cause: .appeared, session, queue: &queue, in: &turn)
        }
        return .done(version: feed.state.content?.version.rawValue ?? 0)
    }

    /// Ends a session's wish.
    mutating func detach(_ key: FeedKey, _ view: String, _ session: SessionID, in turn: inout FrontTurn) -> Reply {
        if turn.state.sessions.detach(session, from: ClientSession.AttachedView(key: key, view: view)) {
            turn.state.feeds.leave(key, view, in: &turn.context)
        }
        return .done(version: turn.state.feeds[key]?.state.content?.version.rawValue ?? 0)
    }
}
