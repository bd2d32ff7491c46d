//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Actions with many jobs: who may begin one, and how far each turn comes with it.
extension JobQueue {
    /// Begins an action with all jobs of a selection, or counts those that it would be done with.
    ///
    /// It is done from the next turn on, a bounded part in each. What counts as chosen is decided now: jobs that there are, and whose state changes
    /// no more before their turn comes.
    mutating func answer(to request: BulkRequest, by session: SessionID, in turn: inout FrontTurn) -> Reply {
        if let fault = request.fault(at: turn.now.wall) { return .refusal(.invalidData, fault) }
        if request.isDry { return count(request, in: &turn) }
        let (count, bound) = (turn.state.left.bulkActions.count, turn.settings.bounds.bulkActions)
        guard count < bound else {
            let text = "\(count) actions with many jobs are under way (limit \(bound)): wait until one has ended"
            return turn.busy(.bulkActions, text, retryAfter: RetryPause.usual)
        }
        // Where a count goes on is nothing to keep.
        var selection = request.selection
        (selection.before, selection.limit) = (nil, JobQuery().limit)
        let number = max(bulkActions.last, turn.state.left.bulkActions.last?.work.number ?? 0) + 1
        let work = JournalEntry.BulkActionWork(number, selection, request.action, by: turn.state.sessions.label(session))
        bulkActions.begin(number)
        let newest = JobID(turn.state.jobs.numbers.nextJob &- 1)
        turn.leave(.bulk(work), since: turn.now.wall, at: .job(newest))
        return .selected(bulk: number, jobs: 0, next: nil)
    }

    /// Goes on with an action: the jobs of its selection that have not changed since it was asked for, the newest first, as many as this turn may.
    mutating func goOn(_ left: JournalEntry.WorkLeft, _ work: JournalEntry.BulkActionWork, in turn: inout FrontTurn) {
        guard case .job(let newest)? = left.cursor else { return turn.finish(left.work) }
        // A cancel is possible also while nothing else can be written.
        guard !turn.context.storageIsFull || work.action == .cancel else {
            return turn.check(.work, by: turn.now.monotonic.advanced(by: RetryPause.usual))
        }
        let bounds = turn.settings.bounds
        var (work, chosen) = (work, ChosenJobs(work.selection, work.action, since: left.since))
        chosen.limits = (max(0, bounds.bulkActionLooks - bulkActions.looks), max(0, bounds.bulkActionJobs - bulkActions.jobs))
        look(for: &chosen, from: newest, in: &turn)
        bulkActions.note(looks: chosen.looks, jobs: chosen.jobs.count)
        work.passedOver += chosen.changed
        for id in chosen.jobs {
            if carryOut(work.action, JobID(id), by: work.by, in: &turn) { work.done += 1 } else { work.passedOver += 1 }
        }
        bulkActions.noteProgress()
        if let next = chosen.next { return turn.leave(.bulk(work), since: left.since, at: .job(next)) }
        bulkActions.finish(work.summary(since: left.since, isFinished: true))
        turn.finish(.bulk(work))
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
            }
        return switch reply {
        case .done, .cancelling: true
        default: false
        }
    }

    /// How many jobs an action would be done with, as far as one turn looks.
    private func count(_ request: BulkRequest, in turn: inout FrontTurn) -> Reply {
        var chosen = ChosenJobs(request.selection, request.action, since: turn.now.wall)
        chosen.limits = (Self.countedLooks, .max)
        chosen.isCounted = true
        look(for: &chosen, from: request.selection.before.map { JobID($0.rawValue &- 1) } ?? JobID(.max), in: &turn)
        return .selected(bulk: 0, jobs: UInt64(chosen.count), next: chosen.next.map { $0.advanced(by: 1) })
    }

    /// Jobs that one request looks at which counts some.
    private static let countedLooks = 200_000

    /// Looks for jobs from one on, the newest first.
    private func look(for chosen: inout ChosenJobs, from newest: JobID, in turn: inout FrontTurn) {
        let below = newest.rawValue == .max ? nil : newest.rawValue + 1
        let looks = turn.state.jobs.slab.visit(below: below) { record in
            guard chosen.mayLook(at: record.id) else { return false }
            chosen.look(
                at: record, loader: turn.state.jobs.loaderNames[Int(record.loader)],
                tags: turn.state.jobs.terms[Int(record.terms)].options.tags, feed: turn.state.jobs.keyLines[record.id]?.job.key,
                code: turn.state.jobs.failureCode(of: record))
            return true
        }
        turn.step(looks)
    }
}

/// Jobs that an action with many is done with, as they are found.
private struct ChosenJobs {
    private var filter: JobFilter
    private let action: BulkAction
    private let states: [JobState]
    private let since: WallTime
    /// Jobs that are looked at, and that are chosen, at most.
    var limits = (looks: Int.max, jobs: Int.max)
    /// Whether they are only counted.
    var isCounted = false
    /// Those that were found.
    private(set) var jobs: [UInt64] = []
    /// How many those are.
    private(set) var count = 0
    /// Jobs that are of the selection and have changed since.
    private(set) var changed: UInt64 = 0
    /// Jobs that were looked at.
    private(set) var looks = 0
    /// The first one that was not; nil: all were.
    private(set) var next: JobID?

    init(_ selection: JobQuery, _ action: BulkAction, since: WallTime) {
        (filter, self.action, states, self.since) = (JobFilter(selection), action, action.states, since)
    }

    /// Whether one more may be looked at; otherwise the next turn goes on with it.
    mutating func mayLook(at job: UInt64) -> Bool {
        guard looks < limits.looks, count < limits.jobs else {
            next = JobID(job)
            return false
        }
        looks += 1
        return true
    }

    /// Whether the action does anything with such a job.
    private func takes(_ record: JobRecord) -> Bool {
        guard states.contains(record.state) else { return false }
        return action != .forgive || record.crashCount > 0 || record.flags.contains(.suspected)
    }

    // What is asked of the state comes as closures: for a call with it the whole state would be copied.

    mutating func look(
        at record: JobRecord, loader: @autoclosure () -> String, tags: @autoclosure () -> [String], feed: @autoclosure () -> FeedKey?,
        code: @autoclosure () -> FailureCode?
    ) {
        guard takes(record), filter.admits(record, loader: loader(), tags: tags(), feed: feed(), code: code()) else {
            return
        }
        guard record.standing.waits || record.changedAt <= since.milliseconds else {
            changed += 1
            return
        }
        count += 1
        if !isCounted { jobs.append(record.id) }
    }
}

/// What this epoch knows of actions with many jobs, beside those that are left.
struct BulkActions {
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

    /// Observers see another number.
    mutating func noteProgress() { version &+= 1 }

    /// One has ended.
    mutating func finish(_ summary: BulkSummary) {
        // It may have begun in an earlier epoch.
        last = max(last, summary.number)
        finished.append(summary)
        if finished.count > Self.shownFinished { finished.removeFirst() }
    }

    /// The next turn has its own budget.
    mutating func endTurn() { (looks, jobs) = (0, 0) }
}
