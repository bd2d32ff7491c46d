//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import Model

extension FrontState {
    /// Records of jobs as they are now: see `JobLifecycle.slice`.
    func slice(from id: UInt64, chunkLimit: Int, byteLimit: Int = .max) -> (facts: [Fact], next: UInt64?) {
        jobs.slice(from: id, chunkLimit: chunkLimit, byteLimit: byteLimit, workers: workers, life: workers.life)
    }

    /// What a checkpoint begins with, and where its further slices go on; together all that this durability journals.
    ///
    /// Where jobs are not journalled, a checkpoint must not hold them either: their ends would be missing behind it, and the next life would
    /// run again what had ended.
    func beginCheckpoint(_ durability: FrontSettings.Durability) -> (facts: [Fact], cursor: CheckpointCursor) {
        let keepsJobs = durability != .memory
        let cursor = CheckpointCursor(of: self, withJobs: keepsJobs)
        guard !keepsJobs else { return (headFacts, cursor) }
        let facts = headFacts.map { fact in
            guard case .countsStored(var stored) = fact else { return fact }
            stored.counts = JobCounts()
            return .countsStored(stored)
        }
        return (facts, cursor)
    }

    /// The slices of a checkpoint in which nothing changes, for whoever measures how long a restart reads them.
    package func slices(_ settings: LoopSettings, _ durability: FrontSettings.Durability) -> [[Fact]] {
        var (facts, cursor) = beginCheckpoint(durability)
        var slices = [facts]
        while !cursor.isDone {
            facts = cursor.takeSlice(of: self, chunkLimit: settings.sliceChunks, byteLimit: settings.sliceByteLimit)
            slices.append(facts)
        }
        return slices
    }

    /// What a checkpoint begins with: what is neither a session, nor a feed, nor a job.
    var headFacts: [Fact] {
        let numbers = jobs.numbers
        let stored = Fact.CountsStored(
            jobs.totals.counts, nextJob: JobID(numbers.nextJob), nextLease: LeaseID(numbers.nextLease),
            nextAttachment: AttachmentNumber(workers.nextAttachment), lastRankTime: numbers.lastRankTime)
        let reserved = Fact.IDsReserved(jobs: JobID(numbers.reservedJobs), leases: LeaseID(numbers.reservedLeases))
        return [.countsStored(stored), .idsReserved(reserved)] + workers.entries + left.all.map { .workLeft($0) }
    }

    /// Everything but jobs, as a checkpoint writes it.
    func baseFacts() -> [Fact] {
        var facts = headFacts
        for id in sessions.ids { facts += sessions.entries(of: id) }
        for bundle in jobs.ended.bundled.all { facts.append(.endedBundled(bundle)) }
        for key in feeds.order {
            feeds.entry(of: key).map { facts.append($0) }
            for name in feeds[key]?.viewNames ?? [] { feeds.entry(ofView: name, of: key).map { facts.append($0) } }
        }
        return facts
    }
}
