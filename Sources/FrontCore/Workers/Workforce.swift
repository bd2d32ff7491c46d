//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is decided of workers and what they hold: who gets which job, what a report, a renewal or a loss brings about.
///
/// Who is registered is durable, and `WorkerSessions` knows it; here is what only this life of the front knows.
struct Workforce {
    /// What has left the front: nobody can have acted upon anything later.
    private(set) var sent = DecisionMark(lease: 1, registrationNumber: 1)
    /// How long the oldest decision had waited to be durable when the last turn was read.
    private(set) var undurable = Duration.zero
    /// Jobs of lost workers that were looked at in this turn.
    var lossLooks = 0
    /// Jobs that workers which are gone had named as what they could not stop, by the worker's index, the first one last: what is left to be told of
    /// its death. A restart forgets that, as it does what living workers have named.
    var culprits: [Int: [UInt64]] = [:]

    /// A life of the front begins, and says so: leases are counted from its beginning.
    mutating func begin(queue: inout JobQueue, in turn: inout FrontTurn) {
        let boot = turn.settings.boot
        turn.record(
            .epochBegan(
                JournalEntry.EpochBegan(epoch: turn.settings.epoch, bootID: boot.id, bootMilliseconds: boot.uptime.wholeMilliseconds)))
        turn.state.workers.begin(in: &turn.context)
        resumeLosses(in: &turn)
        guard turn.settings.durability == .memory, let last = turn.state.workers.all.map(\.leaseEnd).max() else { return }
        queue.pauseGrants(for: GrantPause(last.duration(since: turn.now.monotonic), from: turn.now))
        turn.check(.grants, by: last)
    }

    /// All that had come was read and dealt with.
    mutating func endTurn() { lossLooks = 0 }

    /// Decisions up to there have left, or may have in an earlier life.
    mutating func noteSent(_ mark: DecisionMark) { sent = mark }

    /// A turn was read.
    mutating func note(_ reading: TurnReading) { undurable = reading.undurable }
}
