//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// What a worker is told about a feed's job, from the state as it is now; notes what it was granted with.
    mutating func resolveWork(_ id: UInt64) -> FeedWork? {
        // A grant that is sent again is the same work, whatever has been asked for since.
        if let granted = state.jobs.keyLines[id]?.granted { return granted }
        guard let job = state.jobs.keyLines[id]?.job, let feed = state.feeds[job.key] else { return nil }
        var work = FeedWork(
            key: job.key, operation: job.operation, settings: definitions[job.key.name]?.settings ?? [], acceptedAt: job.acceptedAt)
        work.content = feed.state.content?.object
        work.source = job.source
        work.view = job.view
        work.item = job.item
        work.isKept = feed.state.isEditable && job.operation != .load && job.operation != .detail && job.operation != .arrange
        if let view = feed.views[job.view] {
            work.sort = view.sort
            work.filter = view.filter
            work.itemID = view.selection
        }
        if job.operation == .arrange {
            work.sort = job.sort
            work.filter = job.filter
        }
        if let itemID = job.itemID { work.itemID = itemID }
        state.jobs.noteWork(work, feed.state.content?.version ?? .none, of: id)
        return work
    }

    /// A feed's load or merge runs now: observers see it loading.
    mutating func feedJobGranted(_ id: UInt64) {
        guard let job = state.jobs.keyLines[id]?.job, job.operation == .load || job.operation == .merge else { return }
        guard var feed = state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
        feed.activity = .loading(job.job, cause: job.cause, attempt: state.jobs[id].attempts)
        set(feed)
    }

    /// A feed's job waits again after its worker was lost.
    mutating func feedJobWaits(_ id: UInt64) {
        guard let job = state.jobs.keyLines[id]?.job else { return }
        questionWaits(of: job.key)
        guard var feed = state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
        clearProgress(id, of: job.key)
        feed.activity = .waiting(job.job, waitReason(id) ?? .slotsTaken)
        set(feed)
    }

    /// A feed's progress item goes in the change that carries the outcome.
    mutating func clearProgress(_ id: UInt64, of key: FeedKey) {
        if jobViews.progress(of: id) != nil { turn.emit(.changed(.feed(key), key: "progress")) }
        jobViews.clearProgress(of: id, in: &turn)
    }

    /// What a feed's job made, or that it made nothing, becomes visible.
    mutating func feedJobEnded(
        _ id: UInt64, _ outcome: JobState, _ failure: Failure?, _ result: FeedResult?
    ) {
        guard let record = state.jobs.keyLines[id] else { return }
        let job = record.job
        // Another job of its key may be the first now.
        questionWaits(of: job.key)
        clearProgress(id, of: job.key)
        guard outcome != .cancelled else { return feedJobCancelled(job) }
        switch job.operation {
        case .load, .merge: loadEnded(record, failure, result)
        case .create, .update: saveEnded(record, failure, result)
        case .arrange: arrangeEnded(record, failure, result)
        case .detail: detailEnded(record, failure, result)
        }
    }

    private mutating func loadEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?
    ) {
        let job = record.job
        guard var feed = state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
        if let result, let object = result.content, failure == nil {
            if job.operation == .load, feed.isEditable { return merge(object, after: job) }
            let old = feed.content?.object
            feed.activity = .idle
            feed.failure = nil
            feed.content = content(object, source: job.operation == .merge ? "network" : result.source, of: feed, at: job.acceptedAt)
            set(feed)
            contentChanged(record, result)
            if old != object { reloadDetails(of: job.key, changed: nil) }
        } else {
            feed.activity = .idle
            feed.failure = failure
            set(feed)
        }
    }

    private func content(_ object: ObjectReference, source: String, of feed: FeedState, at time: WallTime) -> FeedContent {
        let version = state.feeds[feed.key]?.nextVersion ?? 1
        return FeedContent(object: object, version: ContentVersion(version), source: source, storedAt: time, isKept: feed.isEditable)
    }

    /// A fetched source of an editable feed is joined into the kept list by a job in the serial line of edits.
    private mutating func merge(_ source: ObjectReference, after load: Fact.FeedJob) {
        var job = Fact.FeedJob(job: takeJobs(1), key: load.key, operation: .merge, loader: "list", acceptedAt: turn.now.wall)
        job.source = source
        job.cause = load.cause
        job.session = load.session
        // Who asked for the load may have left since.
        if state.jobs.contains(load.job.rawValue) { job.label = state.jobs.terms(of: state.jobs[load.job.rawValue]).client }
        job.rank = load.rank
        record(.feedJobAccepted(job))
        guard var feed = state.feeds[load.key]?.state else { return }
        feed.activity = .waiting(job.job, waitReason(job.job.rawValue) ?? .slotsTaken)
        set(feed)
    }

    private mutating func saveEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?
    ) {
        let job = record.job
        guard failure == nil, let result, let object = result.content, var feed = state.feeds[job.key]?.state else { return }
        feed.content = content(object, source: "hand", of: feed, at: job.acceptedAt)
        set(feed)
        contentChanged(record, result)
        if job.operation == .update { reloadDetails(of: job.key, changed: job.itemID) }
        if job.operation == .create, let itemID = result.itemID { selectCreated(itemID, job) }
    }

    /// The content is another: the view that the job worked for has its order, the others get theirs.
    private mutating func contentChanged(_ record: FeedJobRecord, _ result: FeedResult) {
        let key = record.job.key
        guard let content = state.feeds[key]?.state.content else { return }
        for name in state.feeds[key]?.viewNames ?? [] {
            guard var view = state.feeds[key]?.views[name] else { continue }
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
                set(view, of: key)
                if let replaced { _ = cancel(replaced, by: "job \(record.job.job), which made that order too") }
            } else {
                if view.pair == nil { view.pair = ViewPair(plain: content) }
                view.failure = nil
                _ = arrange(view, of: key, for: view.pendingRequests, record.job.session)
            }
        }
    }

    private mutating func arrangeEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?
    ) {
        let job = record.job
        guard var view = state.feeds[job.key]?.views[job.view], view.arranging == job.job else { return }
        if let failure { return takeBack(job, from: view, failure) }
        guard let content = state.feeds[job.key]?.state.content, let result else {
            let reason = Failure(code: .loaderFailed, text: "the loader of job \(job.job) made no order: repeat it", retryable: true)
            return takeBack(job, from: view, reason)
        }
        guard let work = record.granted, record.grantedVersion == content.version else {
            // Made of another content, or granted in an earlier life of the front, which may have been of any.
            _ = arrange(view, of: job.key, for: job.requests, job.session)
            return
        }
        view.arranging = nil
        view.pair = ViewPair(content: content.object, order: result.order, version: content.version, sort: job.sort, filter: job.filter)
        if !result.selectionFound, work.itemID == view.selection {
            view.selection = nil
            view.detail = .idle
        }
        set(view, of: job.key)
    }

    /// What is shared is back where it was before the cancelled job; what others asked for meanwhile stays.
    mutating func feedJobCancelled(_ job: Fact.FeedJob) {
        switch job.operation {
        case .load, .merge:
            guard var feed = state.feeds[job.key]?.state, feed.activity.job == job.job else { return }
            feed.activity = .idle
            set(feed)
        case .create, .update: break
        case .arrange:
            guard let view = state.feeds[job.key]?.views[job.view], view.arranging == job.job else { return }
            takeBack(job, from: view, nil)
        case .detail:
            guard let view = state.feeds[job.key]?.views[job.view], view.detail == .loading(job.job) else { return }
            deselect(job, view, nil)
        }
    }
}
