//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// What a checkpoint still has to write behind its first slice, in the order in which it does: buckets of limits, sessions, bundles of ended jobs,
/// unique keys that are taken, ended jobs that were repeated, feeds with their views, jobs.
///
/// It names the sessions, bundles and feeds that there were at its beginning: entries of the log, which begins there too, make those that came since.
/// The same holds for the views of a feed once the feed is written.
struct CheckpointCursor {
    /// From which value of a limit on; nil: all are written.
    fileprivate var nextBucket: Int? = 0
    fileprivate var sessions: ArraySlice<SessionID>
    fileprivate var bundles: ArraySlice<BundleNumber>
    /// The job behind which the next unique key is; nil: all are written. One that was taken since does no harm.
    fileprivate var key: UInt64?
    /// The ended job behind which the next one is that was repeated; nil: all are written.
    fileprivate var repeated: UInt64?
    fileprivate var feeds: ArraySlice<FeedKey>
    /// The feed that was written last, and those of its views that are not yet.
    fileprivate var views: (key: FeedKey, names: ArraySlice<String>)?
    /// From which job on; nil: all are written.
    private(set) var nextJob: UInt64?

    /// Whether nothing is left.
    var isDone: Bool {
        nextBucket == nil && sessions.isEmpty && bundles.isEmpty && key == nil && repeated == nil && feeds.isEmpty && views == nil
            && nextJob == nil
    }

    /// Everything that there is now; where jobs are not journaled, neither they nor sessions are.
    init(of state: FrontState, withJobs: Bool) {
        sessions = withJobs ? ArraySlice(state.sessions.ids) : []
        bundles = withJobs ? ArraySlice(state.jobs.ended.bundled.all.map(\.number)) : []
        key = withJobs && state.jobs.keys.count > 0 ? 0 : nil
        repeated = withJobs && !state.jobs.repeats.isEmpty ? 0 : nil
        feeds = ArraySlice(state.feeds.order)
        nextJob = withJobs ? 1 : nil
        if !state.jobs.limits.hasRates { nextBucket = nil }
    }

    /// The next slice of a checkpoint: it ends with the session, bundle, key, feed, view or job that brings it to `byteLimit`. Each has in it what it is
    /// now, and notes the turn at restart, so that entries up to that turn do not change it again.
    mutating func takeSlice(of state: FrontState, chunkLimit: Int, byteLimit: Int) -> [JournalEntry] {
        var slice = Slice(byteLimit: byteLimit)
        while !slice.isFull, let first = nextBucket {
            let (levels, next) = state.jobs.limits.levels(from: first, looks: Self.bucketLooks)
            if !levels.isEmpty { slice.append([.tokensChanged(JournalEntry.TokensChanged(levels))]) }
            nextBucket = next
        }
        while !slice.isFull, let id = sessions.popFirst() { slice.append(state.sessions.entries(of: id)) }
        while !slice.isFull, let number = bundles.popFirst() {
            if let bundle = state.jobs.ended.bundled.bundle(number) { slice.append([.endedBundled(bundle)]) }
        }
        // Behind the bundles: one that is forgotten after its slice is forgotten by an entry behind that, with the keys of its jobs.
        while !slice.isFull, let last = key {
            let taken = state.jobs.keys.taken(after: last)
            if let taken { slice.append([.uniqueKeysStored(JournalEntry.UniqueKeysStored([taken]))]) }
            key = taken?.job
        }
        while !slice.isFull, let last = repeated {
            let entry = state.jobs.repeats.entry(behind: last)
            if let entry { slice.append([.repeatsStored(entry)]) }
            repeated = entry?.jobs.last
        }
        while !slice.isFull, !feeds.isEmpty || views != nil { takeFeed(of: state, into: &slice) }
        guard slice.entries.isEmpty, let id = nextJob else { return slice.entries }
        let jobs = state.slice(from: id, chunkLimit: chunkLimit, byteLimit: byteLimit)
        nextJob = jobs.next
        return jobs.entries
    }

    /// Values of limits that make one entry together.
    private static let bucketLooks = 1_024

    /// The next view, or the next feed without its views.
    private mutating func takeFeed(of state: FrontState, into slice: inout Slice) {
        if let name = views?.names.popFirst() {
            if let key = views?.key, let view = state.feeds.entry(ofView: name, of: key) { slice.append([view]) }
        } else if let key = feeds.popFirst() {
            slice.append(state.feeds.entry(of: key).map { [$0] } ?? [])
            views = state.feeds[key].map { (key, $0.viewNames[...]) }
        } else {
            views = nil
        }
    }

    /// What goes into one row.
    private struct Slice {
        let byteLimit: Int
        private(set) var entries: [JournalEntry] = []
        private var byteCount = 0

        init(byteLimit: Int) { self.byteLimit = byteLimit }

        /// One thing goes, however small the limit is.
        var isFull: Bool { !entries.isEmpty && byteCount >= byteLimit }

        mutating func append(_ more: [JournalEntry]) {
            for entry in more { byteCount += entry.traits.roughByteCount }
            entries += more
        }
    }
}

extension FrontState {
    /// Records of jobs as they are now: see `JobLifecycle.slice`.
    func slice(from id: UInt64, chunkLimit: Int, byteLimit: Int = .max) -> (entries: [JournalEntry], next: UInt64?) {
        jobs.slice(from: id, chunkLimit: chunkLimit, byteLimit: byteLimit, workers: workers, epoch: workers.epoch)
    }

    /// What a checkpoint begins with, and where its further slices go on; together all that this durability journals.
    ///
    /// Where jobs are not journaled, a checkpoint must not hold them either: their ends would be missing behind it, and the next epoch would
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

    /// The slices of a checkpoint in which nothing changes, to measure how long a restart reads them.
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
            nextRegistrationNumber: RegistrationNumber(workers.nextRegistrationNumber), lastRankTime: numbers.lastRankTime.milliseconds,
            lengths: jobs.numbers.lengths)
        let reserved = JournalEntry.IDsReserved(jobs: JobID(numbers.reservedJobs), leases: LeaseID(numbers.reservedLeases))
        let flow = jobs.limits.entries + jobs.pauses.entries
        return [.countsStored(stored), .idsReserved(reserved)] + flow + workers.entries + left.all.map { .workLeft($0) }
    }

    /// Everything but jobs, as a checkpoint writes it.
    func baseEntries() -> [JournalEntry] {
        var entries = headEntries
        for id in sessions.ids { entries += sessions.entries(of: id) }
        for bundle in jobs.ended.bundled.all { entries.append(.endedBundled(bundle)) }
        for job in jobs.keys.jobs {
            if let taken = jobs.keys.taken(by: job) { entries.append(.uniqueKeysStored(JournalEntry.UniqueKeysStored([taken]))) }
        }
        var last: UInt64 = 0
        while let entry = jobs.repeats.entry(behind: last), let job = entry.jobs.last {
            entries.append(.repeatsStored(entry))
            last = job
        }
        for key in feeds.order {
            feeds.entry(of: key).map { entries.append($0) }
            for name in feeds[key]?.viewNames ?? [] { feeds.entry(ofView: name, of: key).map { entries.append($0) } }
        }
        return entries
    }
}
