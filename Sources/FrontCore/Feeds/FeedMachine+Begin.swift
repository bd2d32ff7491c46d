//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// A life of the front begins: what waits for jobs that are gone waits no more.
    mutating func begin(queue: inout JobQueue, in turn: inout FrontTurn) {
        turn.state.feeds.begin(in: &turn.context)
        for key in turn.state.feeds.order { endOrphans(key, queue: &queue, in: &turn) }
        for key in turn.state.feeds.order { watchDamage(of: key, in: &turn) }
    }

    /// Activities whose job does not exist any more end.
    private mutating func endOrphans(_ key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard var feed = turn.state.feeds[key]?.state else { return }
        if let isEditable = turn.definitions[key.name]?.isEditable, isEditable != feed.isEditable {
            // It was declared otherwise to an earlier life. What it holds stays; its next content is kept, or no longer.
            feed.isEditable = isEditable
            set(feed, in: &turn)
        }
        if let job = feed.activity.job, !isAlive(job, in: turn) {
            feed.activity = .idle
            set(feed, in: &turn)
        } else {
            // An earlier life gave its reason.
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

    /// What a view waits for is asked for again where its job is gone: a front that does not journal its jobs forgets them, not the orders.
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
