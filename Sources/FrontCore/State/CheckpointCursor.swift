//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// What a checkpoint still has to write behind its first slice, in the order in which it does: the rest of its head, buckets of limits, sessions,
/// bundles of ended jobs, unique keys that are taken, ended jobs that were repeated, feeds with their views, jobs.
///
/// It names the workers, sessions, bundles and feeds that there were at its beginning: entries of the log, which begins there too, make those that
/// came since. The same holds for the views of a feed once the feed is written.
struct CheckpointCursor {
    fileprivate var head: ArraySlice<CheckpointPart>
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
        head.isEmpty && nextBucket == nil && sessions.isEmpty && bundles.isEmpty && key == nil && repeated == nil && feeds.isEmpty
            && views == nil && nextJob == nil
    }

    /// Everything that there is now; where jobs are not journaled, neither they nor sessions are.
    init(of state: FrontState, withJobs: Bool) {
        head = state.headParts[...]
        sessions = withJobs ? ArraySlice(state.sessions.ids) : []
        bundles = withJobs ? ArraySlice(state.jobs.bundles.map(\.number)) : []
        // They outlive their jobs, so no record of a job tells which are taken.
        key = withJobs && state.jobs.keys.count > 0 ? 0 : nil
        repeated = withJobs && !state.jobs.repeats.isEmpty ? 0 : nil
        feeds = ArraySlice(state.feeds.order)
        nextJob = withJobs ? 1 : nil
        if !state.jobs.limits.hasRates { nextBucket = nil }
    }

    /// The first slice of a checkpoint: these entries, and what of the head finds room behind them.
    fileprivate mutating func takeFirstSlice(_ entries: [JournalEntry], of state: FrontState, byteLimit: Int) -> [JournalEntry] {
        var slice = Slice(byteLimit: byteLimit)
        slice.append(entries)
        takeHead(of: state, into: &slice)
        return slice.entries
    }

    /// The next slice of a checkpoint: it ends with the part, session, bundle, key, feed, view or job that brings it to `byteLimit`. Each record has in
    /// it what it is now, and notes the turn at restart, so that entries up to that turn do not change it again.
    mutating func takeSlice(of state: FrontState, chunkLimit: Int, byteLimit: Int) -> [JournalEntry] {
        var slice = Slice(byteLimit: byteLimit)
        takeHead(of: state, into: &slice)
        while !slice.isFull, let first = nextBucket {
            let (levels, next) = state.jobs.limits.levels(from: first, looks: Self.bucketLooks)
            if !levels.isEmpty { slice.append([.tokensChanged(JournalEntry.TokensChanged(levels))]) }
            nextBucket = next
        }
        while !slice.isFull, let id = sessions.popFirst() { slice.append(state.sessions.entries(of: id)) }
        while !slice.isFull, let number = bundles.popFirst() {
            // One that was forgotten meanwhile is forgotten by the log, too.
            if let bundle = state.jobs.bundle(number) { slice.append([.endedBundled(bundle)]) }
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
        // Jobs have slices of their own: they are bounded by chunks as well, of which each is gone through.
        guard slice.entries.isEmpty, let id = nextJob else { return slice.entries }
        let jobs = state.slice(from: id, chunkLimit: chunkLimit, byteLimit: byteLimit)
        nextJob = jobs.next
        return jobs.entries
    }

    /// Values of limits that make one entry together.
    private static let bucketLooks = 1_024

    /// As much of the head as finds room.
    private mutating func takeHead(of state: FrontState, into slice: inout Slice) {
        while !slice.isFull, let part = head.popFirst() {
            if let entry = state.workers.entry(of: part) { slice.append([entry]) }
        }
    }

    /// The next view, or the next feed without its views.
    private mutating func takeFeed(of state: FrontState, into slice: inout Slice) {
        if let name = views?.names.popFirst() {
            if let key = views?.key, let view = state.feeds.entry(ofView: name, of: key) { slice.append([view]) }
        } else if let key = feeds.popFirst() {
            slice.append(state.feeds.entry(of: key).map { [$0] } ?? [])
            // As it is now: views that come later are made by the log.
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

    /// The first slice of a checkpoint, and where its further slices go on; together all that this durability journals.
    ///
    /// Where jobs are not journaled, a checkpoint must not hold them either: their ends would be missing behind it, and the next epoch would
    /// run again what had ended.
    func beginCheckpoint(
        _ durability: FrontSettings.Durability, byteLimit: Int = .max
    ) -> (entries: [JournalEntry], cursor: CheckpointCursor) {
        let keepsJobs = durability != .memory
        var cursor = CheckpointCursor(of: self, withJobs: keepsJobs)
        let numbers = numberEntries(keepsJobs ? jobs.storedCounts : JobCounts())
        return (cursor.takeFirstSlice(numbers, of: self, byteLimit: byteLimit), cursor)
    }

    /// The slices of a checkpoint in which nothing changes, to measure how long a restart reads them.
    package func slices(_ settings: LoopSettings, _ durability: FrontSettings.Durability) -> [[JournalEntry]] {
        var (entries, cursor) = beginCheckpoint(durability, byteLimit: settings.sliceByteLimit)
        var slices = [entries]
        while !cursor.isDone {
            entries = cursor.takeSlice(of: self, chunkLimit: settings.sliceChunks, byteLimit: settings.sliceByteLimit)
            slices.append(entries)
        }
        return slices
    }

    /// What a checkpoint begins with: numbers that nothing else tells.
    private func numberEntries(_ counts: JobCounts) -> [JournalEntry] {
        let numbers = jobs.numbers
        let stored = JournalEntry.CountsStored(
            counts, nextJob: JobID(numbers.nextJob), nextLease: LeaseID(numbers.nextLease),
            nextRegistrationNumber: RegistrationNumber(workers.nextRegistrationNumber), lastRankTime: numbers.lastRankTime.milliseconds,
            lengths: numbers.lengths)
        let reserved = JournalEntry.IDsReserved(jobs: JobID(numbers.reservedJobs), leases: LeaseID(numbers.reservedLeases))
        return [.countsStored(stored), .idsReserved(reserved)]
    }

    /// What is neither a number, nor a session, nor a feed, nor a job.
    fileprivate var headParts: [CheckpointPart] {
        let flow = jobs.limits.entries + jobs.pauses.entries
        return flow.map { .entry($0) } + workers.parts + left.all.map { .entry(.workLeft($0)) }
    }

    /// Everything as a checkpoint writes it but jobs, tokens and which jobs are repeated.
    func baseEntries() -> [JournalEntry] {
        var entries = numberEntries(jobs.storedCounts) + headParts.compactMap { workers.entry(of: $0) }
        for id in sessions.ids { entries += sessions.entries(of: id) }
        for bundle in jobs.bundles { entries.append(.endedBundled(bundle)) }
        for job in jobs.keys.jobs {
            if let taken = jobs.keys.taken(by: job) { entries.append(.uniqueKeysStored(JournalEntry.UniqueKeysStored([taken]))) }
        }
        for key in feeds.order {
            feeds.entry(of: key).map { entries.append($0) }
            for name in feeds[key]?.viewNames ?? [] { feeds.entry(ofView: name, of: key).map { entries.append($0) } }
        }
        return entries
    }
}
