//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Takes what has become of a feed's job.
    mutating func hear(_ news: JobNews, queue: inout JobQueue, in turn: inout FrontTurn) {
        let job = news.job
        // Another job of its key may be the first now, or is waited for in another way.
        waiting.lookAgain(at: job.key)
        switch news.change {
        case .granted: showRunning(job, in: &turn)
        case .waits: showWaiting(job, queue: queue, in: &turn)
        case .stops, .ended(.cancelled, _, _): takeBack(job, queue: &queue, in: &turn)
        case .ended(_, let failure, let result): take(result, failure, of: job, queue: &queue, in: &turn)
        }
    }

    /// A feed's load or merge runs now: observers see it loading.
    private mutating func showRunning(_ job: Fact.FeedJob, in turn: inout FrontTurn) {
        guard job.operation == .load || job.operation == .merge else { return }
        guard var feed = turn.state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
        feed.activity = .loading(job.job, cause: job.cause, attempt: turn.state.jobs[job.job.rawValue].attempts)
        set(feed, in: &turn)
    }

    /// A feed's job waits again after its worker was lost.
    private mutating func showWaiting(_ job: Fact.FeedJob, queue: JobQueue, in turn: inout FrontTurn) {
        guard var feed = turn.state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
        feed.activity = .waiting(job.job, queue.waitReason(job.job.rawValue, in: turn) ?? .slotsTaken)
        set(feed, in: &turn)
    }

    /// What a feed's job made, or that it made nothing, becomes visible.
    private mutating func take(
        _ result: FeedResult?, _ failure: Failure?, of job: Fact.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard let record = turn.state.jobs.keyLines[job.job.rawValue] else { return }
        switch job.operation {
        case .load, .merge: loadEnded(record, failure, result, queue: &queue, in: &turn)
        case .create, .update: saveEnded(record, failure, result, queue: &queue, in: &turn)
        case .arrange: arrangeEnded(record, failure, result, queue: &queue, in: &turn)
        case .detail: detailEnded(record, failure, result, queue: &queue, in: &turn)
        }
    }

    private mutating func loadEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard var feed = turn.state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
        if let result, let object = result.content, failure == nil {
            if job.operation == .load, feed.isEditable { return merge(object, after: job, queue: &queue, in: &turn) }
            let old = feed.content?.object
            feed.activity = .idle
            feed.failure = nil
            feed.content = content(
                object, source: job.operation == .merge ? "network" : result.source, of: feed, at: job.acceptedAt, in: turn)
            set(feed, in: &turn)
            contentChanged(record, result, queue: &queue, in: &turn)
            if old != object { reloadDetails(of: job.key, changed: nil, queue: &queue, in: &turn) }
        } else {
            feed.activity = .idle
            feed.failure = failure
            set(feed, in: &turn)
        }
    }

    private func content(_ object: ObjectReference, source: String, of feed: FeedState, at time: WallTime, in turn: FrontTurn)
        -> FeedContent
    {
        let version = turn.state.feeds[feed.key]?.nextVersion ?? 1
        return FeedContent(object: object, version: ContentVersion(version), source: source, storedAt: time, isKept: feed.isEditable)
    }

    /// A fetched source of an editable feed is joined into the kept list by a job in the serial line of edits.
    private mutating func merge(_ source: ObjectReference, after load: Fact.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn) {
        var job = Fact.FeedJob(
            job: queue.takeJobs(1, in: &turn), key: load.key, operation: .merge, loader: "list", acceptedAt: turn.now.wall)
        job.source = source
        job.cause = load.cause
        job.session = load.session
        // Who asked for the load may have left since.
        if turn.state.jobs.contains(load.job.rawValue) { job.label = turn.state.jobs.terms(of: turn.state.jobs[load.job.rawValue]).client }
        job.rank = load.rank
        turn.record(.feedJobAccepted(job))
        guard var feed = turn.state.feeds[load.key]?.state else { return }
        feed.activity = .waiting(job.job, queue.waitReason(job.job.rawValue, in: turn) ?? .slotsTaken)
        set(feed, in: &turn)
    }

    private mutating func saveEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard failure == nil, let result, let object = result.content, var feed = turn.state.feeds[job.key]?.state else { return }
        feed.content = content(object, source: "hand", of: feed, at: job.acceptedAt, in: turn)
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
            guard var view = turn.state.feeds[key]?.views[name] else { continue }
            turn.step(TurnContext.rowSteps)
            if name == record.job.view, let work = record.granted, work.sort == view.sort, work.filter == view.filter {
                let replaced = view.arranging
                view.arranging = nil
                view.failure = nil
                view.pair = ViewPair(
                    content: content.object, order: result.order, version: content.version, sort: view.sort, filter: view.filter)
                if record.job.operation == .load || record.job.operation == .merge, !result.selectionFound, work.itemID == view.selection {
                    view.selection = nil
                    view.detail = .idle
                }
                set(view, of: key, in: &turn)
                if let replaced { _ = queue.cancel(replaced, by: "job \(record.job.job), which made that order too", in: &turn) }
            } else {
                if view.pair == nil { view.pair = ViewPair(plain: content) }
                view.failure = nil
                _ = arrange(view, of: key, for: view.pendingRequests, record.job.session, queue: &queue, in: &turn)
            }
        }
    }

    private mutating func arrangeEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard var view = turn.state.feeds[job.key]?.views[job.view], view.arranging == job.job else { return }
        if let failure { return takeBack(job, from: view, failure, queue: &queue, in: &turn) }
        guard let content = turn.state.feeds[job.key]?.state.content, let result else {
            let reason = Failure(code: .loaderFailed, text: "the loader of job \(job.job) made no order: repeat it", retryable: true)
            return takeBack(job, from: view, reason, queue: &queue, in: &turn)
        }
        guard let work = record.granted, record.grantedVersion == content.version else {
            // Made of another content, or granted in an earlier life of the front, which may have been of any.
            _ = arrange(view, of: job.key, for: job.requests, job.session, queue: &queue, in: &turn)
            return
        }
        view.arranging = nil
        view.pair = ViewPair(content: content.object, order: result.order, version: content.version, sort: job.sort, filter: job.filter)
        if !result.selectionFound, work.itemID == view.selection {
            view.selection = nil
            view.detail = .idle
        }
        set(view, of: job.key, in: &turn)
    }

    /// What is shared is back where it was before the cancelled job; what others asked for meanwhile stays.
    private mutating func takeBack(_ job: Fact.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn) {
        switch job.operation {
        case .load, .merge:
            guard var feed = turn.state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
            feed.activity = .idle
            set(feed, in: &turn)
        case .create, .update: break
        case .arrange:
            guard let view = turn.state.feeds[job.key]?.views[job.view], view.arranging == job.job else { return }
            takeBack(job, from: view, nil, queue: &queue, in: &turn)
        case .detail:
            guard let view = turn.state.feeds[job.key]?.views[job.view], view.detail == .loading(job.job) else { return }
            deselect(job, view, nil, queue: &queue, in: &turn)
        }
    }
}
