//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
        // The same item selected once more is a newer selection: a create that ends later must not take its place.
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
            let known = ItemPart.sortable + (turn.definitions[key.name]?.fields ?? [])
            guard known.contains(order.field) else {
                return .refusal(.unknownField, "feed \(key) has no field \"\(order.field)\"; it has: \(known.joined(separator: ", "))")
            }
        }
        guard var view = turn.state.feeds.view(name, of: key) else { return .noView(name, of: key) }
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
        guard var view = turn.state.feeds.view(name, of: key) else { return .noView(name, of: key) }
        if view.state.filter == text, let job = sorting(view.state, in: turn) { return .accepted(job, joined: true) }
        view.filter(by: text)
        return sort(view.state, of: key, for: .filter, session, queue: &queue, in: &turn)
    }

    /// The job that makes what a view asks for by now: a request for the same joins it, as with a load.
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
    private mutating func viewJob(
        _ operation: FeedOperation, _ key: FeedKey, _ view: String, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> JournalEntry.FeedJob {
        let definition = turn.definitions[key.name]
        let fetches = operation == .detail && definition?.hasOwnDetails == true
        let loader = fetches ? definition?.sourceLoader ?? LoaderName.list : LoaderName.list
        var job = JournalEntry.FeedJob(
            job: queue.takeJobs(1, in: &turn), key: key, operation: operation, loader: loader, acceptedAt: turn.now.wall)
        job.view = view
        job.submitter = Submitter(session)
        job.options.priority = JobPriority.ofViews
        queue.place(&job, in: turn)
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

extension FeedMachine {
    /// Selects an item and loads its detail; the newest selection wins.
    mutating func select(
        _ key: FeedKey, _ name: String, _ itemID: String?, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    )
        -> Reply
    {
        guard let feed = turn.state.feeds[key], let view = feed.views.machine(name) else { return .noView(name, of: key) }
        // Before anything is changed: what is refused leaves the selection before it alone.
        if let itemID {
            if let refused = turn.settings.bounds.refusal(ofItemID: itemID) { return refused }
            guard feed.state.content != nil else {
                let nextStep = turn.definitions[key.name]?.sourceLoader == nil ? "add an item to it" : "load it"
                return .refusal(.unknownItem, "feed \(key) has no content yet: \(nextStep) first")
            }
        }
        return select(itemID, in: view, of: key, asOf: JobID(turn.state.jobs.numbers.nextJob - 1), session, queue: &queue, in: &turn)
    }

    /// A save's new item is selected, unless somebody has selected since the save was accepted: the newest request wins, not the newest end.
    mutating func selectCreated(_ itemID: String, _ job: JournalEntry.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let view = view(of: job, in: &turn) else { return }
        guard job.job > view.selectedAfter else { return turn.context.noteIgnored(.selectedSince) }
        _ = select(itemID, in: view, of: job.key, asOf: job.job, job.submitter.session, queue: &queue, in: &turn)
    }

    private mutating func select(
        _ itemID: String?, in old: ViewMachine, of key: FeedKey, asOf newest: JobID, _ session: SessionID, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) -> Reply {
        var view = old
        let replaced = view.select(itemID)
        var reply = Reply.done(version: view.state.version)
        if let itemID {
            let before = selectionInEffect(old.state, in: turn)
            let job = acceptDetail(
                of: itemID, key, view.state.name, cause: .asked, before: before, session, queue: &queue, in: &turn)
            view.awaitDetail(by: job)
            reply = .accepted(job, joined: false)
        }
        // The view has its new selection before the old one's job is cancelled: what is replaced is not taken back.
        set(view.state, of: key, selectedAfter: newest, in: &turn)
        if let replaced { _ = queue.cancel(replaced, by: .client(turn.state.sessions.label(session)), in: &turn) }
        return reply
    }

    /// What is restored when a selection is cancelled: a selection whose detail is still on its way is not in effect yet.
    private func selectionInEffect(_ view: ViewState, in turn: FrontTurn) -> String? {
        guard case .loading(let job) = view.detail, let pending = turn.state.jobs.keyLines[job.rawValue]?.job, pending.cause == .asked
        else {
            return view.selection
        }
        return pending.previousItemID
    }

    private mutating func acceptDetail(
        of itemID: String, _ key: FeedKey, _ view: String, cause: LoadCause, before previous: String?, _ session: SessionID,
        queue: inout JobQueue, in turn: inout FrontTurn
    ) -> JobID {
        var job = viewJob(.detail, key, view, session, queue: &queue, in: &turn)
        job.itemID = itemID
        job.cause = cause
        job.previousItemID = previous
        turn.record(.feedJobAccepted(job))
        return job.job
    }

    /// Loads the detail of the selected item again: shown as loading when there is none to show, otherwise the old one stays until then.
    mutating func loadDetail(_ view: ViewState, of key: FeedKey, isShown: Bool, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let selection = view.selection else { return }
        let job = acceptDetail(of: selection, key, view.name, cause: .refresh, before: nil, .none, queue: &queue, in: &turn)
        guard isShown else { return }
        var waiting = ViewMachine(view)
        waiting.awaitDetail(by: job)
        set(waiting.state, of: key, in: &turn)
    }

    /// The details of selected items follow their content.
    ///
    /// - Parameter itemID: the only item that has changed; nil: any may have.
    mutating func reloadDetails(of key: FeedKey, changed itemID: String?, queue: inout JobQueue, in turn: inout FrontTurn) {
        for name in turn.state.feeds[key]?.viewNames ?? [] {
            turn.step()
            guard let view = turn.state.feeds.view(name, of: key) else { continue }
            guard view.followsContent(changed: itemID, isApart: hasOwnDetails(key, in: turn)) else { continue }
            loadDetail(view.state, of: key, isShown: false, queue: &queue, in: &turn)
        }
    }

    private func hasOwnDetails(_ key: FeedKey, in turn: FrontTurn) -> Bool { turn.definitions[key.name]?.hasOwnDetails == true }

    /// What a detail's job brought is shown, if it is still what the view waits for.
    mutating func detailEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard var view = view(of: job, in: &turn) else { return }
        let old = view.state.detail
        let step: ViewMachine.Step
        if let failure {
            step = view.detailFailed(job, failure)
        } else {
            // Made from another content: the item may have changed since. What was made in an earlier epoch may be of any.
            let isOld =
                turn.state.feeds[job.key]?.state.content.map { $0.version != record.grantedVersion } ?? false
                && (job.cause == .refresh || !hasOwnDetails(job.key, in: turn))
            step = view.detailCame(detail(of: result, by: job, insteadOf: old, in: &turn), by: job, isOld: isOld)
        }
        carryOut(step, view, of: job.key, .none, queue: &queue, in: &turn)
    }

    /// The detail itself, or why the views have no room for it.
    private func detail(of result: FeedResult?, by job: JournalEntry.FeedJob, insteadOf old: Detail, in turn: inout FrontTurn) -> Detail {
        if let object = result?.detailObject { return .stored(object) }
        let detail = result?.detail ?? []
        let others = turn.state.feeds.detailByteCount - old.byteCount
        guard others + detail.count > turn.settings.bounds.detailByteCount else { return .loaded(detail) }
        turn.context.noteBusy(.detailByteCount)
        let text = "details of all views hold \(others) bytes (limit): deselect items of other views, then retry"
        return .failed(Failure(id: FailureID(job.job.rawValue), code: .busy, text: text, retryable: true))
    }
}
