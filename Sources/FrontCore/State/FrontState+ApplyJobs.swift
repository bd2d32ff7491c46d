//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontState {
    /// Adds submitted jobs to their lane and keeps the reply.
    mutating func accept(_ accepted: Fact.AcceptedJobs, turn: EntryTurn) {
        let submit = accepted.submit
        // One use more than there are jobs, until they are in.
        let loader = loaderNames.addJob(submit.loader)
        nextJob = max(nextJob, accepted.first.rawValue + UInt64(submit.arguments.count))
        lastRankTime = max(lastRankTime, accepted.rankTime)
        sessions.apply(Fact.ReplyKept(accepted.session, accepted.keptReply), turn)
        sessions.noteMark(submit.lowestUnanswered, of: accepted.session)
        let client = sessions.label(accepted.session)
        var record = JobRecord()
        record.session = accepted.session.rawValue
        record.acceptedAt = accepted.acceptedAt.milliseconds
        record.loader = UInt32(loader)
        if submit.reportsOutcomes { record.flags.insert(.reportsOutcome) }
        var inserted = 0
        let arguments = submit.arguments.bytes
        let run = arena.storeAll(arguments)
        var ranges = submit.arguments.ranges
        for (options, rows) in submit.options.runs(of: submit.arguments.count) {
            let before = inserted
            // One use more here, too.
            let terms = addTerms(JobTerms(client: client, options: options))
            (record.terms, record.rank) = (UInt32(terms), RankClock.rank(of: options, at: accepted.rankTime))
            for row in rows {
                guard let range = ranges.next() else { break }
                record.id = accepted.first.rawValue + UInt64(row)
                if !jobs.contains(record.id) {
                    record.blob = arena.take(range, of: arguments, at: run)
                    jobs.insert(record)
                    scheduler.insert(record.id, in: &jobs)
                    counts.waiting += 1
                    bytes.queued += range.count
                    inserted += 1
                }
            }
            jobTerms.change(at: terms, by: inserted - before - 1)
        }
        loaderNames.changeJobs(at: loader, by: inserted - 1)
    }

    /// Adds a feed's job: to the line of its key, and to its lane when nobody is before it.
    mutating func accept(_ job: Fact.FeedJob, turn: EntryTurn) {
        let id = job.job.rawValue
        nextJob = max(nextJob, id + 1)
        noteRank(job.rank, of: job.options)
        feedJobs[id] = feedJobs[id] ?? FeedJobRecord(job: job)
        if job.repeats != .none { feedJobs[job.repeats.rawValue]?.job.repeatedBy = job.job }
        guard !jobs.contains(id) else { return }
        var record = JobRecord()
        record.id = id
        record.session = job.session.rawValue
        record.rank = job.rank
        record.acceptedAt = job.acceptedAt.milliseconds
        record.loader = UInt32(loaderNames.addJob(job.loader))
        let client = job.label.isEmpty ? sessions.label(job.session) : job.label
        record.terms = UInt32(addTerms(JobTerms(client: client, options: job.options)))
        record.flags = .isFeedJob
        jobs.insert(record)
        counts.waiting += 1
        bytes.queued += queuedByteCount(of: id)
        if let line = FeedRecord.line(of: job.operation) {
            if feeds[job.key] == nil { makePlaceholder(job.key) }
            feeds[job.key]?[keyPath: line].append(job.job, in: &feedJobs)
            guard feeds[job.key]?[keyPath: line].first == job.job else { return }
        }
        scheduler.insert(id, in: &jobs)
    }

    /// A checkpoint's slice may bring a job before the log brings its feed; what no log row fills in is dropped before serving.
    mutating func makePlaceholder(_ key: FeedKey) {
        var record = FeedRecord(state: FeedState(key: key))
        record.isPlaceholder = true
        feeds[key] = record
        feedOrder.append(key)
    }

    /// Forgets feeds of which the journal tells nothing but jobs that have ended: they were forgotten in an earlier life.
    mutating func dropPlaceholders() {
        let left = feedOrder.filter { key in
            feeds[key].map { $0.isPlaceholder && $0.loadLine.isEmpty && $0.editLine.isEmpty } ?? false
        }
        for key in left {
            feeds[key] = nil
            feedOrder.remove(key)
        }
    }

    /// Ranks never go back within a priority: the clock that they are made of is at least at this one's time.
    mutating func noteRank(_ rank: Int64, of options: JobOptions) { lastRankTime = max(lastRankTime, RankClock.time(of: rank, options)) }

    /// Gives jobs to a worker.
    mutating func grant(_ granted: Fact.GrantedJobs, turn: UInt64) {
        guard let index = workerIndexes[granted.worker] else {
            for lease in granted.leases { nextLease = max(nextLease, lease + 1) }
            return
        }
        for (id, lease) in zip(granted.jobs, granted.leases) {
            nextLease = max(nextLease, lease + 1)
            guard jobs.contains(id), jobs[id].storedTurn < turn, !jobs[id].state.isFinal else { continue }
            let isCancelling = jobs[id].state == .cancelling
            detach(id)
            // A worker that registers again goes on with the run that began then: what it has made may be as old.
            if !granted.isReattachment { jobs[id].beginAttempt(at: granted.at) }
            hold(id, worker: index, lease: lease, state: isCancelling ? .cancelling : .running)
        }
    }

    /// The only job of a worker has been alone there for long enough. That lasts as long as it is held: no entry says so.
    mutating func letNeighbours(intoWorker index: Int) {
        guard let worker = workers[index], worker.held.count == 1 else { return }
        jobs[worker.held.first].flags.insert(.mayHaveNeighbours)
        if let room = workers[index]?.room(in: jobs) { scheduler.setRoom(of: index, to: room) }
    }

    /// Puts a job that stands in no line into a worker's hands.
    mutating func hold(_ id: UInt64, worker index: Int, lease: UInt64, state: JobState) {
        let isShort = workers.hold(id, by: index, in: &jobs)
        jobs[id].comeIntoHands(of: index, under: lease, state, isShort: isShort)
        count(state, 1)
    }

    /// Takes a live job out of whatever line it stands in; it is then nowhere, uncounted.
    mutating func detach(_ id: UInt64) {
        count(jobs[id].state, -1)
        switch jobs[id].place {
        case .nowhere, .history: break
        case .lane, .suspects: scheduler.remove(id, in: &jobs)
        case .held: workers.letGo(id, of: Int(jobs[id].worker), in: &jobs)
        }
        jobs[id].leaveLine()
    }

    /// Counts a live job in or out.
    mutating func count(_ state: JobState, _ change: Int) {
        switch state {
        case .waiting, .scheduled: counts.waiting = Self.moved(counts.waiting, by: change)
        case .running: counts.running = Self.moved(counts.running, by: change)
        case .cancelling: counts.cancelling = Self.moved(counts.cancelling, by: change)
        case .succeeded, .failed, .cancelled, .expired, .quarantined: break
        }
    }

    /// A count is for people: one that is wrong must not end the front.
    private static func moved(_ count: UInt64, by change: Int) -> UInt64 { UInt64(max(0, Int(count) + change)) }

    /// A grant that was never begun came back.
    mutating func giveBack(_ id: UInt64, turn: UInt64) {
        guard jobs.contains(id), jobs[id].storedTurn < turn, jobs[id].place == .held else { return }
        detach(id)
        jobs[id].attempts -= jobs[id].attempts > 0 ? 1 : 0
        lineUp(id)
    }

    /// A job whose worker was lost waits again, with its rank.
    mutating func requeue(_ requeued: Fact.RequeuedJob, turn: UInt64) {
        let id = requeued.job.rawValue
        guard jobs.contains(id), jobs[id].storedTurn < turn, !jobs[id].state.isFinal else { return }
        detach(id)
        jobs[id].deaths = requeued.deaths
        jobs[id].flags.remove(.isStopping)
        if requeued.isSuspected { jobs[id].flags.insert(.suspected) } else { jobs[id].flags.remove(.suspected) }
        lineUp(id)
    }

    /// Puts a waiting job that stands in no line where it belongs.
    mutating func lineUp(_ id: UInt64) {
        jobs[id].state = .waiting
        count(.waiting, 1)
        // Its next run begins with what holds then.
        if jobs[id].flags.contains(.isFeedJob) { feedJobs[id]?.granted = nil }
        scheduler.insert(id, in: &jobs)
    }

    /// Notes a cancel: a running job stops, a waiting one has its end in the next fact.
    mutating func requestCancel(_ job: JobID, by label: String, at time: WallTime, turn: UInt64) {
        let id = job.rawValue
        guard jobs.contains(id), jobs[id].storedTurn < turn else { return }
        switch jobs[id].state {
        case .running:
            count(.running, -1)
            count(.cancelling, 1)
            jobs[id].state = .cancelling
        case .waiting, .scheduled: break
        case .cancelling, .succeeded, .failed, .cancelled, .expired, .quarantined: return
        }
        cancels[id] = CancelReceipt(requestedBy: label, requestedAt: time)
    }
}
