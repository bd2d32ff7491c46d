//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FrontMachine {
    /// Applies one row of an earlier life; decides nothing. All slices of a checkpoint come before all log rows.
    public mutating func restore(_ facts: [Fact], turn: TurnNumber, isSlice: Bool) {
        for fact in facts { state.apply(fact, turn: isSlice ? .stored(turn) : .logged(turn)) }
    }

    /// Jobs that were accepted durably and have not ended, where this life would not journal their ends: its successor would run them again,
    /// and a checkpoint would drop those that wait. Unless there are none, it must not serve.
    var unkeptJobCount: UInt64 {
        guard turn.settings.durability == .memory else { return 0 }
        return state.jobs.totals.alive
    }

    /// Begins to serve after the last `restore`: leases of earlier lives run on, from the beginning of the first life that their worker has
    /// not registered with; what has no job any more is idle.
    public mutating func start(at time: FrontTime, into actions: inout [FrontAction]) {
        turn.begin(at: time, &actions)
        defer { turn.end(&actions) }
        if state.jobs.numbers.lastRankTime != 0 { rankClock = RankClock(level: state.jobs.numbers.lastRankTime, at: time.monotonic) }
        if turn.settings.durability == .memory {
            state.jobs.number { $0.passReserved() }
            reserveIDs()
        }
        // What earlier lives decided may all have left.
        sent = decided
        let boot = turn.settings.boot
        record(.epochBegan(Fact.EpochBegan(epoch: turn.settings.epoch, bootID: boot.id, bootMilliseconds: boot.milliseconds)))
        state.workers.begin(in: &turn)
        if turn.settings.durability == .memory, let last = state.workers.all.map(\.leaseEnd).max() {
            grantPause = GrantPause(milliseconds: last.milliseconds(since: time.monotonic), from: time)
            turn.check(.grants, by: last)
        }
        state.sessions.begin(in: &turn)
        jobViews.begin(state.jobs.totals.counts, failures: state.jobs.ended.tally.version)
        state.feeds.begin(in: &turn)
        for key in state.feeds.order { settle(key) }
        trimHistory()
        for index in state.workers.indices {
            for id in state.jobs.heldJobs(by: index) where !state.jobs[id].flags.contains(.isShort) { jobViews.list(id, in: &turn) }
        }
    }

    /// Activities whose job does not exist any more end.
    private mutating func settle(_ key: FeedKey) {
        guard var feed = state.feeds[key]?.state else { return }
        if let job = feed.activity.job, !isAlive(job) {
            feed.activity = .idle
            set(feed)
        } else {
            // An earlier life gave its reason.
            noteWait(of: feed)
            waitingFeeds.lookAgain(at: key)
        }
        for name in state.feeds[key]?.viewNames ?? [] {
            guard let view = state.feeds[key]?.views[name] else { continue }
            resume(view, of: key)
        }
    }

    /// What a view waits for is asked for again where its job is gone: a front that does not journal its jobs forgets them, not the orders.
    private mutating func resume(_ old: ViewState, of key: FeedKey) {
        var view = old
        if let job = view.arranging, !isAlive(job) {
            view.arranging = nil
            _ = arrange(view, of: key, for: view.pendingRequests, .none)
            view = state.feeds[key]?.views[view.name] ?? view
        }
        guard case .loading(let job) = view.detail, !isAlive(job) else { return }
        view.detail = .idle
        set(view, of: key)
        guard state.feeds[key]?.state.content != nil else { return }
        loadDetail(view, of: key, isShown: true)
    }

    private func isAlive(_ job: JobID) -> Bool { state.jobs.isAlive(job.rawValue) }
}
