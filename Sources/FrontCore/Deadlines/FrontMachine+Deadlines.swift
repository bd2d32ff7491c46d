//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Ended jobs that are forgotten for their age in one turn: a restart after a week may find that all are too old at once.
    private static var agedJobsAtOnce: Int { 4_096 }

    /// Deals with everything whose time had come when the turn began to read; each says when it is to be looked at again.
    mutating func checkDeadlines(_ reading: TurnReading) {
        state.sessions.noteReading(reading)
        guard let next = turn.deadlines.next, next <= turn.now.monotonic else { return }
        let moves = turn.deadlines.moves
        turn.deadlines.pass(to: reading.began)
        for kind in DeadlineOwner.Kind.allCases {
            if kind == .session, state.sessions.isClockStanding(at: reading.began) {
                turn.deadlines.hold(kind, until: turn.now.monotonic.adding(milliseconds: ClientSessions.unreadMilliseconds))
                continue
            }
            let owners = turn.deadlines.take(kind)
            // Only sessions ask who waits: no other deadline pays for that.
            let waiting: Set<PeerID> = kind == .session && !owners.isEmpty ? Set(reading.waitingClients) : []
            turn.step(waiting.count)
            for owner in owners { look(at: owner, reading, waiting) }
        }
        turn.step(Int(turn.deadlines.moves &- moves))
    }

    private mutating func look(
        at owner: DeadlineOwner, _ reading: TurnReading, _ waiting: Set<PeerID>
    ) {
        turn.step()
        switch owner {
        case .reports(let index): state.workers.lookAtReports(index, in: &turn)
        case .lease(let index): if state.workers.isLost(index, reading, in: &turn) { loseWorker(index) }
        case .session(let id): leave(state.sessions.lookAt(id, reading, waiting: waiting, in: &turn))
        case .load(let key): if state.feeds.isAbandoned(key, reading, in: &turn) { abandonLoad(of: key) }
        case .view(let key, let name): if state.feeds.isUnused(name, of: key, in: &turn) { forgetView(name, of: key) }
        // These only bring the turn about: what is to be done is seen in each.
        case .counts, .grants, .waits: break
        case .endedJobs: forgetAgedJobs()
        }
    }

    private mutating func abandonLoad(of key: FeedKey) {
        for job in Array(state.jobs.keyLines.backwards(.load, of: key)) { _ = cancel(job, by: "nobody is attached") }
    }

    /// Forgets ended jobs that are too old, so many at most; the rest goes in the next turn.
    private mutating func forgetAgedJobs() {
        let time = ageClock.time(at: turn.now)
        for _ in 0..<Self.agedJobsAtOnce {
            guard let aged = state.jobs.ended.firstAged(turn.settings.bounds, in: state.jobs.slab), aged.at <= time else { return }
            forgetEnded(aged.job)
        }
    }

    /// Ended jobs are forgotten that are too many or too large together; those that are left are looked at when the oldest is too old.
    mutating func trimHistory() {
        while let job = state.jobs.ended.firstBeyond(turn.settings.bounds) { forgetEnded(job) }
        guard let aged = state.jobs.ended.firstAged(turn.settings.bounds, in: state.jobs.slab) else { return }
        let milliseconds = aged.at.milliseconds &- ageClock.time(at: turn.now).milliseconds
        turn.check(.endedJobs, by: turn.now.monotonic.adding(milliseconds: max(0, milliseconds)))
    }

    private mutating func forgetEnded(_ id: UInt64) {
        defer { turn.step() }
        state.jobs.forget(id)
        if jobViews.observed.contains(id) { turn.emit(.changed(.job(JobID(id)), key: "job")) }
    }
}
