//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is decided of workers and what they hold: who gets which job, what a report, a renewal or a loss brings about.
///
/// Who is registered is durable, and `WorkerSessions` knows it; here is what only this life of the front knows.
struct Workforce {
    /// What has left the front: nobody can have acted upon anything later.
    private(set) var sent = DecisionMark(lease: 1, attachment: 1)
    /// How long the oldest decision had waited to be durable when the last turn was read.
    private(set) var undurableMilliseconds: Int64 = 0

    /// A life of the front begins.
    mutating func begin(queue: inout JobQueue, in turn: inout FrontTurn) {
        turn.state.workers.begin(in: &turn.context)
        guard turn.settings.durability == .memory, let last = turn.state.workers.all.map(\.leaseEnd).max() else { return }
        queue.grantPause = GrantPause(milliseconds: last.milliseconds(since: turn.now.monotonic), from: turn.now)
        turn.check(.grants, by: last)
    }

    /// Decisions up to there have left, or may have in an earlier life.
    mutating func noteSent(_ mark: DecisionMark) { sent = mark }

    /// A turn was read.
    mutating func note(_ reading: TurnReading) { undurableMilliseconds = reading.undurableMilliseconds }
}
