//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// All jobs that are known, and the only place that moves one: from acceptance through its line and a worker's hand to its end.
///
/// Entries move jobs, while serving and at restart alike; each says what results, and what it says of a job that is not there, or not where it
/// could be moved from, changes nothing. See `JobStanding` for where a job can be.
struct JobLifecycle: EntryMachine {
    private(set) var records = JobRecords()
    /// Where those stand that have not ended.
    private(set) var places = JobPlaces()
    /// What feeds' jobs do, and which of them wait for each other.
    private(set) var keyLines = KeyLines()
    /// Those that have ended.
    private(set) var ended = EndedJobs()
    /// Of running jobs and of those in memory that have ended: each is a label and some times, and both kinds are bounded.
    private(set) var cancels: [UInt64: CancelReceipt] = [:]
    /// How runs of jobs ended.
    private(set) var runs = RunTable()
    private(set) var (totals, numbers) = (JobTotals(), JobNumbers())
    /// Keys that one job of a loader at a time has.
    private(set) var keys = UniqueKeys()
    /// Which of those that have ended were repeated.
    private(set) var repeats = RepeatedJobs()
    /// Bytes that jobs carry which have not ended.
    private(set) var queuedByteCount = 0
    /// How often an entry moved no job, by why. Of this epoch only.
    private(set) var refusals: [JobRefusal: UInt64] = [:]
}

// MARK: Acceptance

extension JobLifecycle {
    /// Adds submitted jobs to their lane.
    mutating func accept(_ accepted: JournalEntry.AcceptedJobs, from asker: JobTerms.Asker, turn: EntryTurn) {
        // One use more than there are jobs, until they are in; so below.
        let loader = records.loaderNames.addJob(accepted.loader)
        numbers.noteNext(job: accepted.first.rawValue + UInt64(accepted.arguments.count), turn)
        numbers.noteRankTime(accepted.rankTime, turn)
        numbers.noteLengthTime(accepted.lengthTime, turn)
        var (inserted, scheduled) = (0, 0)
        let arguments = accepted.arguments.bytes
        let run = records.arena.storeAll(arguments)
        var ranges = accepted.arguments.ranges
        for (options, rows) in accepted.options.runs(of: accepted.arguments.count) {
            let before = inserted
            let terms = records.addTerms(JobTerms(asker, options: options.shared))
            let due = accepted.due(options.firstStart)
            let rank = RankClock.rank(of: options, at: accepted.rankTime)
            let (hasKey, first) = (options.uniqueKey != nil, accepted.first.rawValue + UInt64(rows.lowerBound))
            let isBehind = hasKey && keys.accept(first, options, accepted, isNew: !records.slab.contains(first), turn)
            // What waits for a time counts there, and is to find its limits.
            if due != nil { places.enterLimits(of: terms, rows.count { !contains(first + UInt64($0 - rows.lowerBound)) }, in: records) }
            for row in rows {
                guard let range = ranges.next() else { break }
                let id = accepted.first.rawValue + UInt64(row)
                if !records.slab.contains(id) {
                    records.slab.insert(
                        JobRecord(
                            id: id, session: accepted.submitter.session.rawValue, rank: rank, acceptedAt: accepted.acceptedAt.milliseconds,
                            loader: UInt32(loader), terms: UInt32(terms), flags: accepted.reportsOutcomes ? .reportsOutcome : [],
                            argument: records.arena.take(range, of: arguments, at: run)))
                    if let due {
                        schedule(id, due, turn)
                        scheduled += 1
                    } else {
                        records.beginTotal(of: id, at: accepted.lengthTime)
                        if isBehind { places.block(id, in: &records) } else { places.lineUp(id, in: &records) }
                    }
                    queuedByteCount += range.count + records.terms.endingByteCount(of: terms)
                    if hasKey { queuedByteCount += keys.carriedByteCount(of: id) }
                    inserted += 1
                }
            }
            if due == nil, inserted > before { places.enterLimits(of: terms, inserted - before, in: records) }
            if let job = options.retryOf?.rawValue, state(of: job)?.isFinal == true { repeats.note(job, by: first) }
            records.terms.change(at: terms, by: inserted - before - 1)
        }
        totals.count(.waiting, inserted - scheduled)
        records.loaderNames.changeJobs(at: loader, by: inserted - 1)
    }

    /// Adds a feed's job: to the line of its key, and to its lane when nobody is before it.
    mutating func accept(_ job: JournalEntry.FeedJob, from asker: JobTerms.Asker, turn: EntryTurn) {
        let id = job.job.rawValue
        numbers.notePassed(job: id, turn)
        numbers.noteRankTime(RankClock.time(of: job.rank, job.options), turn)
        keyLines.note(job)
        guard !records.slab.contains(id) else { return }
        let loader = records.loaderNames.addJob(job.loader)
        let terms = records.addTerms(JobTerms(asker, options: job.options))
        records.slab.insert(
            JobRecord(
                id: id, session: job.submitter.session.rawValue, rank: job.rank, acceptedAt: job.acceptedAt.milliseconds,
                loader: UInt32(loader), terms: UInt32(terms), flags: .isFeedJob))
        totals.count(.waiting, 1)
        queuedByteCount += queuedByteCount(of: id)
        places.enterLimits(of: terms, in: records)
        if keyLines.enter(job) { places.lineUp(id, in: &records) }
    }

    // MARK: Moves

    /// Gives jobs to a worker; nil: one that is not known, so only their leases end.
    mutating func grant(_ granted: JournalEntry.GrantedJobs, to worker: Int?, turn: EntryTurn) {
        numbers.notePassed(lease: granted.leases.max() ?? 0, turn)
        keys.start(granted.jobs, turn)
        guard let worker else { return }
        for (id, lease) in zip(granted.jobs, granted.leases) where mayMove(id, turn) {
            let isCancelling = records.slab[id].standing == .cancelling
            detach(id, turn)
            // A worker that reregisters goes on with the run that began then: what it has made may be as old.
            let grantedAt = granted.isReregistration ? nil : granted.at
            hold(id, worker: worker, lease: lease, state: isCancelling ? .cancelling : .running, grantedAt: grantedAt)
        }
    }

    /// Notes a cancel: a running job stops, a waiting one has its end in the next entry.
    mutating func apply(_ cancel: JournalEntry.CancelRequested, _ turn: EntryTurn) {
        let id = cancel.job.rawValue
        guard mayMove(id, turn) else { return }
        switch records.slab[id].standing {
        case .blocked, .scheduled, .queued, .suspected, .ended: break
        case .running:
            totals.count(.running, -1)
            totals.count(.cancelling, 1)
            records.slab[id].cancel()
        case .cancelling: return refuse(.cancelling)
        }
        cancels[id] = CancelReceipt(requestedBy: cancel.by, requestedAt: cancel.at)
    }

    /// A waiting job is run in another way from now on, and stands where its new rank belongs.
    mutating func apply(_ change: JournalEntry.TermsChanged, _ turn: EntryTurn) {
        let id = change.job.rawValue
        guard mayMove(id, turn) else { return }
        let standing = records.slab[id].standing
        guard standing.waits else { return refuse(.notWaiting) }
        let isInLane = standing == .queued || standing == .suspected
        if isInLane { places.remove(id, in: &records) }
        recount(id, turn) {
            $0.records.changeTerms(change)
            $0.keyLines.noteTerms(change)
        }
        if isInLane { places.lineUp(id, in: &records) }
    }

    /// Changes what a job carries that nobody holds, and counts it with what it carries then.
    mutating func recount(_ id: UInt64, _ turn: EntryTurn, _ change: (inout JobLifecycle) -> Void) {
        queuedByteCount -= queuedByteCount(of: id)
        places.leaveLimits(id, in: records)
        change(&self)
        places.enterLimits(id, in: records)
        queuedByteCount += queuedByteCount(of: id)
    }

    /// Jobs have ended: they leave their lines, and are kept with their arguments and results.
    mutating func apply(_ ended: JournalEntry.EndedJobs, _ turn: EntryTurn) {
        numbers.noteLengthTime(ended.lengthTime, turn)
        let heirs = keys.end(ended, turn)
        var (failures, lastRuns) = (RareValues(ended.failures), RareValues(ended.runs))
        for entry in ended.crashCounts where mayMove(ended.jobs[Int(entry.index)], turn) {
            records.slab[ended.jobs[Int(entry.index)]].countCrashes(entry.value)
        }
        var results = EndedResults(ended.results.bytes)
        for (index, range) in ended.results.ranges.enumerated() {
            let id = ended.jobs[index]
            let state = ended.states[index]
            totals.countEnd(state, turn)
            guard mayMove(id, turn) else { continue }
            detach(id, turn)
            places.leaveLimits(id, in: records)
            queuedByteCount -= queuedByteCount(of: id)
            let failure = failures.take(index)
            runs.end(id, lastRuns.take(index), failure)
            records.end(id, as: state, with: range, of: &results, at: ended.at)
            if records.slab[id].flags.contains(.isFeedJob) { unblock(keyLines.leave(id)) }
            if cancels[id] != nil { cancels[id]?.stoppedAt = ended.at }
            if let failure { self.ended.noteFailure(failure, of: id) }
            self.ended.append(id, state, in: &records.slab)
            if state == .quarantined { totals.countQuarantined(1) }
            noteEnded(id)
        }
        for id in heirs { unblock(id) }
    }

    /// Whether an entry of that turn may move a job: it is there, has not ended, and no checkpoint with the entry's effect has stored it.
    mutating func mayMove(_ id: UInt64, _ turn: EntryTurn) -> Bool {
        if let reason = records.refusal(of: id, turn) { refuse(reason) } else { return true }
        return false
    }

    /// Counts why a job is not moved.
    mutating func refuse(_ reason: JobRefusal) { refusals[reason, default: 0] += 1 }

    /// Counts in what an ended job takes. Only a save that failed can be asked to be repeated: of others the item goes.
    private mutating func noteEnded(_ id: UInt64) {
        if !records.slab[id].flags.contains(.inFailedEnded), records.slab[id].flags.contains(.isFeedJob) { keyLines.dropItem(of: id) }
        ended.count(id, byteCount: endedByteCount(of: id), in: records.slab)
    }

    /// Puts a job that stands in no line into a worker's hand.
    private mutating func hold(_ id: UInt64, worker: Int, lease: UInt64, state: JobState, grantedAt: WallTime? = nil) {
        let isBulk = places.hold(id, by: worker, in: &records)
        records.slab[id].hold(by: worker, under: lease, state, isBulk: isBulk, grantedAt: grantedAt)
        totals.count(state, 1)
    }

    /// Takes a live job out of whatever line it stands in; it is then nowhere, uncounted, and in its old state until the caller moves it.
    mutating func detach(_ id: UInt64, _ turn: EntryTurn) {
        totals.count(records.slab[id].state, -1)
        places.remove(id, in: &records)
    }

    /// More is kept of the runs of jobs that have not ended: so many bytes.
    mutating func keep(_ turn: EntryTurn, _ change: (inout RunTable) -> Int) { queuedByteCount += change(&runs) }

    /// Puts a job that stands in no line where it waits.
    /// - Parameter rank: Its place there; nil: that which it had.
    mutating func lineUp(_ id: UInt64, rank: Int64? = nil, _ turn: EntryTurn) {
        records.slab[id].requeue()
        if let rank { records.slab[id].becomeDue(rank: rank) }
        totals.count(.waiting, 1)
        // Its next run begins with what holds then.
        if records.slab[id].flags.contains(.isFeedJob) { keyLines.noteWork(nil, of: id) }
        if keys.isBehind(id) { places.block(id, in: &records) } else { places.lineUp(id, in: &records) }
    }

    /// Puts a job that stands in no line among those that wait for their time.
    mutating func schedule(_ id: UInt64, _ due: JobDue, _ turn: EntryTurn) {
        records.slab[id].schedule()
        totals.count(.scheduled, 1)
        places.schedule(id, due, in: &records)
    }

    /// A job that has waited behind another one of its key may run now; nil: none has.
    private mutating func unblock(_ id: UInt64?) {
        guard let id, records.slab.contains(id), records.slab[id].standing == .blocked else { return }
        places.remove(id, in: &records)
        places.lineUp(id, in: &records)
    }

    // MARK: Workers

    /// Changes what no entry carries of jobs and of where they stand.
    mutating func note<Answer>(_ step: (inout JobPlaces, inout JobRecords) -> Answer) -> Answer { step(&places, &records) }

    /// Changes what workers offer, and what stands in their hands and lines.
    mutating func change(_ turn: EntryTurn, _ step: (inout JobPlaces, inout JobRecords) -> Void) { step(&places, &records) }

    /// A checkpoint has stored which ended jobs were repeated.
    mutating func apply(_ stored: JournalEntry.RepeatsStored, _ turn: EntryTurn) {
        for (job, repeating) in zip(stored.jobs, stored.by) { repeats.note(job, by: repeating) }
    }

    /// Changes which job has which unique key.
    mutating func key(_ turn: EntryTurn, _ change: (inout UniqueKeys, EntryTurn) -> Void) { change(&keys, turn) }

    /// Ends a change of lines and hands, so that the next question for a job sees all of it.
    mutating func flush() { places.flush(in: records.slab) }

    /// Asks which job is next, or for what the scheduler notes that it was asked for.
    mutating func ask<Answer>(_ question: (inout Scheduler, JobSlab) -> Answer) -> Answer {
        let slab = records.slab
        return places.ask { question(&$0, slab) }
    }

    // MARK: Notes that no entry carries

    /// A worker has come a step further with a cancel. No entry says so, and no checkpoint of a job that goes on: after a restart the
    /// worker gets the cancel again, and reports its step again.
    mutating func noteCancel(of id: UInt64, _ step: WorkerMessage.CancelStep, at time: WallTime) {
        cancels[id]?.note(step, at: time)
        if step != .delivered { records.slab[id].noteStopping() }
    }

    /// What a feed's job was granted with. No entry says so, as it would be as large as the grant, and no checkpoint: after a restart an order
    /// or a detail that such a run brings is made once more.
    mutating func noteWork(_ work: FeedWork, _ version: ContentVersion, of id: UInt64) { keyLines.noteWork(work, version, of: id) }

    /// Changes which ids are next, and what the clock of ranks shows at least.
    mutating func number<Answer>(_ change: (inout JobNumbers) -> Answer) -> Answer { change(&numbers) }

    /// Counts attempts in that have ended without an outcome.
    mutating func count(_ ended: JournalEntry.AttemptsEnded, _ turn: EntryTurn) { totals.count(ended, turn) }

    /// Moves blobs of as many jobs together as have given one back since, within bounds: memory is free again as fast as jobs leave it.
    /// - Returns: what it has cost in steps.
    mutating func compact() -> Int { records.compactBlobs() }

    // MARK: Checkpoints and forgetting

    /// Takes totals over that a checkpoint stored.
    mutating func restore(_ stored: JournalEntry.CountsStored, turn: EntryTurn) {
        totals.restore(stored.counts, turn)
        numbers.restore(stored, turn)
    }

    /// Takes jobs over that a checkpoint stored.
    /// - Parameter workers: The index of each worker that is known.
    mutating func restore(_ stored: JournalEntry.StoredJobs, workers: [WorkerID: Int], turn: EntryTurn) {
        let names = records.addNames(of: stored)
        defer { records.leaveNames(names) }
        numbers.note(stored, turn)
        let blobs = records.storeBlobs(of: stored)
        var (arguments, results) = (stored.arguments.ranges, stored.results.ranges)
        var (dues, snoozes) = (RareValues(stored.dues), RareValues(stored.snoozes))
        records.takeDeadlines(of: stored)
        for (index, id) in stored.jobs.enumerated() {
            let (argument, result) = (arguments.next() ?? 0..<0, results.next() ?? 0..<0)
            let state = stored.states[index]
            if contains(id) {
                detach(id, turn)
                if !records.slab[id].state.isFinal { places.leaveLimits(id, in: records) }
                queuedByteCount -= queuedByteCount(of: id)
                runs.remove(id, isLive: !records.slab[id].state.isFinal)
            }
            records.take(
                stored, at: index, state, argument: argument, result: result, in: blobs, names, turn: turn.stored ?? turn.number)
            records.slab[id].takeSnoozes(snoozes.take(index))
            if !state.isFinal { places.enterLimits(of: Int(records.slab[id].terms), in: records) }
            stand(
                id, state, due: dues.take(index), lease: stored.leases[index],
                worker: state == .waiting ? nil : workers[WorkerID(stored.workers[index])], turn)
        }
        runs.restore(stored)
        for entry in stored.failures where stored.states[Int(entry.index)].isFinal {
            ended.noteFailure(entry.value, of: stored.jobs[Int(entry.index)])
        }
        keys.restore(stored, turn)
        for id in stored.jobs where contains(id) {
            if records.slab[id].state.isFinal { noteEnded(id) } else { queuedByteCount += queuedByteCount(of: id) }
        }
        for entry in stored.cancels { cancels[stored.jobs[Int(entry.index)]] = entry.value }
    }

    /// Puts a stored job where it stands.
    private mutating func stand(_ id: UInt64, _ state: JobState, due: JobDue?, lease: UInt64, worker: Int?, _ turn: EntryTurn) {
        if let due, !state.isFinal {
            schedule(id, due, turn)
        } else if state.isFinal {
            unblock(keyLines.leave(id))
            ended.append(id, state, in: &records.slab)
            if state == .quarantined { totals.countQuarantined(1) }
        } else if let worker, state != .waiting {
            hold(id, worker: worker, lease: lease, state: state)
        } else if let job = keyLines.isEmpty ? nil : keyLines[id]?.job, let first = keyLines.first(ofLineOf: job), first.rawValue != id {
            records.slab[id].requeue()
            totals.count(.waiting, 1)
        } else {
            lineUp(id, turn)
        }
    }

    /// All that earlier epochs have left was read: workers hold their jobs in the order of the grants.
    mutating func begin() {
        for job in repeats.unknown(to: { state(of: $0) != nil }) { repeats.forget(job) }
        places.sortHoldings(in: &records.slab)
        places.limit { $0.begin(from: numbers.nextLease) }
    }

    /// Ended jobs are in a bundle from now on.
    mutating func apply(_ bundled: JournalEntry.EndedBundled, _ turn: EntryTurn) {
        let unknown = zip(bundled.jobs, bundled.states).count { $1 == .quarantined && !contains($0) }
        for id in bundled.jobs where contains(id) && records.slab[id].state.isFinal { drop(id) }
        if ended.add(bundled) { totals.countQuarantined(unknown) }
    }

    /// Bundles are forgotten.
    mutating func apply(_ forgotten: JournalEntry.BundlesForgotten, _ turn: EntryTurn) {
        for number in forgotten.bundles {
            guard let bundle = ended.remove(number) else { continue }
            for state in bundle.states { totals.forget(state) }
            for job in bundle.jobs { repeats.forget(job) }
            keys.forget(bundle.jobs, turn)
        }
    }

    /// Forgets a job that has ended. No entry says so, for each ended job would have one more: how many are kept, and for how long, is a setting,
    /// so a restart forgets by its own what is beyond it, see `JobQueue.trimRestored`.
    mutating func forget(_ id: UInt64) {
        totals.forget(records.slab[id].state)
        repeats.forget(id)
        drop(id)
    }

    /// An ended job leaves memory.
    private mutating func drop(_ id: UInt64) {
        ended.remove(id, byteCount: endedByteCount(of: id), in: &records.slab)
        if !cancels.isEmpty { cancels[id] = nil }
        runs.remove(id)
        keyLines.forget(id)
        keys.drop(id)
        records.remove(id)
    }
}
