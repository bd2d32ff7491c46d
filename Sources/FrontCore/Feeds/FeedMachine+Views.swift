//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Makes sure that a view exists; otherwise why not.
    mutating func makeView(_ key: FeedKey, _ name: String, queue: inout JobQueue, in turn: inout FrontTurn) -> Reply? {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        turn.state.feeds.noteUse(of: name, of: key, in: turn.context)
        guard feed.views[name] == nil else { return nil }
        guard feed.views.count < turn.settings.bounds.viewsPerFeed else {
            return turn.busy(.viewsPerFeed, "feed \(key) has \(turn.settings.bounds.viewsPerFeed) views (limit): use one of them")
        }
        guard turn.state.feeds.viewCount < turn.settings.bounds.views else {
            let text = "\(turn.settings.bounds.views) views are in use (limit): use one of feed \(key)"
            return turn.busy(.views, text, retryAfter: RetryPause.usual)
        }
        let view = ViewMachine(named: name, beside: feed.views[ViewName.shared], of: feed.state.content)
        switch view.standing {
        case .asked: _ = sort(view.state, of: key, for: view.state.pendingRequests, .none, queue: &queue, in: &turn)
        case .empty, .shown, .sorting: set(view.state, of: key, in: &turn)
        }
        turn.state.feeds.watchView(name, of: key, in: &turn.context)
        return nil
    }

    /// Records a view's new state and says so to observers; `selectedAfter`: the newest job there is, when its selection was asked for now.
    mutating func set(
        _ view: ViewState, of key: FeedKey, selectedAfter: JobID? = nil, in turn: inout FrontTurn
    ) {
        let old = turn.state.feeds.view(view.name, of: key)
        let known = old?.selectedAfter ?? .none
        let isSame = old?.state == view
        if isSame, selectedAfter ?? known == known { return }
        turn.record(.viewChanged(JournalEntry.ViewChanged(key, view, selectedAfter: selectedAfter ?? known)))
        if !isSame { turn.emit(.changed(.view(key, view.name), key: ItemKey.view)) }
    }

    /// Orders a view by another field.
    mutating func sort(
        _ key: FeedKey, _ name: String, _ order: SortOrder?, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    )
        -> Reply
    {
        if let order {
            let known = ["id", "title", "createdAt", "dueAt"] + (turn.definitions[key.name]?.fields ?? [])
            guard known.contains(order.field) else {
                return .refusal(.unknownField, "feed \(key) has no field \"\(order.field)\"; it has: \(known.joined(separator: ", "))")
            }
        }
        guard var view = turn.state.feeds.view(name, of: key) else { return .refusal(.unknownItem, "feed \(key) has no view \(name)") }
        if view.state.sort == order, let job = sorting(view.state, in: turn) { return .accepted(job, joined: true) }
        view.sort(by: order)
        return sort(view.state, of: key, for: .sort, session, queue: &queue, in: &turn)
    }

    /// Filters a view by another text.
    mutating func filter(
        _ key: FeedKey, _ name: String, _ text: String, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        guard text.utf8.count <= MessageBounds.filterByteCount else {
            return .refusal(.tooLarge, "a filter is at most \(MessageBounds.filterByteCount) bytes")
        }
        guard var view = turn.state.feeds.view(name, of: key) else { return .refusal(.unknownItem, "feed \(key) has no view \(name)") }
        if view.state.filter == text, let job = sorting(view.state, in: turn) { return .accepted(job, joined: true) }
        view.filter(by: text)
        return sort(view.state, of: key, for: .filter, session, queue: &queue, in: &turn)
    }

    /// The job that makes what a view asks for by now: who asks for the same again joins it, as with a load.
    private func sorting(_ view: ViewState, in turn: FrontTurn) -> JobID? {
        view.sorting.flatMap { turn.state.jobs.isAlive($0.rawValue) && turn.state.jobs[$0.rawValue].state != .cancelling ? $0 : nil }
    }

    /// What the job that makes a view's order was asked for by: another one that makes it anew takes that back if it fails, and nothing else.
    func requestsUnderWay(_ view: ViewState, in turn: FrontTurn) -> ViewRequests {
        view.sorting.flatMap { turn.state.jobs.keyLines[$0.rawValue]?.job.requests } ?? []
    }

    /// Records the view and has the order made that it asks for; pages keep the old pair until it is ready.
    ///
    /// The job makes everything that is asked for by now, so it replaces the one before it. What is replaced is not taken back: the view has
    /// its new job before the old one is cancelled.
    ///
    /// - Parameter requests: what the job's own cancel or failure takes back.
    mutating func sort(
        _ changed: ViewState, of key: FeedKey, for requests: ViewRequests, _ session: SessionID, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) -> Reply {
        var view = ViewMachine(changed)
        guard turn.state.feeds[key]?.state.content != nil else {
            let replaced = view.beginSort(by: nil)
            set(view.state, of: key, in: &turn)
            if let replaced { _ = queue.cancel(replaced, by: .front, in: &turn) }
            return .done(version: changed.version)
        }
        var job = viewJob(.sort, key, changed.name, session, queue: &queue, in: &turn)
        job.sort = changed.sort
        job.filter = changed.filter
        job.requests = requests
        turn.record(.feedJobAccepted(job))
        let replaced = view.beginSort(by: job.job)
        set(view.state, of: key, in: &turn)
        if let replaced { _ = queue.cancel(replaced, by: .replacedBy(job.job), in: &turn) }
        return .accepted(job.job, joined: false)
    }

    /// Does what a view asks for, now that something has become of what it waited for.
    mutating func carryOut(
        _ step: ViewMachine.Step, _ view: ViewMachine, of key: FeedKey, _ session: SessionID, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) {
        switch step {
        case .ignore(let reason): turn.context.noteIgnored(reason)
        case .rest: set(view.state, of: key, in: &turn)
        case .sort(let requests): _ = sort(view.state, of: key, for: requests, session, queue: &queue, in: &turn)
        case .loadDetail(let isShown):
            set(view.state, of: key, in: &turn)
            guard turn.state.feeds[key]?.state.content != nil else { return }
            loadDetail(view.state, of: key, isShown: isShown, queue: &queue, in: &turn)
        }
    }

    /// A job for a view, not recorded yet.
    mutating func viewJob(
        _ operation: FeedOperation, _ key: FeedKey, _ view: String, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> JournalEntry.FeedJob {
        let definition = turn.definitions[key.name]
        let fetches = operation == .detail && definition?.hasDetailAddress == true
        let loader = fetches ? definition?.sourceLoader ?? LoaderName.list : LoaderName.list
        var job = JournalEntry.FeedJob(
            job: queue.takeJobs(1, in: &turn), key: key, operation: operation, loader: loader, acceptedAt: turn.now.wall)
        job.view = view
        job.submitter = Submitter(session)
        job.options.priority = JobPriority.ofViews
        job.rank = queue.rank(of: job.options, in: turn)
        return job
    }
}

extension ViewState {
    /// What was asked for and is not in effect.
    var pendingRequests: ViewRequests {
        var pending: ViewRequests = []
        if sort != revision?.sort { pending.insert(.sort) }
        if filter != revision?.filter ?? "" { pending.insert(.filter) }
        return pending
    }
}

extension ViewRevision {
    /// A content in its own order.
    init(plain content: FeedContent) {
        self.init(content: content.object, order: nil, version: content.version, sort: nil, filter: "")
    }
}
