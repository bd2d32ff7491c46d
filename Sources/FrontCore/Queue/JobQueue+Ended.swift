//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension JobQueue {
    /// Ends a job for everybody: a waiting one at once, a running one as soon as its worker has stopped it.
    mutating func cancel(_ job: JobID, by requester: CancelRequester, in turn: inout FrontTurn) -> Reply {
        let id = job.rawValue
        guard turn.state.jobs.contains(id) else {
            return turn.state.jobs.state(of: id).map { .alreadyEnded(job, $0) } ?? .unknownJob(job)
        }
        let record = turn.state.jobs[id]
        switch record.state {
        case .succeeded, .failed, .cancelled, .expired, .quarantined: return .alreadyEnded(job, record.state)
        case .cancelling: return .cancelling(job)
        case .running:
            turn.record(.cancelRequested(JournalEntry.CancelRequested(job, by: requester.label, at: turn.now.wall)))
            if let worker = turn.state.workers[Int(record.worker)], worker.peer != .none {
                turn.emit(.sendToWorker(worker.peer, .cancel(leases: [record.lease])))
            }
            noteJob(id, ItemKey.job, in: &turn)
            if let feedJob = turn.state.jobs.keyLines[id]?.job {
                questionWaits(of: feedJob.key, in: &turn)
                clearProgress(id, of: feedJob.key, in: &turn)
                note(.stops, of: feedJob)
            }
            return .cancelling(job)
        case .waiting, .scheduled:
            cancelWaiting([id], by: requester, in: &turn)
            return .cancelling(job)
        }
    }

    /// Ends jobs that no worker holds. Each has an entry that says who asked, and when; their ends make one together.
    mutating func cancelWaiting(_ jobs: [UInt64], by requester: CancelRequester, in turn: inout FrontTurn) {
        for id in jobs {
            turn.record(.cancelRequested(JournalEntry.CancelRequested(JobID(id), by: requester.label, at: turn.now.wall)))
        }
        end(jobs.map { UnreportedEnd(job: $0, state: .cancelled) }, in: &turn)
    }

    /// Ends jobs that no worker reports on.
    /// - Parameter lengthTime: What the clock of lengths shows, where that is why; 0: it is not.
    mutating func end(_ ends: [UnreportedEnd], lengthTime: LengthTime = .zero, in turn: inout FrontTurn) {
        guard !ends.isEmpty else { return }
        var ended = JournalEntry.EndedJobs(at: turn.now.wall)
        ended.lengthTime = lengthTime.milliseconds
        for end in ends { ended.append(end.job, end.state, failure: end.failure, crashCount: end.crashCount) }
        recordEnds(ended, in: &turn)
        noteOutcomes(ended, in: &turn)
        for end in ends { jobEnded(end.job, end.state, failure: end.failure, feedResult: nil, in: &turn) }
    }

    /// Everything that follows from a job's end, beside the entry and the outcome for its session.
    mutating func jobEnded(
        _ id: UInt64, _ outcome: JobState, failure: Failure?, feedResult: FeedResult?, in turn: inout FrontTurn
    ) {
        stops.forget(id)
        noteJob(id, ItemKey.job, in: &turn)
        views.unlist(id, in: &turn.context)
        guard turn.state.jobs[id].flags.contains(.isFeedJob), let feedJob = turn.state.jobs.keyLines[id]?.job else {
            return views.clearProgress(of: id, in: &turn.context)
        }
        // Another job of its key may be the first now.
        questionWaits(of: feedJob.key, in: &turn)
        clearProgress(id, of: feedJob.key, in: &turn)
        note(.ended(outcome, failure, feedResult), of: feedJob)
    }

    /// A job that ran in bulk has ended: it stood in no list.
    mutating func noteBulkEnd(of id: UInt64, in turn: inout FrontTurn) {
        stops.forget(id)
        views.clearProgress(of: id, in: &turn.context)
        noteJob(id, ItemKey.job, in: &turn)
    }

    /// Jobs wait again: what is known of their run goes.
    mutating func noteWaiting(_ jobs: [UInt64], in turn: inout FrontTurn) {
        // The time of one may be over by now.
        if !turn.state.jobs.ending.isEmpty { awaitDue(in: &turn) }
        for id in jobs {
            stops.forget(id)
            views.unlist(id, in: &turn.context)
            noteJob(id, ItemKey.job, in: &turn)
            guard let job = turn.state.jobs.keyLines[id]?.job else {
                views.clearProgress(of: id, in: &turn.context)
                continue
            }
            questionWaits(of: job.key, in: &turn)
            clearProgress(id, of: job.key, in: &turn)
            note(.waits, of: job)
        }
    }

    /// A feed's progress item goes in the change that carries the outcome.
    private mutating func clearProgress(_ id: UInt64, of key: FeedKey, in turn: inout FrontTurn) {
        if views.progress(of: id) != nil { turn.emit(.changed(.feed(key), key: ItemKey.progress)) }
        views.clearProgress(of: id, in: &turn.context)
    }

    /// Notifies observers of a job that one of its items has changed, and those of the job that waits behind it: that tells what it waits for.
    mutating func noteJob(_ id: UInt64, _ key: String, in turn: inout FrontTurn) {
        views.note(id, key, in: &turn.context)
        if let next = turn.state.jobs.keys.follower(behind: id) { views.note(next, ItemKey.job, in: &turn.context) }
    }
}

/// A job that ends without a report of its worker, how, and why.
struct UnreportedEnd {
    let job: UInt64
    let state: JobState
    /// Crashes of workers that count against it, where this end counts one; nil: none is counted.
    var crashCount: UInt8?
    var failure: Failure?
}

extension JobQueue {
    /// Forgets ended jobs that are too old, so many at most; the rest goes in the next turn.
    mutating func forgetAgedJobs(in turn: inout FrontTurn) {
        questions.askEnded()
        let time = ageClock.time(at: turn.now.wall)
        var left = turn.settings.bounds.forgottenJobs
        while left > 0 {
            guard let aged = turn.state.jobs.ended.firstAged(turn.settings.bounds, in: turn.state.jobs.slab), aged.at <= time else {
                return
            }
            left -= forget(aged.oldest, in: &turn)
        }
    }

    /// Ended jobs are forgotten that are too many or too large together; those that are left are looked at when the oldest is too old.
    ///
    /// As many go as have ended since, so that there are never more than before, and some more: one large result may be worth thousands. The rest
    /// goes in the next turns. A restart finds it again, for the state itself says what is beyond the bounds: no entry is needed for that.
    mutating func trimEnded(in turn: inout FrontTurn) {
        var left = turn.settings.bounds.forgottenJobs + questions.endedSince(turn.state.jobs.endedCount)
        defer { questions.answerEnded(turn.state.jobs.endedCount) }
        while left > 0, let oldest = turn.state.jobs.ended.firstBeyond(turn.settings.bounds, in: turn.state.jobs.slab) {
            left -= forget(oldest, in: &turn)
        }
        if turn.state.jobs.ended.firstBeyond(turn.settings.bounds, in: turn.state.jobs.slab) != nil {
            return turn.check(.endedJobs, at: turn.now.wall)
        }
        guard let aged = turn.state.jobs.ended.firstAged(turn.settings.bounds, in: turn.state.jobs.slab) else { return }
        turn.check(.endedJobs, at: ageClock.wallTime(of: aged.at))
    }

    /// A row of the log was applied at a restart: ended jobs that are too many or too large together go as they went when it was written, or a log
    /// that is longer than memory could not be read. Bundles went by entries, which follow.
    mutating func trimRestored(in turn: inout FrontTurn) {
        while case .job(let id)? = turn.state.jobs.ended.firstBeyond(turn.settings.bounds, in: turn.state.jobs.slab) {
            turn.state.jobs.forget(id)
        }
    }

    /// A bundle goes as a whole, by an entry: its reading has to fail from the same turn on at which nothing knows it any more.
    /// - Returns: how many jobs went. What a bundle has on the disk goes with the turn's row, so that each of its jobs counts.
    private mutating func forget(_ oldest: EndedJobs.Oldest, in turn: inout FrontTurn) -> Int {
        var count = 1
        defer { turn.step(count) }
        switch oldest {
        case .job(let id):
            // While it is known who has it: nobody could repeat the job, and its key would be taken for ever.
            freeKey(ofForgotten: id, in: &turn)
            turn.state.jobs.forget(id)
            if views.observed.contains(id) { turn.emit(.changed(.job(JobID(id)), key: ItemKey.job)) }
        case .bundle(let number):
            count = max(1, turn.state.jobs.bundle(number)?.jobs.count ?? 1)
            turn.record(.bundlesForgotten(JournalEntry.BundlesForgotten([number])))
            // The entry alone frees nothing on the disk.
            turn.emit(.forgetBundle(number))
            for id in readings.forget(number) { turn.emit(.changed(.job(JobID(id)), key: ItemKey.job)) }
        }
        return count
    }
}

extension JournalEntry.EndedJobs {
    /// Adds a job that ended without a result.
    mutating func append(_ id: UInt64, _ state: JobState, failure: Failure? = nil, crashCount: UInt8? = nil) {
        if let crashCount { crashCounts.append(Indexed(index: UInt32(jobs.count), value: crashCount)) }
        if let failure { failures.append(Indexed(index: UInt32(jobs.count), value: failure)) }
        jobs.append(id)
        states.append(state)
        results.appendEmpty()
    }
}

// Jobs that end by the time: those that never started in time, and those that have had all the time that they may take; and runs whose time is over.
extension JobQueue {
    /// Ends jobs that wait and whose time is over, before any is granted: what has expired does not start.
    ///
    /// So many in one turn, as of jobs that become due: each is an outcome for its session and a change for who observes it. The rest ends in the
    /// next turns, and until then none is granted. On a full disk the room that is left belongs to what runs: they end when there is some.
    /// - Returns: whether there is no further one.
    mutating func endLate(in turn: inout FrontTurn) -> Bool {
        guard !turn.state.jobs.ending.isEmpty else { return true }
        guard !turn.context.storageIsFull else { return false }
        let expired = turn.state.jobs.ending.expired(by: turn.now.wall, limit: Self.dueAtOnce)
        let late = turn.state.jobs.ending.late(by: lengthTime(in: turn), limit: Self.dueAtOnce - expired.count)
        guard !expired.isEmpty || !late.isEmpty else { return true }
        turn.step(expired.count + late.count)
        // A job may be both, and has one end: it never started, so it has expired.
        let known = Set(late.isEmpty ? [] : expired)
        let ends = expired.map { UnreportedEnd(job: $0, state: .expired) }
        let lateEnds = late.filter { !known.contains($0) }.map { endOfLate($0, in: turn) }
        end(ends + lateEnds, lengthTime: lateEnds.isEmpty ? .zero : lengthTime(in: turn), in: &turn)
        awaitDue(in: &turn)
        let ending = turn.state.jobs.ending
        return ending.nextExpiry.map { $0 > turn.now.wall } ?? true && ending.nextDeadline.map { $0 > lengthTime(in: turn) } ?? true
    }

    /// How a job ends that waits when it has had its total time: for good.
    private func endOfLate(_ id: UInt64, in turn: FrontTurn) -> UnreportedEnd {
        let record = turn.state.jobs[id]
        let total = turn.state.jobs.terms.ending(of: Int(record.terms))?.totalTimeout ?? .zero
        var text = "job \(id) was not done within its total time-out of \(total.line): give it more time, or more workers"
        if let last = turn.state.jobs.lastFailures[id]?.text, !last.isEmpty { text += "; its last attempt: \(last)" }
        text = text.cut(to: MessageBounds.textByteCount)
        let failure = Failure(id: FailureID(id), code: .timedOut, text: text, attempts: record.attempts)
        return UnreportedEnd(job: id, state: .failed, failure: failure)
    }

    /// How a job goes on whose loader asked to be run again after so long; nil: it cannot be.
    func snoozed(_ id: UInt64, for pause: Duration?, in turn: FrontTurn) -> JournalEntry.EndedAttempt? {
        let record = turn.state.jobs[id]
        guard let pause, !record.flags.contains(.isFeedJob) else { return nil }
        return JournalEntry.EndedAttempt(
            job: JobID(id), attempts: record.attempts - min(record.attempts, 1), crashCount: record.crashCount, isSuspected: false,
            notBefore: max(1, lengthTime(in: turn).advanced(by: min(pause, SnoozeCount.longest)).milliseconds),
            snoozeCount: record.snoozeCount == .max ? .max : record.snoozeCount + 1)
    }

    /// A worker has come a step further in stopping a run whose time is over. No entry says so: after a restart the worker reports it again.
    mutating func noteStop(of id: UInt64, _ step: WorkerMessage.CancelStep, in turn: FrontTurn) {
        stops.note(step, of: id, at: turn.now.wall)
    }

    /// Whether a job's time is what stops its run: a client may have the label that people read then.
    func isStoppedByTime(_ id: UInt64, in turn: FrontTurn) -> Bool { stops[id] != nil && turn.state.jobs.cancels[id] == nil }

    /// What becomes of a run whose worker was lost though its time was over: it failed as it would have, had it stopped; nil: it was not over, or
    /// nobody knows what it has done.
    func endOfStopped(_ id: UInt64, _ repeatable: Repeatable, in turn: FrontTurn) -> Failure? {
        guard stops[id] != nil, repeatable == .yes, turn.state.jobs[id].state == .running else { return nil }
        let text = "the time of job \(id) was over and its work did not stop, so its worker ended: let its loader heed its cancel"
        return Failure(id: FailureID(id), code: .timedOut, text: text, retryable: true, attempts: turn.state.jobs[id].attempts)
    }
}

/// How far workers have come in stopping runs whose time is over, by job. Of this epoch only.
struct StoppedRuns {
    private var receipts: [UInt64: CancelReceipt] = [:]

    /// Whether there is none.
    var isEmpty: Bool { receipts.isEmpty }

    /// How far a run has come; nil: its time is not over.
    subscript(id: UInt64) -> CancelReceipt? {
        // Every job that is shown asks for it, and nearly always there is none.
        isEmpty ? nil : receipts[id]
    }

    /// A worker has come a step further. One that was not asked for by the time is none of these, whatever comes behind it.
    mutating func note(_ step: WorkerMessage.CancelStep, of id: UInt64, at time: WallTime) {
        if step == .timedOut, receipts[id] == nil {
            receipts[id] = CancelReceipt(requestedBy: CancelReceipt.timeOut, requestedAt: time)
        }
        receipts[id]?.note(step, at: time)
    }

    /// A run has ended, or its job waits again.
    mutating func forget(_ id: UInt64) {
        // Every job that ends or waits again comes here.
        if !isEmpty { receipts[id] = nil }
    }
}

extension CancelReceipt {
    /// A worker has come a step further; each is noted once.
    mutating func note(_ step: WorkerMessage.CancelStep, at time: WallTime) {
        deliveredAt = deliveredAt ?? time
        switch step {
        case .delivered: break
        case .stopping, .timedOut: stoppingAt = stoppingAt ?? time
        case .killed: killedAt = killedAt ?? time
        case .ending: endingAt = endingAt ?? time
        }
    }
}
