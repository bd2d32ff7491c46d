//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// Actions that repeat jobs that have ended.
extension JobQueue {
    /// Whether work that is left waits for a bundle to be read: no deadline stands for it then.
    func isReading(for left: JournalEntry.WorkLeft) -> Bool {
        guard case .bulk(let work) = left.work else { return false }
        return bulkActions.isReading(work.number)
    }

    /// A bundle that an action waits for was read, or cannot be: then the action does without its jobs.
    mutating func goOn(afterReading bundle: BundleNumber, isRead: Bool, _ action: UInt64, in turn: inout FrontTurn) {
        let isLost = !isRead && turn.state.jobs.bundle(bundle) != nil
        bulkActions.endReading(action, unreadable: isLost ? bundle : nil)
        guard let (left, work) = turn.state.left.bulkAction(action) else { return }
        goOn(left, work, in: &turn)
    }

    /// Goes on with repeating ended jobs, the newest first. The entry that says how far it has come is in the row of those that accept the new jobs:
    /// a restart finds both, or neither, so it repeats none twice.
    mutating func repeatMore(
        _ left: JournalEntry.WorkLeft, _ work: JournalEntry.BulkActionWork, from newest: JobID, in turn: inout FrontTurn
    ) {
        guard !bulkActions.isReading(work.number) else { return }
        var (work, chosen) = (work, chosenJobs(of: work, since: left.since, in: turn))
        let missing = lookAtEnded(
            for: &chosen, from: newest, passingOver: bulkActions.unreadableBundles(of: work.number), in: &turn)
        bulkActions.note(looks: chosen.looks, jobs: chosen.repeated.count)
        let number = work.number
        for job in chosen.repeated {
            switch repetition(of: job, by: work.by, in: &turn) {
            case .made: work.done += 1
            case .impossible: work.passedOver += 1
            case .later:
                // It waits as whoever submits would, and what it has done counts.
                work.passedOver += job.changedBefore
                bulkActions.noteProgress()
                turn.keep(.bulk(work), since: left.since, at: .job(JobID(job.job)))
                return pause(number, RetryPause.usual, BulkActions.Wait.fullQueue, in: &turn)
            }
        }
        bulkActions.endPause(of: number)
        bulkActions.noteProgress()
        work.passedOver += chosen.changed
        guard let next = chosen.next else { return finish(work, since: left.since, in: &turn) }
        guard let missing else { return turn.leave(.bulk(work), since: left.since, at: .job(next)) }
        // Kept, not left: the reading brings the next turn about, and one at once would find the same bundle missing.
        turn.keep(.bulk(work), since: left.since, at: .job(next))
        guard mayRead(in: turn) else {
            return pause(number, RetryPause.short, BulkActions.Wait.othersRead, in: &turn)
        }
        bulkActions.wait(number, .reading)
        readings.wait(.bulk(number), for: missing)
    }

    /// Looks for ended jobs from one on, the newest first: those in memory, and between them those in bundles.
    /// - Returns: a bundle that has to be read before it goes on; nil: none has.
    func lookAtEnded(
        for chosen: inout ChosenJobs, from newest: JobID, passingOver unreadable: Set<BundleNumber>, in turn: inout FrontTurn
    ) -> BundleNumber? {
        let below = Self.below(newest)
        var bundled = turn.state.jobs.bundledPage(below: below, onlyFailed: chosen.wantsFailedOnly)
        var missing: BundleNumber?
        /// Goes on with a job in memory, after those of bundles that are newer; false: the turn has looked at enough.
        func goOn(_ record: JobRecord) -> Bool {
            if bundled.firstJob > record.id {
                missing = take(&bundled, above: record.id, into: &chosen, passingOver: unreadable, turn.state.jobs.repeats)
                guard chosen.next == nil else { return false }
            }
            guard chosen.mayLook(at: record.id) else { return false }
            // Whoever repeats all that have failed means those that nobody has repeated.
            guard turn.state.jobs.repeats.newest(of: record.id) == nil else { return true }
            let isChosen = chosen.lookAtEnded(
                record, loader: turn.state.jobs.loader(of: record),
                tags: turn.state.jobs.tags(of: record), code: turn.state.jobs.failureCode(of: record),
                lastChange: turn.state.jobs.lastChange(of: record))
            if isChosen { chosen.take(record.id, summary(of: record, in: turn), turn.state.jobs.argument(of: record)) }
            return true
        }
        if chosen.wantsFailedOnly {
            for id in turn.state.jobs.ended.failedJobs(below: below) {
                guard goOn(turn.state.jobs[id]) else { break }
            }
        } else {
            turn.step(turn.state.jobs.slab.visit(below: below) { goOn($0) })
        }
        if chosen.next == nil { missing = take(&bundled, above: 0, into: &chosen, passingOver: unreadable, turn.state.jobs.repeats) }
        turn.step(chosen.looks + bundled.looks + chosen.count * TurnContext.rowSteps)
        return missing
    }

    /// Takes jobs of bundles that are newer than one in memory.
    /// - Returns: a bundle that has to be read first.
    private func take(
        _ bundled: inout BundledPage, above job: UInt64, into chosen: inout ChosenJobs, passingOver unreadable: Set<BundleNumber>,
        _ repeats: RepeatedJobs
    ) -> BundleNumber? {
        while let item = bundled.first, item.job > job, chosen.mayLook(at: item.job) {
            if unreadable.contains(item.number) {
                chosen.passUnreadable(item)
            } else if chosen.mayAdmit(item), repeats.newest(of: item.job) == nil {
                guard let read = readings.job(item.job, of: item.number) else {
                    chosen.stop(at: item.job)
                    return item.number
                }
                if chosen.lookAtEnded(read.summary) { chosen.take(item.job, read.summary, read.argument) }
            }
            bundled.removeFirst()
        }
        return nil
    }

    /// Why an ended job is not repeated by somebody who may not know that another one repeats it, be it of the same submit: two people may ask for
    /// it at once, and each has seen a job that nobody repeats. Who joins the job that has its unique key repeats nothing.
    func refusalOfRepetition(of submit: ClientMessage.Submit, in turn: inout FrontTurn) -> Reply? {
        // Nearly every submit ends here.
        guard submit.namesEndedJobs, !submit.repeatsAgain else { return nil }
        var named: Set<JobID> = []
        var (ranges, rows) = (submit.arguments.ranges, 0)
        for again in jobsDoneAgain(by: submit, in: &turn) {
            let ended = again.value
            var range = 0..<0
            // Arguments have lengths and no places, so those of the rows between are passed over.
            while rows <= again.index, let next = ranges.next() { (range, rows) = (next, rows + 1) }
            if let newest = turn.state.jobs.repeats.newest(of: ended.rawValue),
                standsInTheWay(newest, of: submit.loader, submit.arguments.bytes[range], in: turn)
            {
                return .repeated(ended, by: newest)
            }
            guard named.insert(ended).inserted else {
                return .refusal(.conflict, "job \(ended) is named twice as what is repeated: name it once")
            }
        }
        return nil
    }

    /// Whether the job that repeats an ended one keeps others from doing its work. One that was cancelled before it began does not: nothing was done
    /// twice. Nor does one that is seen to do other work: where the ended job was not at hand its client was believed.
    private func standsInTheWay(_ newest: JobID, of loader: String, _ argument: ArraySlice<UInt8>, in turn: FrontTurn) -> Bool {
        guard turn.state.jobs.contains(newest.rawValue) else { return true }
        let record = turn.state.jobs[newest.rawValue]
        guard record.state != .cancelled || !record.hasNeverStarted else { return false }
        return work(of: record, in: turn).isDone(by: loader, argument)
    }

    /// The ended jobs whose work jobs that are submitted do again: with the same argument for the same loader. Whoever names one for other work has not
    /// repeated it. Of one in a bundle that is not at hand what its client says is believed: nobody waits for a reading to submit.
    func jobsDoneAgain(by submit: ClientMessage.Submit, in turn: inout FrontTurn) -> [Indexed<JobID>] {
        guard submit.namesEndedJobs else { return [] }
        // To compare them takes as long as to copy them, at most.
        turn.step(submit.arguments.count + submit.arguments.byteCount / TurnContext.copiedPerStep)
        var (again, ranges) = ([Indexed<JobID>](), submit.arguments.ranges)
        for (options, rows) in submit.options.runs(of: submit.arguments.count) {
            let ended = options.retryOf
            let work = ended.flatMap { endedWork($0.rawValue, in: turn) }
            let isBundled = ended.map { turn.state.jobs.bundle(of: $0.rawValue) != nil } ?? false
            for row in rows {
                guard let range = ranges.next(), let ended else { continue }
                let isSame = work.map { $0.isDone(by: submit.loader, submit.arguments.bytes[range]) } ?? isBundled
                if isSame { again.append(Indexed(index: UInt32(row), value: ended)) }
            }
        }
        return again
    }

    /// What a job has worked on that has ended; nil: it has not, is not known, or is in a bundle that is not at hand.
    func endedWork(_ job: UInt64, in turn: FrontTurn) -> JobWork? {
        guard turn.state.jobs.contains(job) else {
            guard let bundle = turn.state.jobs.bundle(of: job)?.bundle, let read = readings.job(job, of: bundle) else {
                return nil
            }
            return JobWork(read)
        }
        let record = turn.state.jobs[job]
        return record.state.isFinal ? work(of: record, in: turn) : nil
    }

    private func work(of record: JobRecord, in turn: FrontTurn) -> JobWork {
        JobWork(
            loader: turn.state.jobs.loader(of: record), argument: turn.state.jobs.arena[record.argument],
            limitKeys: turn.state.jobs.terms(of: record).options.limitKeys)
    }

    private enum Repetition {
        /// There is a new job.
        case made
        /// There is none, and never will be.
        case impossible
        /// There is no room for it now.
        case later
    }

    /// Accepts a job that repeats one, by the rules for whoever submits it.
    ///
    /// An action with many leaves an eighth of the queue to those who ask for something now.
    private mutating func repetition(of ended: RepeatedJob, by asker: JobTerms.Asker, in turn: inout FrontTurn) -> Repetition {
        let again = ClientMessage.Submit(
            number: RequestNumber(0), lowestUnanswered: RequestNumber(0), loader: ended.loader, options: JobOptionsColumn(ended.options),
            arguments: PackedBytes([ended.argument]))
        let (fingerprint, submit) = (turn.givenFingerprint(of: again), turn.configured(again))
        guard fault(of: submit, in: turn) == nil else { return .impossible }
        // Where another job has its key, that does the work.
        if let key = ended.options.uniqueKey, let holder = holder(of: key, ended.loader, in: &turn), holder.job != ended.job {
            return .impossible
        }
        if let refused = answer(byKeyOf: submit, fingerprint, .none, in: &turn) ?? refusalOfLimits(of: submit, in: &turn) {
            return refused.isBusy ? .later : .impossible
        }
        let bounds = turn.settings.bounds
        // One that is larger than the rest of the queue has it once nobody else waits.
        guard submit.byteCount <= bounds.queuedByteCount else { return .impossible }
        let room = (
            jobs: min(1 + bounds.queuedJobs / Self.keptPart, bounds.queuedJobs),
            bytes: min(submit.byteCount + bounds.queuedByteCount / Self.keptPart, bounds.queuedByteCount)
        )
        guard refusalOfJobs(room.jobs, byteCount: room.bytes, in: &turn) == nil, refusalOfLoader(of: submit, in: &turn) == nil else {
            return .later
        }
        _ = accept(submit, fingerprint, from: .front, by: asker, in: &turn)
        return .made
    }

    /// The part of the queue that actions with many jobs leave free.
    private static let keptPart = 8
}

extension Reply {
    /// Another job repeats one already.
    fileprivate static func repeated(_ job: JobID, by newest: JobID) -> Reply {
        let arguments = [Failure.holderArgument, job.description, Failure.repeatedByArgument, newest.description]
        return .refusal(.conflict, "job \(newest) repeats job \(job) already: nothing was submitted", arguments: arguments)
    }

    /// Whether the same may be possible later.
    fileprivate var isBusy: Bool {
        guard case .refused(let failure, _) = self else { return false }
        return failure.code == .busy
    }
}

/// What a job works on.
struct JobWork {
    let loader: String
    /// No copy where the job is in memory.
    let argument: ArraySlice<UInt8>
    let limitKeys: [LimitKey]

    /// Whether that loader does the same with that argument.
    func isDone(by loader: String, _ argument: some Collection<UInt8>) -> Bool {
        loader == self.loader && argument.count == self.argument.count && argument.elementsEqual(self.argument)
    }
}

extension JobWork {
    fileprivate init(_ read: ReadJob) {
        self.init(loader: read.summary.loader, argument: read.argument[...], limitKeys: read.summary.options.limitKeys)
    }
}

extension ClientMessage.Submit {
    /// Whether some of its jobs are to repeat ended ones.
    fileprivate var namesEndedJobs: Bool { options.distinct.contains { $0.retryOf != nil } }
}
