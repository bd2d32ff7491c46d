//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Actions with many jobs: who may begin one, and how far each turn comes with it.
extension JobQueue {
    /// Until when those actions with many jobs do not go on that pause, by their numbers.
    var pausedBulkActions: [UInt64: MonotonicTime] { bulkActions.pauses }

    /// Begins an action with all jobs of a selection, or counts those that it would be done with.
    ///
    /// It is done from the next turn on, a bounded part in each. What counts as chosen is decided now: jobs that there are, and whose state changes
    /// no more before their turn comes.
    /// - Parameters:
    ///   - mayWait: Whether a count may be put aside until a bundle is read.
    ///   - unreadable: A bundle that cannot be read: its jobs are not counted; none: there is no such bundle.
    mutating func answer(
        to request: BulkRequest, by session: SessionID, mayWait: Bool, unreadable: BundleNumber = .none, in turn: inout FrontTurn
    ) -> JobAnswer {
        if let fault = request.fault(at: turn.now.wall) { return .reply(.refusal(.invalidData, fault)) }
        if request.isDry { return count(request, mayWait: mayWait, unreadable: unreadable, in: &turn) }
        let (count, bound) = (turn.state.left.bulkActions.count, turn.settings.bounds.bulkActions)
        guard count < bound else {
            let text = "\(count) actions with many jobs are under way (limit \(bound)): wait until one has ended"
            return .reply(turn.busy(.bulkActions, text, retryAfter: RetryPause.usual))
        }
        // Where a count goes on is nothing to keep.
        var selection = request.selection
        (selection.before, selection.limit) = (nil, JobQuery().limit)
        let number = max(bulkActions.last, Self.bulkNumbers(before: turn.settings.epoch)) + 1
        let work = JournalEntry.BulkActionWork(number, selection, request.action, by: turn.state.sessions.asker(of: Submitter(session)))
        bulkActions.begin(number)
        let newest = JobID(turn.state.jobs.numbers.nextJob &- 1)
        // Nothing is done in this turn: the reply names the action, and must be as quick for a million jobs as for one.
        turn.leave(.bulk(work), since: turn.now.wall, at: .job(newest))
        return .reply(.selected(bulk: number, jobs: 0, next: nil))
    }

    /// The last number of an action that an earlier epoch gives. Nothing keeps those of actions that have ended: who asks for one after a restart would
    /// be shown another one.
    private static func bulkNumbers(before epoch: Epoch) -> UInt64 { (epoch.rawValue &- 1) &* actionsPerEpoch }

    /// More than anybody asks for in one epoch.
    private static let actionsPerEpoch: UInt64 = 1_000_000

    /// Goes on with an action: the jobs of its selection that have not changed since it was asked for, the newest first, as many as this turn may.
    mutating func goOn(_ left: JournalEntry.WorkLeft, _ work: JournalEntry.BulkActionWork, in turn: inout FrontTurn) {
        guard case .job(let newest)? = left.cursor else { return turn.finish(left.work) }
        // A cancel is possible also while nothing else can be written.
        guard !turn.context.storageIsFull || work.action == .cancel else {
            return pause(work.number, RetryPause.usual, BulkActions.Wait.fullDisk, in: &turn)
        }
        if work.action == .retry { return repeatMore(left, work, from: newest, in: &turn) }
        var (work, chosen) = (work, chosenJobs(of: work, since: left.since, in: turn))
        bulkActions.endPause(of: work.number)
        look(for: &chosen, from: newest, in: &turn)
        bulkActions.note(looks: chosen.looks, jobs: chosen.jobs.count)
        work.passedOver += chosen.changed
        let done = carryOut(work.action, chosen.jobs, by: work.by.label, in: &turn)
        work.done += UInt64(done)
        work.passedOver += UInt64(chosen.jobs.count - done)
        bulkActions.noteProgress()
        if let next = chosen.next { return turn.leave(.bulk(work), since: left.since, at: .job(next)) }
        finish(work, since: left.since, in: &turn)
    }

    /// What an action is to look for in this turn. What others have looked at in it is taken off, so that sixteen cost no more than one.
    func chosenJobs(of work: JournalEntry.BulkActionWork, since time: WallTime, in turn: FrontTurn) -> ChosenJobs {
        let bounds = turn.settings.bounds
        var chosen = ChosenJobs(work.selection, work.action, since: time)
        chosen.limits = (max(0, bounds.bulkActionLooks - bulkActions.looks), max(0, bounds.bulkActionJobs - bulkActions.jobs))
        return chosen
    }

    /// An action has come to the end of its selection.
    mutating func finish(_ work: JournalEntry.BulkActionWork, since time: WallTime, in turn: inout FrontTurn) {
        bulkActions.finish(work.summary(since: time, isFinished: true))
        turn.finish(.bulk(work), as: .bulk(work))
    }

    /// An action goes on after a pause.
    mutating func pause(_ number: UInt64, _ length: Duration, _ wait: (MonotonicTime) -> BulkActions.Wait, in turn: inout FrontTurn) {
        let time = turn.now.monotonic.advanced(by: length)
        bulkActions.wait(number, wait(time))
        turn.check(.work, by: time)
    }

    /// - Returns: with how many of the jobs it was done.
    private mutating func carryOut(_ action: BulkAction, _ jobs: [UInt64], by label: String, in turn: inout FrontTurn) -> Int {
        var (done, waiting) = (0, [UInt64]())
        for id in jobs {
            if action == .cancel, turn.state.jobs.contains(id), turn.state.jobs[id].standing.waits {
                waiting.append(id)
            } else if carryOut(action, JobID(id), by: label, in: &turn) {
                done += 1
            }
        }
        // At the end and together: their ends make one entry, where thousands would make as many.
        cancelWaiting(waiting, by: .client(label), in: &turn)
        return done + waiting.count
    }

    /// - Returns: whether it was done.
    private mutating func carryOut(_ action: BulkAction, _ job: JobID, by label: String, in turn: inout FrontTurn) -> Bool {
        let reply =
            switch action {
            case .cancel: cancel(job, by: .client(label), in: &turn)
            case .promote: delay(job, to: .now, in: &turn)
            case .delay(let start): delay(job, to: start, in: &turn)
            case .reprioritize(let priority): reprioritize(job, to: priority, in: &turn)
            case .forgive: forgive(job, in: &turn)
            case .retry: Reply.unknownJob(job)
            }
        if case .done = reply { return true }
        if case .cancelling = reply { return true }
        return false
    }

    /// How many jobs an action would be done with, as far as one turn looks.
    private func count(_ request: BulkRequest, mayWait: Bool, unreadable: BundleNumber, in turn: inout FrontTurn) -> JobAnswer {
        var chosen = ChosenJobs(request.selection, request.action, since: turn.now.wall)
        chosen.limits = (Self.countedLooks, .max)
        chosen.isCounted = true
        let newest = request.selection.before.map { JobID($0.rawValue &- 1) } ?? JobID(.max)
        if request.action == .retry {
            let missing = lookAtEnded(for: &chosen, from: newest, passingOver: [unreadable], in: &turn)
            if let missing, chosen.count == 0, mayWait { return .after(missing) }
        } else {
            look(for: &chosen, from: newest, in: &turn)
        }
        return .reply(.selected(bulk: 0, jobs: UInt64(chosen.count), next: chosen.next.map { $0.advanced(by: 1) }))
    }

    /// Jobs that one request looks at which counts some.
    private static let countedLooks = 200_000

    /// The bound of a look from a job on, the newest first; nil: from the newest that there is.
    static func below(_ newest: JobID) -> UInt64? { newest.rawValue == .max ? nil : newest.rawValue + 1 }

    /// Looks for jobs from one on, the newest first.
    private func look(for chosen: inout ChosenJobs, from newest: JobID, in turn: inout FrontTurn) {
        let looks = turn.state.jobs.slab.visit(below: Self.below(newest)) { record in
            guard chosen.mayLook(at: record.id) else { return false }
            chosen.look(
                at: record, loader: turn.state.jobs.loader(of: record),
                tags: turn.state.jobs.tags(of: record), feed: turn.state.jobs.keyLines[record.id]?.job.key,
                code: turn.state.jobs.failureCode(of: record), lastChange: turn.state.jobs.lastChange(of: record))
            return true
        }
        turn.step(looks)
    }
}

/// What this epoch knows of actions with many jobs, beside those that are left.
struct BulkActions {
    /// Why one does not go on. A pause ends at its time: then the action goes on, or pauses for another of these reasons.
    enum Wait: Hashable {
        /// Nothing but a cancel can be written.
        case fullDisk(until: MonotonicTime)
        /// What it would repeat finds no room in the queue.
        case fullQueue(until: MonotonicTime)
        /// It needs a bundle, and as many readings as there may be are under way. Moves to reading, unless the bundle is there by then.
        case othersRead(until: MonotonicTime)
        /// It waits for a bundle. It goes on when that was read, or cannot be.
        case reading

        /// When its action is looked at again: no time ends a reading.
        var until: MonotonicTime {
            switch self {
            case .fullDisk(let time), .fullQueue(let time), .othersRead(let time): time
            case .reading: .distantFuture
            }
        }

        /// What its action waits for, for people; of a reading it is not worth saying.
        var text: String {
            switch self {
            case .fullDisk: "the disk is full"
            case .fullQueue: "too many jobs wait: it goes on as they end"
            case .othersRead: "others read ended jobs"
            case .reading: ""
            }
        }
    }

    /// Those that have ended, oldest first: the last few.
    private(set) var finished: [BulkSummary] = []
    /// The last number that was given.
    private(set) var last: UInt64 = 0
    /// How often something has come of one.
    private(set) var version: UInt64 = 0
    /// Jobs that this turn has looked at for them.
    private(set) var looks = 0
    /// Jobs with which this turn has done something for them.
    private(set) var jobs = 0

    /// Those that do not go on now, by their numbers.
    private var waits: [UInt64: Wait] = [:]
    /// Bundles that one of them could not go on with.
    private var unreadable: [UInt64: Set<BundleNumber>] = [:]

    /// How many are shown that have ended.
    private static let shownFinished = 8

    /// One begins.
    mutating func begin(_ number: UInt64) {
        last = number
        version &+= 1
    }

    /// A turn has looked at so many jobs, and taken so many.
    mutating func note(looks: Int, jobs: Int) {
        self.looks += looks
        self.jobs += jobs
    }

    /// One does not go on for now.
    mutating func wait(_ number: UInt64, _ wait: Wait) { change(number, to: wait) }

    /// One goes on.
    mutating func endPause(of number: UInt64) { change(number, to: nil) }

    /// Observers see only what it waits for: not until when.
    private mutating func change(_ number: UInt64, to wait: Wait?) {
        let old = waits[number]
        waits[number] = wait
        if (old?.text ?? "") != (wait?.text ?? "") { version &+= 1 }
    }

    /// One that is left, as observers see it.
    func summary(of work: JournalEntry.BulkActionWork, since time: WallTime) -> BulkSummary {
        var summary = work.summary(since: time, isFinished: false)
        summary.waitsFor = waits[work.number]?.text ?? ""
        return summary
    }

    /// Until when those do not go on that pause: `distantFuture` where a bundle is read for one.
    var pauses: [UInt64: MonotonicTime] { waits.mapValues(\.until) }

    /// Whether one waits for a bundle to be read.
    func isReading(_ number: UInt64) -> Bool { waits[number] == .reading }

    /// Its bundle was read; or it cannot be, and the action does without it.
    mutating func endReading(_ number: UInt64, unreadable bundle: BundleNumber?) {
        if isReading(number) { change(number, to: nil) }
        if let bundle { unreadable[number, default: []].insert(bundle) }
    }

    /// Bundles that one cannot go on with.
    func unreadableBundles(of number: UInt64) -> Set<BundleNumber> { unreadable[number] ?? [] }

    /// Observers see another number.
    mutating func noteProgress() { version &+= 1 }

    /// One has ended.
    mutating func finish(_ summary: BulkSummary) {
        // It may have begun in an earlier epoch.
        last = max(last, summary.number)
        (waits[summary.number], unreadable[summary.number]) = (nil, nil)
        finished.append(summary)
        if finished.count > Self.shownFinished { finished.removeFirst() }
    }

    /// The next turn has its own budget.
    mutating func endTurn() { (looks, jobs) = (0, 0) }
}
