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
        var view = ViewState(name: name)
        view.sort = feed.views["shared"]?.sort
        if let content = feed.state.content {
            let shared = feed.views["shared"]?.pair
            let isFitting = shared.map { $0.sort == view.sort && $0.filter.isEmpty } ?? false
            view.pair = isFitting ? shared : ViewPair(plain: content)
        }
        if view.pendingRequests.isEmpty || view.pair == nil {
            set(view, of: key, in: &turn)
        } else {
            _ = arrange(view, of: key, for: view.pendingRequests, .none, queue: &queue, in: &turn)
        }
        turn.state.feeds.watchView(name, of: key, in: &turn.context)
        return nil
    }

    /// Records a view's new state and says so to observers; `selectedAfter`: the newest job there is, when its selection was asked for now.
    mutating func set(
        _ view: ViewState, of key: FeedKey, selectedAfter: JobID? = nil, in turn: inout FrontTurn
    ) {
        let known = turn.state.feeds[key]?.selectedAfter[view.name] ?? .none
        let isSame = turn.state.feeds[key]?.views[view.name] == view
        if isSame, selectedAfter ?? known == known { return }
        turn.record(.viewChanged(Fact.ViewChanged(key, view, selectedAfter: selectedAfter ?? known)))
        if !isSame { turn.emit(.changed(.view(key, view.name), key: "view")) }
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
        guard var view = turn.state.feeds[key]?.views[name] else { return .refusal(.unknownItem, "feed \(key) has no view \(name)") }
        view.sort = order
        view.version += 1
        view.failure = nil
        return arrange(view, of: key, for: .sort, session, queue: &queue, in: &turn)
    }

    /// Filters a view by another text.
    mutating func filter(
        _ key: FeedKey, _ name: String, _ text: String, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        guard text.utf8.count <= MessageBounds.filterByteCount else {
            return .refusal(.tooLarge, "a filter is at most \(MessageBounds.filterByteCount) bytes")
        }
        guard var view = turn.state.feeds[key]?.views[name] else { return .refusal(.unknownItem, "feed \(key) has no view \(name)") }
        view.filter = text
        view.version += 1
        view.failure = nil
        return arrange(view, of: key, for: .filter, session, queue: &queue, in: &turn)
    }

    /// Records the view and has the order made that it asks for; pages keep the old pair until it is ready.
    ///
    /// The job makes everything that is asked for by now, so it replaces the one before it. What is replaced is not taken back: the view has
    /// its new job before the old one is cancelled.
    ///
    /// - Parameter requests: what the job's own cancel or failure takes back.
    mutating func arrange(
        _ changed: ViewState, of key: FeedKey, for requests: ViewRequests, _ session: SessionID, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) -> Reply {
        var view = changed
        let replaced = view.arranging
        guard turn.state.feeds[key]?.state.content != nil else {
            // In effect as soon as there is something to order.
            view.arranging = nil
            set(view, of: key, in: &turn)
            if let replaced { _ = queue.cancel(replaced, by: "front", in: &turn) }
            return .done(version: view.version)
        }
        var job = viewJob(.arrange, key, view.name, session, queue: &queue, in: &turn)
        job.sort = view.sort
        job.filter = view.filter
        job.requests = requests
        turn.record(.feedJobAccepted(job))
        view.arranging = job.job
        set(view, of: key, in: &turn)
        if let replaced { _ = queue.cancel(replaced, by: "job \(job.job), which replaces it", in: &turn) }
        return .accepted(job.job, joined: false)
    }

    /// The order that a view asked for is not made: what its job's requests changed is put back, and what another request asked for
    /// meanwhile is made now.
    mutating func takeBack(
        _ job: Fact.FeedJob, from changed: ViewState, _ failure: Failure?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        var view = changed
        view.arranging = nil
        if let failure { view.failure = failure }
        let asked = (view.sort, view.filter)
        view.takeBack(job.requests)
        // Another order than the one that its version named: whoever saw that one is told of a conflict.
        if (view.sort, view.filter) != asked { view.version += 1 }
        guard !view.pendingRequests.isEmpty else { return set(view, of: job.key, in: &turn) }
        _ = arrange(view, of: job.key, for: view.pendingRequests, job.session, queue: &queue, in: &turn)
    }

    /// A job for a view, not recorded yet.
    mutating func viewJob(
        _ operation: FeedOperation, _ key: FeedKey, _ view: String, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Fact.FeedJob {
        let definition = turn.definitions[key.name]
        let fetches = operation == .detail && definition?.hasDetailAddress == true
        let loader = fetches ? definition?.sourceLoader ?? "list" : "list"
        var job = Fact.FeedJob(job: queue.takeJobs(1, in: &turn), key: key, operation: operation, loader: loader, acceptedAt: turn.now.wall)
        job.view = view
        job.session = session
        job.options.priority = JobPriority.ofViews
        job.rank = queue.rank(of: job.options, in: turn)
        return job
    }
}

extension ViewState {
    /// What was asked for and is not in effect.
    var pendingRequests: ViewRequests {
        var pending: ViewRequests = []
        if sort != pair?.sort { pending.insert(.sort) }
        if filter != pair?.filter ?? "" { pending.insert(.filter) }
        return pending
    }

    /// Puts back what was in effect before these requests.
    mutating func takeBack(_ requests: ViewRequests) {
        if requests.contains(.sort) { sort = pair?.sort }
        if requests.contains(.filter) { filter = pair?.filter ?? "" }
    }
}

extension ViewPair {
    /// A content in its own order.
    init(plain content: FeedContent) {
        self.init(content: content.object, order: nil, version: content.version, sort: nil, filter: "")
    }
}
