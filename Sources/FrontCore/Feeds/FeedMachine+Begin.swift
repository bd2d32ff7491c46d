//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// A life of the front begins: what waits for jobs that are gone waits no more.
    mutating func begin(queue: inout JobQueue, in turn: inout FrontTurn) {
        turn.state.feeds.begin(in: &turn.context)
        for key in turn.state.feeds.order { settle(key, queue: &queue, in: &turn) }
    }

    /// Activities whose job does not exist any more end.
    private mutating func settle(_ key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard var feed = turn.state.feeds[key]?.state else { return }
        if let job = feed.activity.job, !isAlive(job, in: turn) {
            feed.activity = .idle
            set(feed, in: &turn)
        } else {
            // An earlier life gave its reason.
            noteWait(of: feed, in: &turn)
            waiting.lookAgain(at: key)
        }
        for name in turn.state.feeds[key]?.viewNames ?? [] {
            guard let view = turn.state.feeds[key]?.views[name] else { continue }
            resume(view, of: key, queue: &queue, in: &turn)
        }
    }

    /// What a view waits for is asked for again where its job is gone: a front that does not journal its jobs forgets them, not the orders.
    private mutating func resume(_ old: ViewState, of key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn) {
        var view = old
        if let job = view.arranging, !isAlive(job, in: turn) {
            view.arranging = nil
            _ = arrange(view, of: key, for: view.pendingRequests, .none, queue: &queue, in: &turn)
            view = turn.state.feeds[key]?.views[view.name] ?? view
        }
        guard case .loading(let job) = view.detail, !isAlive(job, in: turn) else { return }
        view.detail = .idle
        set(view, of: key, in: &turn)
        guard turn.state.feeds[key]?.state.content != nil else { return }
        loadDetail(view, of: key, isShown: true, queue: &queue, in: &turn)
    }

    private func isAlive(_ job: JobID, in turn: FrontTurn) -> Bool { turn.state.jobs.isAlive(job.rawValue) }
}
