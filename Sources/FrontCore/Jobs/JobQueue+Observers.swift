//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// The feed's jobs that wait may have other reasons: another one of its key goes, comes or is to stop. The feed itself hears of it as news.
    mutating func questionWaits(of key: FeedKey, in turn: inout FrontTurn) {
        guard !views.observed.isEmpty else { return }
        notify(views.observed.all(of: key), in: &turn)
    }

    /// Observers of jobs that wait for one of these loaders are to be told, for their reasons may be others; nil: of any.
    mutating func questionObservedWaits(for loaders: Set<Int>? = nil, in turn: inout FrontTurn) {
        guard !views.observed.isEmpty else { return }
        let all = views.observed.all
        turn.step(all.count / TurnContext.scansPerStep)
        for id in all where turn.state.jobs.contains(id) && loaders?.contains(Int(turn.state.jobs[id].loader)) ?? true {
            questionWait(of: id)
        }
    }

    /// Tells observers of jobs whose reasons may be others, of some in one turn.
    mutating func notifyObservedWaits(in turn: inout FrontTurn) {
        guard !waitsInQuestion.isEmpty else { return }
        notify(takeWaitsInQuestion(turn.settings.bounds.waitLooks), in: &turn)
        if !waitsInQuestion.isEmpty { turn.check(.waits, by: turn.now.monotonic) }
    }

    /// A job runs in a slot: observers see it among the running ones.
    mutating func showRunning(_ id: UInt64, in turn: inout FrontTurn) { views.list(id, in: &turn.context) }

    /// A running job is so far; several reports in one turn merge.
    mutating func noteProgress(_ progress: Progress, of id: UInt64, in turn: inout FrontTurn) {
        views.noteProgress(progress, of: id, in: &turn.context)
    }

    /// Observers of these jobs see them otherwise now.
    mutating func noteJobs(_ jobs: [UInt64], in turn: inout FrontTurn) {
        guard !views.observed.isEmpty else { return }
        for id in jobs { noteJob(id, ItemKey.job, in: &turn) }
    }

    private mutating func notify(_ jobs: [UInt64], in turn: inout FrontTurn) {
        turn.step(jobs.count)
        for id in jobs where turn.state.jobs.contains(id) && turn.state.jobs[id].state == .waiting { noteJob(id, ItemKey.job, in: &turn) }
    }
}
