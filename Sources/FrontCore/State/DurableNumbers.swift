//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What entries have made of a front's numbers: what ids go on from, and from when leases count.
struct DurableNumbers {
    /// Named numbers that are taken before an entry says so: a replay never has more than the front that took them.
    private let taken: KeyValuePairs<String, UInt64>
    /// The level of the clock of ranks, in milliseconds.
    private let rankTime: Int64
    /// Lives of the front that leases count from.
    private let lives: [JournalEntry.EpochBegan]
    /// The life that each worker's lease counts from, the next one that is listed; none: it registered in the last one.
    private let firstLives: [WorkerID: Epoch]

    init(_ state: FrontState) {
        let numbers = state.jobs.numbers
        let ids: KeyValuePairs = [
            "job": numbers.nextJob, "lease": numbers.nextLease, "registration number": state.workers.nextRegistrationNumber,
        ]
        taken = ids
        rankTime = numbers.lastRankTime
        let listed = state.workers.lives
        // Others are forgotten when the next life begins, be it that all are read again from a checkpoint.
        let oldest = state.workers.all.map(\.life).min() ?? state.workers.life
        lives = listed.filter { $0.epoch > oldest || $0.epoch == state.workers.life }
        firstLives = Dictionary(
            uniqueKeysWithValues: state.workers.all.map { worker in
                (worker.id, listed.first { $0.epoch > worker.life }?.epoch ?? .none)
            })
    }

    /// What differs first from a replay; nil: nothing.
    /// - Parameters:
    ///   - withJobs: Whether those of jobs are compared.
    ///   - isSameLife: Whether both are of the same life; a next one has an entry more.
    func difference(from replayed: DurableNumbers, withJobs: Bool, isSameLife: Bool) -> String? {
        for (own, other) in zip(taken, replayed.taken) where other.value > own.value && (withJobs || own.key == "registration number") {
            return "the next \(own.key): \(own.value), replayed \(other.value)"
        }
        if withJobs, rankTime != replayed.rankTime {
            return "the level of the clock of ranks: \(rankTime), replayed \(replayed.rankTime)"
        }
        guard isSameLife else { return nil }
        if lives != replayed.lives { return "the lives that leases count from: \(lives), replayed \(replayed.lives)" }
        for (worker, life) in firstLives.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where life != replayed.firstLives[worker] {
            return "the life that the lease of \(worker) counts from: \(life), replayed \(String(describing: replayed.firstLives[worker]))"
        }
        return nil
    }
}
