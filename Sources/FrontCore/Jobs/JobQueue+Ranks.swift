//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// What the clock shows for a job that is accepted now: never less than for an earlier one.
    func rankTime(in turn: FrontTurn) -> Int64 { max(turn.state.jobs.numbers.lastRankTime, rankClock.time(at: turn.now.monotonic)) }

    /// The place in line of a job that is accepted now; never before that of an earlier one of the same priority.
    func rank(of options: JobOptions, in turn: FrontTurn) -> Int64 { RankClock.rank(of: options, at: rankTime(in: turn)) }
}
