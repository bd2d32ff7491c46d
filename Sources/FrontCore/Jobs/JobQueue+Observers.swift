//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// The feed's jobs that wait may have other reasons: another one of its key goes, comes or is to stop. The feed itself hears of it as news.
    mutating func questionWaits(of key: FeedKey, in turn: inout FrontTurn) {
        guard !views.observed.isEmpty else { return }
        tell(views.observed.all(of: key), in: &turn)
    }

    /// The reasons of all that waits may be others: nothing is granted any more, or jobs are again.
    mutating func questionAllWaits() { allWaitsAreInQuestion = true }

    /// Whether that was said since this was asked last.
    mutating func takeAllWaitsInQuestion() -> Bool {
        defer { allWaitsAreInQuestion = false }
        return allWaitsAreInQuestion
    }

    /// Observers of jobs that wait for one of these loaders are told, for their reasons may be others; nil: of any.
    mutating func tellObservedWaits(for loaders: Set<Int>? = nil, in turn: inout FrontTurn) {
        guard !views.observed.isEmpty else { return }
        tell(
            views.observed.all.filter { id in turn.state.jobs.contains(id) && loaders?.contains(Int(turn.state.jobs[id].loader)) ?? true },
            in: &turn)
    }

    private mutating func tell(_ jobs: [UInt64], in turn: inout FrontTurn) {
        turn.step(jobs.count)
        for id in jobs where turn.state.jobs.contains(id) && turn.state.jobs[id].state == .waiting { noteJob(id, "job", in: &turn) }
    }
}
