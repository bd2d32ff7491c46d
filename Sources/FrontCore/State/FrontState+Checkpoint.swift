//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import Model

extension FrontState {
    /// Records of jobs as they are now: see `JobLifecycle.slice`.
    func slice(from id: UInt64, chunkLimit: Int, byteLimit: Int = .max) -> (entries: [JournalEntry], next: UInt64?) {
        jobs.slice(from: id, chunkLimit: chunkLimit, byteLimit: byteLimit, workers: workers, life: workers.life)
    }

    /// What a checkpoint begins with, and where its further slices go on; together all that this durability journals.
    ///
    /// Where jobs are not journalled, a checkpoint must not hold them either: their ends would be missing behind it, and the next life would
    /// run again what had ended.
    func beginCheckpoint(_ durability: FrontSettings.Durability) -> (entries: [JournalEntry], cursor: CheckpointCursor) {
        let keepsJobs = durability != .memory
        let cursor = CheckpointCursor(of: self, withJobs: keepsJobs)
        guard !keepsJobs else { return (headEntries, cursor) }
        let entries = headEntries.map { entry in
            guard case .countsStored(var stored) = entry else { return entry }
            stored.counts = JobCounts()
            return .countsStored(stored)
        }
        return (entries, cursor)
    }

    /// The slices of a checkpoint in which nothing changes, for whoever measures how long a restart reads them.
    package func slices(_ settings: LoopSettings, _ durability: FrontSettings.Durability) -> [[JournalEntry]] {
        var (entries, cursor) = beginCheckpoint(durability)
        var slices = [entries]
        while !cursor.isDone {
            entries = cursor.takeSlice(of: self, chunkLimit: settings.sliceChunks, byteLimit: settings.sliceByteLimit)
            slices.append(entries)
        }
        return slices
    }

    /// What a checkpoint begins with: what is neither a session, nor a feed, nor a job.
    var headEntries: [JournalEntry] {
        let numbers = jobs.numbers
        let stored = JournalEntry.CountsStored(
            jobs.totals.counts, nextJob: JobID(numbers.nextJob), nextLease: LeaseID(numbers.nextLease),
            nextRegistrationNumber: RegistrationNumber(workers.nextRegistrationNumber), lastRankTime: numbers.lastRankTime)
        let reserved = JournalEntry.IDsReserved(jobs: JobID(numbers.reservedJobs), leases: LeaseID(numbers.reservedLeases))
        return [.countsStored(stored), .idsReserved(reserved)] + workers.entries + left.all.map { .workLeft($0) }
    }

    /// Everything but jobs, as a checkpoint writes it.
    func baseEntries() -> [JournalEntry] {
        var entries = headEntries
        for id in sessions.ids { entries += sessions.entries(of: id) }
        for bundle in jobs.ended.bundled.all { entries.append(.endedBundled(bundle)) }
        for key in feeds.order {
            feeds.entry(of: key).map { entries.append($0) }
            for name in feeds[key]?.viewNames ?? [] { feeds.entry(ofView: name, of: key).map { entries.append($0) } }
        }
        return entries
    }
}
