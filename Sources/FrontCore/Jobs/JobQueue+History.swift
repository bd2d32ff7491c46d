//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Ended jobs that are forgotten for their age in one turn: a restart after a week may find that all are too old at once.
    private static var agedJobsAtOnce: Int { 4_096 }

    /// Forgets ended jobs that are too old, so many at most; the rest goes in the next turn.
    mutating func forgetAgedJobs(in turn: inout FrontTurn) {
        let time = ageClock.time(at: turn.now.wall)
        for _ in 0..<Self.agedJobsAtOnce {
            guard let aged = turn.state.jobs.ended.firstAged(turn.settings.bounds, in: turn.state.jobs.slab), aged.at <= time else {
                return
            }
            forget(aged.oldest, in: &turn)
        }
    }

    /// Ended jobs are forgotten that are too many or too large together; those that are left are looked at when the oldest is too old.
    mutating func trimHistory(in turn: inout FrontTurn) {
        while let oldest = turn.state.jobs.ended.firstBeyond(turn.settings.bounds, in: turn.state.jobs.slab) { forget(oldest, in: &turn) }
        guard let aged = turn.state.jobs.ended.firstAged(turn.settings.bounds, in: turn.state.jobs.slab) else { return }
        turn.check(.endedJobs, at: ageClock.wallTime(of: aged.at))
    }

    /// The wall clock was set: ended jobs are not older by that, and are looked at when they are old.
    mutating func noteClockStep(milliseconds: Int64, in turn: inout FrontTurn) {
        ageClock.step(milliseconds: milliseconds)
        turn.context.forget(.endedJobs)
        trimHistory(in: &turn)
    }

    /// A bundle goes as a whole, by an entry: its reading has to fail from the same turn on at which nothing knows it any more.
    private mutating func forget(_ oldest: EndedJobs.Oldest, in turn: inout FrontTurn) {
        turn.step()
        switch oldest {
        case .job(let id):
            turn.state.jobs.forget(id)
            if views.observed.contains(id) { turn.emit(.changed(.job(JobID(id)), key: "job")) }
        case .bundle(let number):
            turn.record(.bundlesForgotten(Fact.BundlesForgotten([number])))
            turn.emit(.forgetBundle(number))
            for id in readings.forget(number) { turn.emit(.changed(.job(JobID(id)), key: "job")) }
        }
    }
}
