//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// All jobs that are known, and the only place that moves one: from acceptance through its line and a worker's hand to its end.
///
/// Entries move jobs, while serving and at restart alike; each says what results, and what it says of a job that is not there, or not where it
/// could be moved from, changes nothing. See `JobStanding` for where a job can be.
struct JobLifecycle: EntryState {
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

// MARK: Moves

extension JobLifecycle {
    /// Gives jobs to a worker; nil: one that is not known, so only their leases end.
    mutating func grant(_ granted: JournalEntry.GrantedJobs, to worker: Int?, turn: EntryTurn) {
        numbers.notePassed(lease: granted.leases.max() ?? 0, turn)
        // A worker that reregisters goes on with the run that began then: what it has made may be as old.
        let (again, grantedAt) = (granted.isReregistration, granted.isReregistration ? nil : granted.at)
        guard let worker else { return granted.jobs.forEach { keys.start($0, turn) } }
        for (id, lease) in zip(granted.jobs, granted.leases) {
            let refusal = refusal(of: id, turn, if: { $0.isGrantable(again: again) }, else: .notInLine)
            if refusal?.isElsewhere ?? true { keys.start(id, turn) }
            guard refusal == nil else { continue }
            let isCancelling = records.slab[id].standing == .cancelling
            detach(id, turn)
            hold(id, worker: worker, lease: lease, state: isCancelling ? .cancelling : .running, grantedAt: grantedAt)
        }
    }

    /// Notes a cancel: a running job stops, a waiting one has its end in the next entry.
    mutating func apply(_ cancel: JournalEntry.CancelRequested, _ turn: EntryTurn) {
        let id = cancel.job.rawValue
        guard mayMove(id, turn, if: { $0 != .cancelling }, else: .cancelling) else { return }
        if records.slab[id].standing == .running {
            totals.count(.running, -1)
            totals.count(.cancelling, 1)
            records.slab[id].cancel()
        }
        cancels[id] = CancelReceipt(requestedBy: cancel.by, requestedAt: cancel.at)
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
        let length = LengthTime(milliseconds: ended.lengthTime)
        numbers.noteLengthTime(length, turn)
        var heirs: [UInt64] = []
        var (failures, lastRuns) = (RareValues(ended.failures), RareValues(ended.runs))
        var (results, crashCounts) = (EndedResults(ended.results.bytes), RareValues(ended.crashCounts))
        for (index, range) in ended.results.ranges.enumerated() {
            let (id, state) = (ended.jobs[index], ended.states[index])
            let refusal = refusal(of: id, turn, if: { $0.canEnd(as: state) }, else: .noSuchEnd)
            let isTrue = refusal?.isElsewhere ?? true
            if isTrue { totals.countEnd(state, turn) }
            // An end that is refused frees no key: the job goes on, and nobody else may do its work.
            if isTrue, let heir = keys.end(id, as: state, at: length, turn) { heirs.append(heir) }
            guard refusal == nil else { continue }
            if let count = crashCounts.take(index) { records.slab[id].countCrashes(count) }
            detach(id, turn)
            places.leaveLimits(id, in: records)
            queuedByteCount -= queuedByteCount(of: id)
            let failure = failures.take(index)
            runs.end(id, lastRuns.take(index), failure)
            records.end(id, as: state, with: range, of: &results, at: ended.at)
            if records.slab[id].flags.contains(.isFeedJob) { unblock(keyLines.end(id)) }
            if cancels[id] != nil { cancels[id]?.stoppedAt = ended.at }
            if let failure { self.ended.noteFailure(failure, of: id) }
            self.ended.append(id, state, operation(of: id), in: &records.slab)
            if state == .quarantined { totals.countQuarantined(1) }
            noteEnded(id)
        }
        for id in heirs { unblock(id) }
    }

    /// Why an entry of that turn does not move a job: it is not there, has ended, a checkpoint with the entry's effect has stored it, or it stands where no
    /// such entry finds one. That is counted.
    mutating func refusal(
        of id: UInt64, _ turn: EntryTurn, if isRight: (JobStanding) -> Bool, else wrong: JobRefusal
    ) -> JobRefusal? {
        let reason = records.refusal(of: id, turn) ?? (isRight(records.slab[id].standing) ? nil : wrong)
        if let reason { refusals[reason, default: 0] += 1 }
        return reason
    }

    /// Counts in what an ended job takes. Only a save that failed can be asked to be repeated: of others the item goes.
    private mutating func noteEnded(_ id: UInt64) {
        if records.slab[id].endedKind != .failed, records.slab[id].flags.contains(.isFeedJob) { keyLines.dropItem(of: id) }
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
    mutating func lineUp(_ id: UInt64, rank: Rank? = nil, _ turn: EntryTurn) {
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
        places.lineUp(id, in: &records)
    }

    // MARK: The gates: who changes what entries say has the turn of one

    /// Changes the records of jobs, and where they stand.
    @inline(__always)
    mutating func change<Answer>(_ turn: EntryTurn, _ step: (inout JobPlaces, inout JobRecords) -> Answer) -> Answer {
        step(&places, &records)
    }

    /// Changes which job has which unique key.
    mutating func key<Answer>(_ turn: EntryTurn, _ change: (inout UniqueKeys, EntryTurn) -> Answer) -> Answer { change(&keys, turn) }

    /// Changes what feeds' jobs do, and which of them wait for each other.
    mutating func line<Answer>(_ turn: EntryTurn, _ change: (inout KeyLines) -> Answer) -> Answer { change(&keyLines) }

    /// Changes which ids are next, and clocks. Steps that entries say take the turn; to hand ids out takes none: they are durable by entries alone.
    mutating func number<Answer>(_ change: (inout JobNumbers) -> Answer) -> Answer { change(&numbers) }

    /// Jobs that were not there wait from now on, in that state, and carry so many bytes.
    mutating func countAccepted(_ state: JobState, _ count: Int, byteCount: Int, _ turn: EntryTurn) {
        totals.count(state, count)
        queuedByteCount += byteCount
    }

    /// Counts attempts in that have ended without an outcome.
    mutating func count(_ attempts: Int, _ cause: AttemptEndCause, _ turn: EntryTurn) { totals.count(attempts, cause, turn) }

    /// An ended job was repeated.
    mutating func noteRepeat(of job: UInt64, by repeating: UInt64, _ turn: EntryTurn) { repeats.note(job, by: repeating) }

    // MARK: Checkpoints and forgetting

    /// Takes totals over that a checkpoint stored.
    mutating func restore(_ stored: JournalEntry.CountsStored, turn: EntryTurn) {
        totals.restore(stored.counts, turn)
        numbers.restore(stored, turn)
        // Limits go by it from there on, as they did when it was stored: what its further slices bring may be later than entries behind them.
        let began = LengthTime(milliseconds: numbers.lengths.level)
        change(turn) { places, _ in places.limit { $0.noteEntryTime(began) } }
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
        if !keyLines.isEmpty { keyLines.note(id, isAlive: !state.isFinal) }
        if let due, !state.isFinal {
            schedule(id, due, turn)
        } else if state.isFinal {
            unblock(keyLines.end(id))
            ended.append(id, state, operation(of: id), in: &records.slab)
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
        ended.remove(id, byteCount: endedByteCount(of: id), operation(of: id), in: &records.slab)
        if !cancels.isEmpty { cancels[id] = nil }
        runs.remove(id)
        keyLines.forget(id)
        keys.drop(id)
        records.remove(id)
    }
}

// MARK: What no entry carries

extension JobLifecycle {
    /// Changes that: what this epoch alone knows of jobs, of where they stand, and what is kept for later questions.
    private mutating func note<Answer>(_ step: (inout JobPlaces, inout JobRecords) -> Answer) -> Answer { step(&places, &records) }

    /// Changes that of limits. What entries say of them takes the turn of one: see `change`.
    mutating func limit<Answer>(_ step: (inout LimitTable) -> Answer) -> Answer { places.limit(step) }

    /// Asks which job is next, or for what the scheduler notes that it was asked for.
    private mutating func ask<Answer>(_ question: (inout Scheduler, JobSlab) -> Answer) -> Answer {
        let slab = records.slab
        return places.ask { question(&$0, slab) }
    }

    /// Ends a change of lines and hands, so that the next question for a job sees all of it.
    mutating func flush() { places.flush(in: records.slab) }

    // As in `Scheduler`.

    mutating func nextSuspect(at now: MonotonicTime) -> (job: UInt64, worker: Int)? { ask { $0.nextSuspect(at: now, in: $1) } }
    mutating func next(into jobs: inout [UInt64]) -> Int? { ask { $0.next(into: &jobs, in: $1) } }
    mutating func nextIdle(at now: MonotonicTime) -> (job: UInt64, worker: Int)? { ask { $0.nextIdle(at: now, in: $1) } }
    mutating func takeLongRuns(at now: MonotonicTime) -> [Int] { ask { scheduler, _ in scheduler.takeLongRuns(at: now) } }
    mutating func takeUnfinishedLimits() -> Bool { ask { scheduler, _ in scheduler.limits.takeUnfinished() } }
    mutating func takeChangedOffers() -> [Int] { ask { scheduler, _ in scheduler.takeChangedOffers() } }
    mutating func takeLooks(by unit: Int) -> Int { ask { scheduler, _ in scheduler.takeLooks(by: unit) } }

    /// How many jobs stand before one that waits in its lane.
    mutating func countBefore(_ id: UInt64) -> Int { ask { [lane = records.lane(of: id)] in $0.countBefore(id, lane, in: $1) } }

    /// How many jobs stand before one at the limit that it waits for; nil: its lane does not wait there.
    mutating func countParked(before id: UInt64) -> Int? {
        ask { [lane = records.lane(of: id)] in $0.countParked(before: id, lane, in: $1) }
    }

    /// A worker has come a step further with a cancel. No entry says so, and no checkpoint of a job that goes on: after a restart the
    /// worker gets the cancel again, and reports its step again.
    mutating func noteCancel(of id: UInt64, _ step: WorkerMessage.CancelStep, at time: WallTime) {
        cancels[id]?.note(step, at: time)
        if step != .delivered { records.slab[id].noteStopping() }
    }

    /// What a feed's job was granted with. No entry says so, as it would be as large as the grant, and no checkpoint: after a restart an order
    /// or a detail that such a run brings is made once more.
    mutating func noteWork(_ work: FeedWork, _ version: ContentVersion, of id: UInt64) { keyLines.noteWork(work, version, of: id) }

    /// Whether jobs may wait for a worker, and be given to it.
    mutating func noteReadiness(of worker: Int, _ readiness: WorkerReadiness) {
        note { places, _ in places.noteReadiness(of: worker, readiness) }
    }

    /// The only job of a worker has been alone there for long enough. That lasts as long as it is held.
    mutating func letNeighbors(into worker: Int) {
        let held = held(by: worker)
        guard held.count == 1 else { return }
        note { places, records in
            records.slab[held.first].letNeighbors()
            places.touch(worker)
        }
        flush()
    }

    /// A worker has listed the lease of a job that it holds, or has said something under it: the grant was read.
    mutating func noteSeen(_ id: UInt64) {
        let record = slab[id]
        if record.missed != 0 || !record.flags.contains(.isSeen) { note { _, records in records.slab[id].noteSeen() } }
    }

    /// A renewal did not list the lease of a job.
    /// - Returns: how many in a row did not.
    mutating func noteMissed(_ id: UInt64) -> UInt8 { note { _, records in records.slab[id].noteMissed() } }

    /// The grant of a job is sent again: renewals are counted anew.
    mutating func forgetMissed(_ id: UInt64) { note { _, records in records.slab[id].forgetMissed() } }

    /// What clients weigh, by name.
    mutating func weigh(_ clients: [String: UInt32]) { note { _, records in records.terms.weigh(clients) } }

    /// Moves blobs of as many jobs together as have given one back since, within bounds: memory is free again as fast as jobs leave it.
    /// - Returns: what it has cost in steps.
    mutating func compact() -> Int { records.compactBlobs() }
}
