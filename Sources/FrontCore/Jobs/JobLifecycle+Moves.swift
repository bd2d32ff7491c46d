//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// How jobs come in, by the gates of `JobLifecycle`.
extension JobLifecycle {
    /// Adds submitted jobs to their lane.
    mutating func accept(_ accepted: JournalEntry.AcceptedJobs, from asker: JobTerms.Asker, turn: EntryTurn) {
        let (first, arguments) = (accepted.first.rawValue, accepted.arguments.bytes)
        // One use more than there are jobs, until they are in; so below.
        let (loader, run) = change(turn) { _, records in (records.loaderNames.addJob(accepted.loader), records.arena.storeAll(arguments)) }
        let (rankTime, lengthTime) = (RankTime(milliseconds: accepted.rankTime), LengthTime(milliseconds: accepted.lengthTime))
        number {
            $0.noteNext(job: first + UInt64(accepted.arguments.count), turn)
            $0.noteRankTime(rankTime, turn)
            $0.noteLengthTime(lengthTime, turn)
        }
        var (inserted, waiting, byteCount) = (0, 0, 0)
        var ranges = accepted.arguments.ranges
        for (options, rows) in accepted.options.runs(of: accepted.arguments.count) {
            let before = inserted
            let terms = change(turn) { _, records in records.addTerms(JobTerms(asker, options: options.shared)) }
            let due = accepted.due(options.firstStart)
            let rank = Rank(ofPriority: options.priority, at: rankTime)
            let (hasKey, firstRow) = (options.uniqueKey != nil, first + UInt64(rows.lowerBound))
            let isBehind = hasKey && key(turn) { [isNew = !contains(firstRow)] in $0.accept(firstRow, options, accepted, isNew: isNew, $1) }
            // What waits for a time counts there, and is to find its limits.
            if due != nil {
                let new = rows.count { !contains(first + UInt64($0)) }
                change(turn) { $0.enterLimits(of: terms, new, in: $1) }
            }
            for row in rows {
                guard let range = ranges.next() else { break }
                let id = first + UInt64(row)
                guard !contains(id) else {
                    if isBehind { change(turn) { $0.blockStored(id, in: &$1) } }
                    continue
                }
                change(turn) { places, records in
                    records.slab.insert(
                        JobRecord(
                            id: id, session: accepted.submitter.session.rawValue, rank: rank, acceptedAt: accepted.acceptedAt,
                            loader: UInt32(loader), terms: UInt32(terms), flags: accepted.reportsOutcomes ? .reportsOutcome : [],
                            argument: records.arena.take(range, of: arguments, at: run)))
                    guard due == nil else { return }
                    records.beginTotal(of: id, at: lengthTime)
                    if isBehind { places.block(id, in: &records) } else { places.lineUp(id, in: &records) }
                }
                if let due { schedule(id, due, turn) } else { waiting += 1 }
                byteCount += range.count + self.terms.endingByteCount(of: terms)
                if hasKey { byteCount += keys.carriedByteCount(of: id) }
                inserted += 1
            }
            let new = inserted - before
            change(turn) { places, records in
                if due == nil { places.enterLimits(of: terms, new, in: records) }
                records.terms.change(at: terms, by: new - 1)
            }
        }
        for repeated in accepted.repeats { noteRepeat(of: repeated.value.rawValue, by: first + UInt64(repeated.index), turn) }
        countAccepted(.waiting, waiting, byteCount: byteCount, turn)
        change(turn) { [inserted] _, records in records.loaderNames.changeJobs(at: loader, by: inserted - 1) }
    }

    /// Adds a feed's job: to the line of its key, and to its lane when nobody is before it.
    mutating func accept(_ job: JournalEntry.FeedJob, from asker: JobTerms.Asker, turn: EntryTurn) {
        let id = job.job.rawValue
        let rank = Rank(milliseconds: job.rank)
        number {
            $0.notePassed(job: id, turn)
            $0.noteRankTime(rank.time(ofPriority: job.options.priority), turn)
        }
        // A checkpoint may have stored the job as ended before a replay comes to its acceptance.
        let isAlive = !contains(id) || !self[id].state.isFinal
        line(turn) {
            $0.note(job)
            $0.note(id, isAlive: isAlive)
        }
        guard !contains(id) else { return }
        change(turn) { places, records in
            let loader = records.loaderNames.addJob(job.loader)
            let terms = records.addTerms(JobTerms(asker, options: job.options), feed: job.askedFeed)
            records.slab.insert(
                JobRecord(
                    id: id, session: job.submitter.session.rawValue, rank: rank, acceptedAt: job.acceptedAt,
                    loader: UInt32(loader), terms: UInt32(terms), flags: .isFeedJob))
            places.enterLimits(of: terms, in: records)
        }
        countAccepted(.waiting, 1, byteCount: queuedByteCount(of: id), turn)
        let isFirst = line(turn) { $0.enter(job) }
        if isFirst { change(turn) { $0.lineUp(id, in: &$1) } }
    }
}

// Moves that are made of the steps of `JobLifecycle`: each of those takes the turn of an entry, as all that is durable does.
extension JobLifecycle {
    /// Whether an entry of that turn may move a job; why not is counted.
    mutating func mayMove(_ id: UInt64, _ turn: EntryTurn, if isRight: (JobStanding) -> Bool, else wrong: JobRefusal) -> Bool {
        refusal(of: id, turn, if: isRight, else: wrong) == nil
    }

    /// Attempts ended that did not end their jobs: those wait again with their rank, or for the time of their next attempt, as the entry states.
    mutating func apply(_ ended: JournalEntry.AttemptsEnded, _ turn: EntryTurn) {
        number { $0.noteLengthTime(LengthTime(milliseconds: ended.lengthTime), turn) }
        var (failures, runs, counted) = (RareValues(ended.failures), RareValues(ended.runs), 0)
        for (index, job) in ended.jobs.enumerated() {
            let id = job.job.rawValue
            let refusal = refusal(of: id, turn, if: { $0.canEndAttempt(ended.cause) }, else: .notRunning)
            // Also of jobs that are known no more: the attempts were made, and a replay has to come to the same counts.
            if refusal?.isElsewhere ?? true { counted += 1 }
            guard refusal == nil else { continue }
            detach(id, turn)
            endAttempt(job, failures.take(index), runs.take(index), turn)
            if job.notBefore != 0 { schedule(id, .length(job.notBefore), turn) } else { lineUp(id, turn) }
        }
        count(counted, ended.cause, turn)
    }

    /// The attempt of a job that stands in no line has ended, as that run, and failed with that; nil: it did not fail.
    private mutating func endAttempt(_ ended: JournalEntry.EndedAttempt, _ failure: Failure?, _ run: JobRun?, _ turn: EntryTurn) {
        change(turn) { _, records in records.slab[ended.job.rawValue].endAttempt(ended) }
        keep(turn) { $0.add(run, failure, of: ended.job.rawValue) }
    }

    /// Jobs that workers hold have written lines.
    mutating func apply(_ logged: JournalEntry.JobsLogged, _ turn: EntryTurn) {
        for (id, log) in zip(logged.jobs, logged.logs) where mayMove(id, turn, if: \.isHeld, else: .notRunning) {
            keep(turn) { $0.add(log, of: id) }
        }
    }

    /// A job waits for another time. One that waits for another of its key has none of its own.
    mutating func apply(_ delayed: JournalEntry.JobDelayed, _ turn: EntryTurn) {
        number { $0.noteLengthTime(LengthTime(milliseconds: delayed.lengthTime), turn) }
        let id = delayed.job.rawValue
        guard mayMove(id, turn, if: { $0.waits && $0 != .blocked }, else: .notWaiting) else { return }
        detach(id, turn)
        change(turn) { _, records in records.slab[id].endSnooze() }
        schedule(id, delayed.due, turn)
        line(turn) { $0.noteDelay(delayed) }
    }

    /// A waiting job is run in another way from now on, and stands where its new rank belongs.
    mutating func apply(_ changed: JournalEntry.TermsChanged, _ turn: EntryTurn) {
        let id = changed.job.rawValue
        guard mayMove(id, turn, if: \.waits, else: .notWaiting) else { return }
        // Elsewhere neither its rank nor its lane decides where it stands.
        let isInLine = self[id].standing.isInLine
        if isInLine { change(turn) { $0.remove(id, in: &$1) } }
        recount(id, turn) {
            $0.change(turn) { _, records in records.changeTerms(changed) }
            $0.line(turn) { $0.noteTerms(changed) }
        }
        if isInLine { change(turn) { $0.lineUp(id, in: &$1) } }
    }

    /// No crash counts against a waiting job any more: it stands among jobs that nobody suspects, with its rank.
    mutating func apply(_ forgiven: JournalEntry.CrashesForgiven, _ turn: EntryTurn) {
        let id = forgiven.job.rawValue
        guard mayMove(id, turn, if: \.waits, else: .notWaiting) else { return }
        let (standing, due) = (self[id].standing, self[id].due)
        // It stands in no line, and comes into the right one when it is its turn.
        guard standing != .blocked else { return change(turn) { _, records in records.slab[id].forgive() } }
        detach(id, turn)
        change(turn) { _, records in records.slab[id].forgive() }
        if let due { schedule(id, due, turn) } else { lineUp(id, turn) }
    }

    /// The time of scheduled jobs has come: they stand in line as if they had been accepted now.
    mutating func apply(_ due: JournalEntry.JobsDue, _ turn: EntryTurn) {
        let (rankTime, lengthTime) = (RankTime(milliseconds: due.rankTime), LengthTime(milliseconds: due.lengthTime))
        number {
            $0.noteRankTime(rankTime, turn)
            $0.noteLengthTime(lengthTime, turn)
        }
        for id in due.jobs where mayMove(id, turn, if: { $0 == .scheduled }, else: .notScheduled) {
            // A delay that was over while no front ran is no shorter for that; a point of the wall clock is not known by this clock.
            var began = lengthTime
            if let time = self[id].due?.length { began = min(began, time) }
            let isFirst = self[id].hasNeverStarted
            detach(id, turn)
            if isFirst { change(turn) { _, records in records.beginTotal(of: id, at: began) } }
            lineUp(id, rank: Rank(ofPriority: terms(of: self[id]).options.priority, at: rankTime), turn)
        }
    }

    /// A checkpoint has stored which ended jobs were repeated.
    mutating func apply(_ stored: JournalEntry.RepeatsStored, _ turn: EntryTurn) {
        for (job, repeating) in zip(stored.jobs, stored.by) { noteRepeat(of: job, by: repeating, turn) }
    }

    /// Ids may have been handed out.
    mutating func apply(_ reserved: JournalEntry.IDsReserved, _ turn: EntryTurn) {
        number { $0.noteReserved(jobs: reserved.jobs.rawValue, leases: reserved.leases.rawValue, turn) }
    }

    func fault(of reserved: JournalEntry.IDsReserved) -> String? { fault(ofNext: reserved.jobs.rawValue) }

    /// A worker has registered, and offers what it says now.
    mutating func takeWorker(
        _ worker: Int, _ registration: WorkerMessage.Registration, insteadOf old: WorkerMessage.Registration?, turn: EntryTurn
    ) {
        change(turn) { $0.takeWorker(worker, registration, insteadOf: old, in: &$1) }
    }

    /// A worker is forgotten. It holds nothing any more: entries before this one have dealt with each job. If one were left, it must not vanish
    /// from all lines and counts.
    mutating func dropWorker(_ worker: Int, _ registration: WorkerMessage.Registration, turn: EntryTurn) {
        while let id = holding(of: worker)?.held.first, id != 0 {
            detach(id, turn)
            lineUp(id, turn)
        }
        change(turn) { $0.dropWorker(worker, registration, in: &$1) }
    }
}

// MARK: Pauses

extension JobLifecycle {
    /// A loader, a group, or all loaders, or a worker is paused, or is no longer.
    mutating func apply(_ changed: JournalEntry.PauseChanged, _ turn: EntryTurn) {
        number { $0.noteLengthTime(LengthTime(milliseconds: changed.lengthTime), turn) }
        change(turn) { $0.apply(changed, in: &$1) }
    }
}

// MARK: Unique keys

extension JobLifecycle {
    /// A job that was never granted works on something else from now on, and stands where its new options put it.
    mutating func apply(_ replaced: JournalEntry.JobReplaced, _ turn: EntryTurn) {
        let id = replaced.job.rawValue
        let length = LengthTime(milliseconds: replaced.lengthTime)
        number {
            $0.noteRankTime(Rank(milliseconds: replaced.rank).time(ofPriority: replaced.options.priority), turn)
            $0.noteLengthTime(length, turn)
        }
        let isBehind = keys.isBehind(id)
        let refusal = refusal(of: id, turn, if: { $0.waits && ($0 != .blocked || isBehind) }, else: .notWaiting)
        guard refusal != .notWaiting else { return }
        // What is known of the key may be older than what is known of the job.
        guard refusal == nil else { return key(turn) { $0.replace(replaced, isChanged: false, $1) } }
        detach(id, turn)
        recount(id, turn) {
            $0.change(turn) { _, records in records.replace(replaced) }
            $0.key(turn) { $0.replace(replaced, isChanged: true, $1) }
        }
        if let due = replaced.due { return schedule(id, due, turn) }
        change(turn) { _, records in records.beginTotal(of: id, at: length) }
        lineUp(id, turn)
    }

    /// Keys of ended jobs are free.
    mutating func apply(_ freed: JournalEntry.UniqueKeysFreed, _ turn: EntryTurn) {
        number { $0.noteLengthTime(LengthTime(milliseconds: freed.lengthTime), turn) }
        key(turn) { $0.free(freed.jobs, $1) }
    }

    /// Keys are taken.
    mutating func apply(_ stored: JournalEntry.UniqueKeysStored, _ turn: EntryTurn) {
        key(turn) { $0.restore(stored, $1) }
        // Those that a checkpoint has stored before their keys stand in lanes.
        for taken in stored.keys where taken.isBehind && contains(taken.job) && self[taken.job].standing == .queued {
            detach(taken.job, turn)
            lineUp(taken.job, turn)
        }
    }
}
