//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Forgets ended jobs that are too old, so many at most; the rest goes in the next turn.
    mutating func forgetAgedJobs(in turn: inout FrontTurn) {
        let time = ageClock.time(at: turn.now.wall)
        for _ in 0..<turn.settings.bounds.forgottenJobs {
            guard let aged = turn.state.jobs.ended.firstAged(turn.settings.bounds, in: turn.state.jobs.slab), aged.at <= time else {
                return
            }
            forget(aged.oldest, in: &turn)
        }
    }

    /// Ended jobs are forgotten that are too many or too large together; those that are left are looked at when the oldest is too old.
    ///
    /// As many go as have ended since, so that there are never more than before, and some more: one large result may be worth thousands. The rest
    /// goes in the next turns. A restart finds it again, for the state itself says what is beyond the bounds: no entry is needed for that.
    mutating func trimEnded(in turn: inout FrontTurn) {
        let room = turn.settings.bounds.forgottenJobs + takeEndedCount(in: turn)
        for _ in 0..<room {
            guard let oldest = turn.state.jobs.ended.firstBeyond(turn.settings.bounds, in: turn.state.jobs.slab) else { break }
            forget(oldest, in: &turn)
        }
        if turn.state.jobs.ended.firstBeyond(turn.settings.bounds, in: turn.state.jobs.slab) != nil {
            return turn.check(.endedJobs, at: turn.now.wall)
        }
        guard let aged = turn.state.jobs.ended.firstAged(turn.settings.bounds, in: turn.state.jobs.slab) else { return }
        turn.check(.endedJobs, at: ageClock.wallTime(of: aged.at))
    }

    /// Jobs that have ended so far, in whatever way.
    func endedCount(in turn: FrontTurn) -> UInt64 { turn.state.jobs.totals.ended + turn.state.jobs.totals.counts.quarantined }

    /// A row of the log was applied at a restart: ended jobs that are too many or too large together go as they went when it was written, or a log
    /// that is longer than memory could not be read. Bundles went by entries, which follow.
    mutating func trimRestored(in turn: inout FrontTurn) {
        while case .job(let id)? = turn.state.jobs.ended.firstBeyond(turn.settings.bounds, in: turn.state.jobs.slab) {
            turn.state.jobs.forget(id)
        }
    }

    /// A bundle goes as a whole, by an entry: its reading has to fail from the same turn on at which nothing knows it any more.
    private mutating func forget(_ oldest: EndedJobs.Oldest, in turn: inout FrontTurn) {
        turn.step()
        switch oldest {
        case .job(let id):
            turn.state.jobs.forget(id)
            if views.observed.contains(id) { turn.emit(.changed(.job(JobID(id)), key: ItemKey.job)) }
        case .bundle(let number):
            turn.record(.bundlesForgotten(JournalEntry.BundlesForgotten([number])))
            turn.emit(.forgetBundle(number))
            for id in readings.forget(number) { turn.emit(.changed(.job(JobID(id)), key: ItemKey.job)) }
        }
    }
}
