//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension FeedMachine {
    /// Takes what has become of a feed's job.
    mutating func receive(_ news: JobNews, queue: inout JobQueue, in turn: inout FrontTurn) {
        let job = news.job
        // Another job of its key may be the first now, or is waited for in another way.
        waiting.lookAgain(at: job.key)
        switch news.change {
        case .granted: showRunning(job, in: &turn)
        case .waits: showWaiting(job, queue: queue, in: &turn)
        // At its stop already: in the turn that accepts a cancel what is shared is back where it was.
        case .stops, .ended(.cancelled, _, _): takeBack(job, queue: &queue, in: &turn)
        case .ended(_, let failure, let result): take(result, failure, of: job, queue: &queue, in: &turn)
        }
    }

    /// The feed whose activity is that job; nil: it waits for the job no longer, which is counted.
    private func awaiting(_ job: JournalEntry.FeedJob, in turn: inout FrontTurn) -> FeedState? {
        let feed = turn.state.feeds[job.key]?.state
        if let feed, feed.activity.job == job.job { return feed }
        turn.context.noteIgnored(feed == nil ? .feedForgotten : .loadNotAwaited)
        return nil
    }

    /// The view that a job works for; nil: it was forgotten, which is counted.
    func view(of job: JournalEntry.FeedJob, in turn: inout FrontTurn) -> ViewMachine? {
        if let view = turn.state.feeds.view(job.view, of: job.key) { return view }
        turn.context.noteIgnored(.viewForgotten)
        return nil
    }

    /// A feed's load or merge runs now: observers see it loading.
    private mutating func showRunning(_ job: JournalEntry.FeedJob, in turn: inout FrontTurn) {
        guard job.operation == .load || job.operation == .merge else { return }
        guard var feed = awaiting(job, in: &turn) else { return }
        feed.activity = .loading(job.job, cause: job.cause, attempt: turn.state.jobs[job.job.rawValue].attempts)
        set(feed, in: &turn)
    }

    /// A feed's job waits again after its worker was lost.
    private mutating func showWaiting(_ job: JournalEntry.FeedJob, queue: JobQueue, in turn: inout FrontTurn) {
        // What works for a view, or saves, is not shown as what the feed does.
        guard job.operation == .load || job.operation == .merge, var feed = awaiting(job, in: &turn) else { return }
        feed.activity = .waiting(job.job, queue.waitReason(job.job.rawValue, in: turn) ?? .slotsTaken)
        set(feed, in: &turn)
    }

    /// What a feed's job made, or that it made nothing, becomes visible.
    private mutating func take(
        _ result: FeedResult?, _ failure: Failure?, of job: JournalEntry.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard let record = turn.state.jobs.keyLines[job.job.rawValue] else { return turn.context.noteIgnored(.jobForgotten) }
        let failure = failure?.shown(within: turn.settings.bounds.shownFailureByteCount)
        switch job.operation {
        case .load, .merge: loadEnded(record, failure, result, queue: &queue, in: &turn)
        case .create, .update: saveEnded(record, failure, result, queue: &queue, in: &turn)
        case .sort: sortEnded(record, failure, result, queue: &queue, in: &turn)
        case .detail: detailEnded(record, failure, result, queue: &queue, in: &turn)
        }
    }

    private mutating func loadEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard var feed = awaiting(job, in: &turn) else { return }
        if let result, let object = result.content, failure == nil {
            // Of a user's list the source is but one side: what people have changed stays.
            if job.operation == .load, feed.isEditable { return merge(object, after: job, queue: &queue, in: &turn) }
            let old = feed.content?.object
            feed.activity = nextActivity(of: job.key, queue: queue, in: turn)
            feed.failure = nil
            feed.content = content(
                object, source: job.operation == .merge ? .network : result.source, of: feed, at: job.acceptedAt, in: turn)
            set(feed, in: &turn)
            contentChanged(record, result, queue: &queue, in: &turn)
            // The same content has the same items.
            if old != object { reloadDetails(of: job.key, changed: nil, queue: &queue, in: &turn) }
        } else {
            feed.activity = nextActivity(of: job.key, queue: queue, in: turn)
            feed.failure = failure
            set(feed, in: &turn)
        }
    }

    private func content(_ object: ObjectReference, source: ContentSource, of feed: FeedState, at time: WallTime, in turn: FrontTurn)
        -> FeedContent
    {
        let version = turn.state.feeds[feed.key]?.nextVersion ?? 1
        return FeedContent(object: object, version: ContentVersion(version), source: source, storedAt: time, isPersistent: feed.isEditable)
    }

    /// A fetched source of an editable feed is joined into the persistent list by a job in the serial line of edits.
    private mutating func merge(
        _ source: ObjectReference, after load: JournalEntry.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        var job = JournalEntry.FeedJob(
            job: queue.takeJobs(1, in: &turn), key: load.key, operation: .merge, loader: LoaderName.list, acceptedAt: turn.now.wall)
        job.source = source
        job.cause = load.cause
        job.submitter = load.submitter
        // Who asked for the load may have left since.
        if turn.state.jobs.contains(load.job.rawValue) {
            job.asker = turn.state.jobs.terms(of: turn.state.jobs[load.job.rawValue]).asker
        }
        // It goes on in the load's place, which is what its priority is worth before the time of a place in line.
        (job.rank, job.options) = (load.rank, load.options)
        // What the load counted in was for the source, which a merge does not ask.
        job.options.limitKeys = []
        job.options.limitKeys = turn.limitKeys(of: job)
        turn.record(.feedJobAccepted(job))
        guard var feed = turn.state.feeds[load.key]?.state else { return }
        feed.activity = .waiting(job.job, queue.waitReason(job.job.rawValue, in: turn) ?? .slotsTaken)
        set(feed, in: &turn)
    }

    private mutating func saveEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        // Only the client that asked for it gets its failure; no topic shows it.
        guard failure == nil, let result, let object = result.content else { return }
        guard var feed = turn.state.feeds[job.key]?.state else { return turn.context.noteIgnored(.feedForgotten) }
        // The feed was reset after it was accepted, and its turn to be cancelled had not come.
        guard !turn.state.left.isReset(job.job, of: job.key) else { return turn.context.noteIgnored(.feedReset) }
        feed.content = content(object, source: .manual, of: feed, at: job.acceptedAt, in: turn)
        set(feed, in: &turn)
        contentChanged(record, result, queue: &queue, in: &turn)
        if job.operation == .update { reloadDetails(of: job.key, changed: job.itemID, queue: &queue, in: &turn) }
        if job.operation == .create, let itemID = result.itemID { selectCreated(itemID, job, queue: &queue, in: &turn) }
    }

    /// The content is another: the view that the job worked for has its order, the others get theirs.
    private mutating func contentChanged(_ record: FeedJobRecord, _ result: FeedResult, queue: inout JobQueue, in turn: inout FrontTurn) {
        let key = record.job.key
        guard let content = turn.state.feeds[key]?.state.content else { return }
        for name in turn.state.feeds[key]?.viewNames ?? [] {
            guard var view = turn.state.feeds.view(name, of: key) else { continue }
            turn.step(TurnContext.rowSteps)
            // Somebody may have asked for another order since the grant: then this view gets its own like the others.
            if name == record.job.view, let work = record.granted, view.isMade(by: work) {
                let replaced = view.takeContent(content, result, for: work)
                set(view.state, of: key, in: &turn)
                if let replaced { _ = queue.cancel(replaced, by: .madeBy(record.job.job), in: &turn) }
            } else {
                view.followContent(content)
                let requests = requestsUnderWay(view.state, in: turn)
                _ = sort(view.state, of: key, for: requests, record.job.submitter.session, queue: &queue, in: &turn)
            }
        }
    }

    private mutating func sortEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard var view = view(of: job, in: &turn) else { return }
        let step: ViewMachine.Step
        if failure == nil, let content = turn.state.feeds[job.key]?.state.content, let result {
            step = view.orderMade(record, result, of: content)
        } else {
            let noOrder = Failure(code: .loaderFailed, text: "the loader of job \(job.job) made no order: repeat it", retryable: true)
            step = view.orderFailed(job, failure ?? noOrder)
        }
        carryOut(step, view, of: job.key, job.submitter.session, queue: &queue, in: &turn)
    }

    /// What is shared is back where it was before the cancelled job; what others asked for meanwhile stays.
    private mutating func takeBack(_ job: JournalEntry.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn) {
        switch job.operation {
        case .load, .merge:
            guard var feed = awaiting(job, in: &turn) else { return }
            feed.activity = nextActivity(of: job.key, queue: queue, in: turn)
            set(feed, in: &turn)
        case .create, .update: break
        case .sort, .detail:
            guard var view = view(of: job, in: &turn) else { return }
            let step = job.operation == .sort ? view.orderFailed(job, nil) : view.detailCancelled(job)
            carryOut(step, view, of: job.key, job.submitter.session, queue: &queue, in: &turn)
        }
    }
}

extension Failure {
    /// The failure as a feed or a view keeps it: with as many of its arguments, name and value, as it has room for.
    func shown(within byteCount: Int) -> Failure {
        var shown = self
        while shown.roughByteCount > byteCount, !shown.arguments.isEmpty { shown.arguments.removeLast(min(2, shown.arguments.count)) }
        return shown
    }
}
