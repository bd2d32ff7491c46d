//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension JobLifecycle {
    var slab: JobSlab { _read { yield records.slab } }
    var arena: BlobArena { _read { yield records.arena } }
    var loaderNames: LoaderNames { _read { yield records.loaderNames } }
    var terms: TermsTable { _read { yield records.terms } }

    /// The record of a job that exists.
    subscript(id: UInt64) -> JobRecord { _read { yield records.slab[id] } }

    /// Which waiting job is next.
    var scheduler: Scheduler { _read { yield places.scheduler } }

    /// Those whose time has not come.
    var scheduled: ScheduledJobs { _read { yield places.scheduled } }

    /// Those that wait and end by themselves at a time.
    var ending: EndingJobs { _read { yield places.ending } }

    /// When a job has had its total time, by the clock of lengths; nil: it has none, its time has not come, or it has ended.
    @inline(__always)
    func deadline(of id: UInt64) -> LengthTime? { records.deadline(of: id) }

    /// What a job does for a feed; nil: it is none of a feed.
    func operation(of id: UInt64) -> FeedOperation? { keyLines.isEmpty ? nil : keyLines[id]?.job.operation }

    /// What the last attempts of jobs failed with that are tried again.
    var lastFailures: [UInt64: Failure] { _read { yield runs.lastFailures } }

    /// When a job's state changed last: by its acceptance, its last grant, the end of its last run or its own. A cancel that a worker was told, and a
    /// delay that is over, are no news of a job.
    func lastChange(of record: JobRecord) -> WallTime {
        let moved = max(record.acceptedAt, record.changedAt)
        guard record.standing.waits, let run = runs[record.id]?.newest.last else { return moved }
        return max(moved, run.endedAt)
    }

    /// What is paused.
    var pauses: PauseTable { _read { yield places.pauses } }

    /// The first worker that would take jobs of a loader were it not paused; nil: there is none.
    func pausedWorker(offering loader: Int) -> Int? { places.pausedWorker(offering: loader) }

    /// What a worker has in hand; nil: there is none of that index.
    func holding(of worker: Int) -> WorkerHolding? { places.holding(of: worker) }

    /// The feed whose source a job asks, by name; empty: it asks none.
    func askedFeed(of job: JobRecord) -> String { terms.feeds[Int(terms.lane(of: Int(job.terms)).feed)] }

    /// The loader that a job names.
    @inline(__always)
    func loader(of job: JobRecord) -> String { loaderNames[Int(job.loader)] }

    /// Labels of a job.
    @inline(__always)
    func tags(of job: JobRecord) -> [String] { terms[Int(job.terms)].options.tags }

    /// Who asked for a job, and how it is run.
    func terms(of job: JobRecord) -> JobTerms { terms[Int(job.terms)] }

    /// The job behind which one waits that stands in no lane: of its feed's line, or of its unique key; nil: it waits behind none.
    func holder(before id: UInt64) -> UInt64? {
        let holder = keyLines[id].flatMap { keyLines.first(ofLineOf: $0.job)?.rawValue } ?? keys.holder(before: id)
        return holder.flatMap { contains($0) ? $0 : nil }
    }

    /// What a job works on: nothing for a feed's.
    func argument(of job: JobRecord) -> [UInt8] { Array(arena[job.argument]) }

    /// What a job has left behind that succeeded.
    func result(of job: JobRecord) -> [UInt8] { Array(arena[job.result]) }

    /// Whether a job is in memory: all that have not ended, and some that have.
    @inline(__always)
    func contains(_ id: UInt64) -> Bool { slab.contains(id) }

    /// The state of a job that is known; nil: it is not known.
    func state(of id: UInt64) -> JobState? { contains(id) ? self[id].state : bundle(of: id)?.state }

    /// Whether a job is there and has not ended.
    func isAlive(_ id: UInt64) -> Bool { contains(id) && !self[id].state.isFinal }

    /// The jobs that a worker holds.
    func held(by worker: Int) -> JobLine { holding(of: worker)?.held ?? JobLine() }

    /// The jobs that a worker holds, oldest grant first.
    func heldJobs(by worker: Int) -> [UInt64] {
        let first = held(by: worker).first
        return first == 0 ? [] : Array(sequence(first: first) { slab[$0].next == 0 ? nil : slab[$0].next })
    }

    /// The same, newest grant first. A caller that removes jobs meanwhile makes an array of them first.
    func heldBackwards(by worker: Int) -> some Sequence<UInt64> {
        sequence(first: held(by: worker).last) { [slab] in slab[$0].previous }.lazy.prefix { $0 != 0 }
    }

    /// The code of what a job failed with, or its last attempt did; nil: nothing.
    func failureCode(of record: JobRecord) -> FailureCode? {
        switch record.state {
        case .failed, .quarantined: ended.failureCode(of: record.id, in: slab)
        case .waiting, .scheduled, .running, .cancelling, .succeeded, .cancelled, .expired:
            lastFailures.isEmpty ? nil : lastFailures[record.id]?.code
        }
    }

    /// What a job failed with, or its last attempt while it is tried again; nil: it did not fail, or that is in a bundle.
    func failure(of id: UInt64) -> Failure? { ended.failures[id] ?? (lastFailures.isEmpty ? nil : lastFailures[id]) }

    /// The job that a worker holds under a lease; looks through its held jobs.
    func heldJob(lease: UInt64, worker index: Int) -> UInt64? {
        var job = held(by: index).first
        while job != 0 {
            if slab[job].lease == lease { return job }
            job = slab[job].next
        }
        return nil
    }

    /// The limit that has no room for a job, as the reason of its wait; nil: each has.
    /// - Parameter wall: What the wall clock shows when the clock of lengths does.
    func limitReason(of id: UInt64, wall: (LengthTime) -> WallTime) -> WaitReason? {
        limits.isUsed ? limits.fullReason(of: Int(terms.lane(of: Int(slab[id].terms)).limitSet), for: slab.key(of: id), wall: wall) : nil
    }

    // Always part of their callers: for a call the whole value would be copied.

    /// Whether a worker holds a job under that lease now: what it says of an older one is late.
    @inline(__always)
    func isHeld(_ id: UInt64, by worker: Int, under lease: UInt64) -> Bool {
        guard contains(id) else { return false }
        let job = slab[id]
        return job.place == .held && job.lease == lease && Int(job.worker) == worker
    }

    /// What a job that has not ended counts with.
    @inline(__always)
    func queuedByteCount(of id: UInt64) -> Int {
        let record = slab[id]
        let own =
            record.argument.byteCount + keys.carriedByteCount(of: id) + terms.endingByteCount(of: Int(record.terms))
            + runs.byteCount(of: id)
        guard record.flags.contains(.isFeedJob), let job = keyLines[id]?.job else { return own }
        return own + job.byteCount + RoughSize.feedJob
    }

    /// What an ended job counts with.
    @inline(__always)
    func endedByteCount(of id: UInt64) -> Int {
        let count = queuedByteCount(of: id) + slab[id].result.byteCount
        guard slab[id].endedKind == .failed, let failure = ended.failures[id] else { return count }
        return count + failure.roughByteCount
    }
}

// MARK: What is asked of its parts

/// Who decides asks here, and need not know which part of a part has the answer.
extension JobLifecycle {
    // As above: often part of their callers, since for a call the whole value would be copied.

    /// What delays and lengths are measured by.
    var lengths: LengthClock { _read { yield numbers.lengths } }

    /// What that clock shows.
    @inline(__always)
    func lengthTime(at now: MonotonicTime) -> LengthTime { numbers.lengths.lengthTime(at: now) }

    /// When it shows a time, by the boot clock.
    @inline(__always)
    func instant(of time: LengthTime) -> MonotonicTime { numbers.lengths.instant(of: time) }

    /// All bundles of ended jobs, those that failed last.
    @inline(__always)
    var bundles: some Sequence<JournalEntry.EndedBundled> { ended.bundled.all }

    /// The bundle of a number; nil: there is none.
    @inline(__always)
    func bundle(_ number: BundleNumber) -> JournalEntry.EndedBundled? { ended.bundled.bundle(number) }

    /// The bundle that a job is in, and how it ended; nil: it is in none.
    @inline(__always)
    func bundle(of id: UInt64) -> (bundle: BundleNumber, state: JobState)? { ended.bundled.find(id) }

    /// The jobs of bundles, newest first: see `BundledPage`.
    @inline(__always)
    func bundledPage(below job: UInt64?, onlyFailed: Bool) -> BundledPage {
        BundledPage(of: ended.bundled, below: job, onlyFailed: onlyFailed)
    }

    /// Jobs that have ended so far, in whatever way.
    @inline(__always)
    var endedCount: UInt64 { totals.ended + totals.counts.quarantined }

    /// How many jobs there are, as a checkpoint stores it: `counts` adds since when the oldest waits.
    var storedCounts: JobCounts { _read { yield totals.counts } }

    /// What jobs have failed with that are known, as observers see it.
    var listedFailures: [FailureCount] { ended.failureCounts.listed }

    /// Bytes of what is kept of the runs of jobs that have not ended.
    var liveBytes: RunTable.LiveBytes { _read { yield runs.live } }

    /// Jobs that nobody knows any more and whose keys are taken without an end.
    var unknownWithKeys: [UInt64] { keys.jobs.filter { keys.taken(by: $0)?.until == nil && state(of: $0) == nil } }
}

// MARK: Checkpoints

extension JobLifecycle {
    /// Records of jobs as they are now, from `id` on, and where to go on; nil: that was the last slice. It ends with the job that brings it
    /// to `byteLimit`.
    /// - Parameter workers: The records of workers by their indexes: one that registered since the checkpoint began is not in its head, and without
    ///   it the job that it holds would seem to wait.
    func slice(
        from id: UInt64, chunkLimit: Int, byteLimit: Int, workers: WorkerSessions, epoch: Epoch
    ) -> (entries: [JournalEntry], next: UInt64?) {
        var (ids, next) = slab.ids(from: id, chunkLimit: chunkLimit)
        guard !ids.isEmpty else { return ([], next) }
        let fitting = fittingCount(of: ids, within: byteLimit)
        if fitting < ids.count {
            next = ids[fitting]
            ids.removeSubrange(fitting...)
        }
        var holders: Set<UInt16> = []
        var entries: [JournalEntry] = []
        for record in ids.lazy.map({ slab[$0] }) where record.standing.isHeld && holders.insert(record.worker).inserted {
            // Those of earlier epochs are in the head: none of them can have registered since.
            if let worker = workers[Int(record.worker)], worker.epoch == epoch { entries.append(worker.entry) }
        }
        return (entries + self.entries(of: ids) { holder(of: $0, workers) }, next)
    }

    /// How many jobs there are, and since when the oldest of those that are next waits: a new priority may make another one the next.
    var counts: JobCounts {
        var counts = totals.counts
        counts.oldestWaiting = scheduler.oldestAcceptance
        return counts
    }

    /// Waiting jobs of loaders that nobody offers, as `LoaderWaits` lists them. Asked here, where the scheduler is read in place: taking it
    /// out of the state would make the next change copy its tables.
    var unoffered: (listed: [LoaderCount], others: UInt64) { scheduler.unoffered { loaderNames[$0] } }

    /// How often it has changed which jobs have failed how, and how many wait for which loader that nobody offers.
    var detailsVersion: UInt64 { ended.failureCounts.version &+ scheduler.waits.version }

    /// Whole jobs as they are now.
    /// - Parameter holder: The worker that holds a job; none: nobody does.
    func entries(of ids: [UInt64], holder: (JobRecord) -> WorkerID = { _ in .none }) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        var stored = JournalEntry.StoredJobs()
        var names: [UInt32: UInt32] = [:]
        var terms: [UInt32: UInt32] = [:]
        for id in ids {
            let record = slab[id]
            if let job = keyLines[id]?.job { entries.append(.feedJobAccepted(job)) }
            if names[record.loader] == nil {
                names[record.loader] = UInt32(stored.loaders.count)
                stored.loaders.append(loader(of: record))
            }
            if terms[record.terms] == nil {
                terms[record.terms] = UInt32(stored.terms.count)
                stored.terms.append(self.terms(of: record))
            }
            stored.termIndexes.append(terms[record.terms] ?? 0)
            store(record, loader: names[record.loader] ?? 0, holder: holder(record), in: &stored)
        }
        return entries + [.jobsStored(stored)]
    }

    /// How many of these jobs go into one slice: those up to the one that brings it to `byteLimit`.
    private func fittingCount(of ids: [UInt64], within byteLimit: Int) -> Int {
        var byteCount = 0
        var terms: Set<UInt32> = []
        for (index, id) in ids.enumerated() {
            if index > 0, byteCount >= byteLimit { return index }
            if terms.insert(slab[id].terms).inserted { byteCount += self.terms(of: slab[id]).options.byteCount }
            byteCount += RoughSize.record + (slab[id].state.isFinal ? endedByteCount(of: id) : queuedByteCount(of: id))
        }
        return ids.count
    }

    private func store(_ record: JobRecord, loader: UInt32, holder: WorkerID, in stored: inout JournalEntry.StoredJobs) {
        let index = UInt32(stored.jobs.count)
        stored.jobs.append(record.id)
        stored.sessions.append(record.session)
        stored.ranks.append(record.rank.milliseconds)
        stored.acceptedAt.append(record.acceptedAt.milliseconds)
        stored.changedAt.append(record.changedAt.milliseconds)
        stored.leases.append(record.lease)
        stored.workers.append(holder.rawValue)
        stored.states.append(record.state)
        stored.crashCounts.append(record.crashCount)
        stored.flags.append(record.flags.stored)
        stored.attempts.append(record.attempts)
        stored.loaderIndexes.append(loader)
        stored.arguments.append(arena[record.argument])
        stored.results.append(arena[record.result])
        if let due = record.due { stored.dues.append(Indexed(index: index, value: due)) }
        if let length = deadline(of: record.id) { stored.deadlines.append(Indexed(index: index, value: length.milliseconds)) }
        if record.snoozeCount > 0 {
            stored.snoozes.append(Indexed(index: index, value: SnoozeCount(record.snoozeCount, goesOn: record.isSnoozed)))
        }
        if let known = runs[record.id] { stored.runs.append(Indexed(index: index, value: known)) }
        if let written = runs.log(of: record.id) { stored.logs.append(Indexed(index: index, value: written)) }
        if let key = keys.key(of: record.id) { stored.uniqueKeys.append(Indexed(index: index, value: key)) }
        if let failure = failure(of: record.id) { stored.failures.append(Indexed(index: index, value: failure)) }
        if let receipt = cancels[record.id] {
            let lasting = record.state.isFinal ? receipt : CancelReceipt(durablePartOf: receipt)
            stored.cancels.append(Indexed(index: index, value: lasting))
        }
    }

    private func holder(of record: JobRecord, _ workers: WorkerSessions) -> WorkerID {
        record.standing.isHeld ? workers[Int(record.worker)]?.id ?? .none : .none
    }
}

extension JobLifecycle {
    /// The next jobs that go into a bundle: the oldest of a kind in memory, so many or so many bytes of them.
    /// - Returns: what is known of them afterwards, and all that there is to know; nil: there are none.
    func nextBundle(of kind: EndedKind, jobLimit: Int, byteLimit: Int) -> (bundled: JournalEntry.EndedBundled, entries: [JournalEntry])? {
        var bundled = JournalEntry.EndedBundled(ended.bundled.next, kind)
        var failures = FailureCounts()
        var id = ended.line(of: kind).first
        while id != 0, bundled.jobs.count < jobLimit, bundled.byteCount < UInt64(byteLimit) {
            let record = slab[id]
            bundled.jobs.append(id)
            bundled.byteCount += UInt64(endedByteCount(of: id))
            bundled.endedAt = max(bundled.endedAt, record.changedAt)
            if kind == .failed { failures.add(ended.failureCode(of: id, in: slab)) }
            id = record.next
        }
        guard !bundled.jobs.isEmpty else { return nil }
        // By number, as a job is found in a bundle by halving; they stand in line in the order in which they ended.
        bundled.jobs.sort()
        bundled.states = bundled.jobs.map { slab[$0].state }
        bundled.failures = failures.all
        return (bundled, entries(of: bundled.jobs))
    }
}

/// What no front has handed out: an entry of an earlier epoch that says so is damaged. The table of records has room for every job between the oldest
/// that is there and the newest, so one such entry would fill the memory.
extension JobLifecycle {
    /// Why no entry can add jobs of these ids; nil: it can.
    func fault(ofJobs ids: ClosedRange<UInt64>) -> String? {
        guard ids.lowerBound != 0 else { return "it adds a job 0, and the first is 1" }
        if let fault = fault(ofPassed: ids.upperBound) { return fault }
        let next = max(numbers.nextJob, numbers.reservedJobs, ids.upperBound)
        return fault(oldest: min(ids.lowerBound, slab.lowest ?? ids.lowerBound), next: next)
    }

    /// Why that id cannot have been handed out by then; nil: it can.
    func fault(ofPassed id: UInt64) -> String? {
        let next = max(numbers.nextJob, numbers.reservedJobs)
        guard id <= next || id - next <= JournalBounds.jobStep else { return "it names job \(id), and the next one was \(next)" }
        return fault(ofNext: id)
    }

    /// Why the next job cannot have that id; nil: it can.
    func fault(ofNext id: UInt64) -> String? { slab.lowest.flatMap { fault(oldest: $0, next: id) } }

    private func fault(oldest: UInt64, next: UInt64) -> String? {
        guard next > oldest, next - oldest > JournalBounds.jobSpan else { return nil }
        return "room is kept from job \(oldest) to job \(next), and no front keeps so much"
    }

    /// The oldest job that is there, if so many further ones would be too far from it: a journal that says so would be taken for damaged at last.
    /// What feeds load by themselves is not refused: there is far too little of it.
    func jobTooOld(for count: Int) -> UInt64? {
        guard let lowest = slab.lowest, numbers.nextJob + UInt64(count) > lowest + JournalBounds.servedJobSpan else { return nil }
        return slab.ids(from: lowest, chunkLimit: 1).ids.first
    }
}
