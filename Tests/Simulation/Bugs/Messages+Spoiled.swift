//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire

extension ClientMessage {
    /// The message as a front with a bug reads it; most bugs leave it as it is.
    func misread(by bug: InjectedBug) -> ClientMessage {
        if bug == .optionsMixed, case .submit(var submit) = self {
            let count = submit.arguments.count
            submit.options = JobOptionsColumn((0..<count).map { submit.options[($0 + 1) % count] })
            return .submit(submit)
        }
        if bug == .keysFreedEarly, case .submit(var submit) = self, var options = submit.options.distinct.first,
            let key = options.uniqueKey
        {
            options.uniqueKey = UniqueKey(key.text, mode: .untilStarted)
            submit.options = JobOptionsColumn(options)
            return .submit(submit)
        }
        if bug == .anyLoaderTaken, case .submit(var submit) = self {
            submit.takesAnyLoader = true
            return .submit(submit)
        }
        if bug == .debouncesCut, case .submit(var submit) = self, var options = submit.options.distinct.first,
            let debounce = options.uniqueKey?.debounce
        {
            options.uniqueKey?.debounce = Debounce(quiet: debounce.quiet / 10, longest: debounce.longest)
            submit.options = JobOptionsColumn(options)
            return .submit(submit)
        }
        guard case .request(var request) = self else { return self }
        request.body = request.body.misread(by: bug)
        return .request(request)
    }
}

extension RequestBody {
    fileprivate func misread(by bug: InjectedBug) -> RequestBody {
        let isPersistent = bug != .versionsOverlooked
        switch self {
        case .feed(let key, .sort(let view, let order, let version)):
            return .feed(
                key,
                .sort(
                    view: bug == .sharedOrderMisread && view == "shared" ? "mine" : view, order: order,
                    version: isPersistent ? version : nil))
        case .feed(let key, .filter(let view, let text, let version)):
            return .feed(key, .filter(view: view, text: bug == .filterLost ? "" : text, version: isPersistent ? version : nil))
        case .feed(let key, .select(let view, let itemID, let version)):
            return .feed(key, .select(view: view, itemID: bug == .selectionLost ? nil : itemID, version: isPersistent ? version : nil))
        // That is answered in the same way, and does nothing.
        case .job(.bulk(var bulk)) where bug == .selectionsWidened:
            bulk.selection.loader = ""
            return .job(.bulk(bulk))
        case .drainWorker where bug == .drainsOverlooked: return .job(.outcomes([]))
        case .pause(.begin) where bug == .pausesOverlooked: return .job(.outcomes([]))
        case .limit(.set(let name, var rule)) where bug == .capacityMisread:
            rule.capacity? += 1
            return .limit(.set(name, rule))
        case .limit(.set(let name, var rule)) where bug == .rateMisread:
            rule.refill?.count *= 3
            return .limit(.set(name, rule))
        case .limit(.set(let name, var rule)) where bug == .beyondOverlooked:
            rule.refill?.beyond = .wait
            return .limit(.set(name, rule))
        case .feed, .job, .listFeeds, .drainWorker, .limit, .pause, .unknown, .unreadable: return self
        }
    }
}

extension WorkerMessage {
    /// A registration has one slot more.
    var withOneSlotMore: WorkerMessage {
        guard case .register(var registration) = self else { return self }
        registration.slots += 1
        return .register(registration)
    }

    /// The report, twice; any other message once.
    var withReportsTwice: [WorkerMessage] {
        if case .ended = self { [self, self] } else { [self] }
    }

    /// Results of eight bytes name the run before.
    var withStaleResults: WorkerMessage {
        guard case .ended(var ended) = self else { return self }
        ended.results = PackedBytes(
            ended.results.map { result in
                var stale = Array(result)
                if stale.count == 8 { stale[0] &-= 1 }
                return stale
            })
        return .ended(ended)
    }
}

extension WorkerBoundMessage {
    /// A cancel is gone; a renewal's answer names none.
    var withoutCancels: WorkerBoundMessage? {
        switch self {
        case .cancel: nil
        case .renewed(let number, _): .renewed(number, cancels: [])
        case .registered, .reregister, .grant, .acknowledged, .drain, .refused, .unknown, .unreadable: self
        }
    }

    /// A create or an update begins with nothing.
    var withoutList: WorkerBoundMessage {
        guard case .grant(var grant) = self else { return self }
        for index in grant.feedWork.indices where [.create, .update].contains(grant.feedWork[index].value.operation) {
            grant.feedWork[index].value.content = nil
        }
        return .grant(grant)
    }

    /// Nothing that was saved goes along.
    var withoutStates: WorkerBoundMessage {
        guard case .grant(var grant) = self else { return self }
        grant.resumeStates = []
        return .grant(grant)
    }

    /// Attempts may take half as long.
    var withHalfTheTimeouts: WorkerBoundMessage {
        guard case .grant(var grant) = self else { return self }
        grant.attemptTimeouts = grant.attemptTimeouts.map { $0 / 2 }
        return .grant(grant)
    }

    /// Limits allow one job fewer, if that is any.
    var withLowerLimits: WorkerBoundMessage {
        guard case .grant(var grant) = self else { return self }
        grant.limitSets = grant.limitSets.map { set in
            set.map { limit in
                var lower = limit
                if let capacity = limit.rule?.capacity, capacity > 1 { lower.rule?.capacity = capacity - 1 }
                return lower
            }
        }
        return .grant(grant)
    }

    /// Every load is one of the same feed.
    var withOneKey: WorkerBoundMessage {
        guard case .grant(var grant) = self else { return self }
        for index in grant.feedWork.indices where grant.feedWork[index].value.operation == .load {
            grant.feedWork[index].value.key = Feeds.keys[0]
        }
        return .grant(grant)
    }
}

extension WorkerMessage {
    /// Lines are those of the next job.
    var withLinesOfNextJob: WorkerMessage {
        func mixed(_ log: JobLog, of job: UInt64) -> JobLog {
            JobLog(log.lines.map { LogLine(attempt: $0.attempt, at: $0.at, text: "job \(job + 1) run 1") }, omitted: log.omitted)
        }
        switch self {
        case .log(var reports):
            for index in reports.indices { reports[index].log = mixed(reports[index].log, of: reports[index].job.rawValue) }
            return .log(reports)
        case .ended(var ended):
            for index in ended.logs.indices {
                ended.logs[index].value = mixed(ended.logs[index].value, of: ended.jobs[Int(ended.logs[index].index)])
            }
            return .ended(ended)
        default: return self
        }
    }
}

extension JournalEntry {
    /// Jobs are due before the clock of lengths has begun.
    var withEarlyDues: JournalEntry {
        guard case .jobsDue(var due) = self else { return self }
        due.lengthTime = 0
        return .jobsDue(due)
    }

    /// What an action has repeated is still to be repeated.
    var withCursorBehind: JournalEntry {
        guard case .workLeft(var left) = self, case .bulk(let work) = left.work, work.action == .retry, work.done > 0,
            case .job(let next)? = left.cursor
        else { return self }
        left.cursor = .job(next.advanced(by: 1_000))
        return .workLeft(left)
    }

    /// New jobs repeat none.
    var withoutRepeats: JournalEntry {
        guard case .jobsAccepted(var accepted) = self else { return self }
        accepted.repeats = []
        return .jobsAccepted(accepted)
    }

    /// Jobs that wait for their next run were not snoozed.
    var withoutSnoozes: JournalEntry {
        guard case .attemptsEnded(var ended) = self else { return self }
        for index in ended.jobs.indices { ended.jobs[index].snoozeCount = 0 }
        return .attemptsEnded(ended)
    }

    /// Jobs are tried again after half of their pauses.
    var withHalfThePauses: JournalEntry {
        guard case .attemptsEnded(var ended) = self else { return self }
        for index in ended.jobs.indices where ended.jobs[index].notBefore != 0 {
            ended.jobs[index].notBefore -= (ended.jobs[index].notBefore - ended.lengthTime) / 2
        }
        return .attemptsEnded(ended)
    }

    /// A limit says nothing any more.
    var withoutRulesOfLimits: JournalEntry {
        guard case .limitChanged(let changed) = self else { return self }
        return .limitChanged(JournalEntry.LimitChanged(changed.name, nil))
    }

    /// Runs have taken no time.
    var withoutLengthsOfRuns: JournalEntry {
        switch self {
        case .attemptsEnded(var ended):
            for index in ended.runs.indices { ended.runs[index].value.startedAt = ended.runs[index].value.endedAt }
            return .attemptsEnded(ended)
        case .ended(var ended):
            for index in ended.runs.indices { ended.runs[index].value.startedAt = ended.runs[index].value.endedAt }
            return .ended(ended)
        default: return self
        }
    }

    /// Accepted jobs end at other times.
    func withEndings(_ change: (inout JobEnding) -> Void) -> JournalEntry {
        guard case .jobsAccepted(var accepted) = self else { return self }
        accepted.options = JobOptionsColumn(
            (0..<accepted.arguments.count).map { row in
                var options = accepted.options[row]
                change(&options.ending)
                return options
            })
        return .jobsAccepted(accepted)
    }

    /// Jobs stand where they would without a priority.
    var withoutPriority: JournalEntry {
        if case .jobsAccepted(var accepted) = self {
            accepted.rankTime = accepted.acceptedAt.milliseconds + Int64(accepted.options[0].priority) * 60_000
            return .jobsAccepted(accepted)
        }
        guard case .jobsStored(var stored) = self else { return self }
        stored.ranks = stored.acceptedAt
        return .jobsStored(stored)
    }
}

extension FrontMessage {
    /// Whether it carries outcomes.
    var isAnswers: Bool {
        guard case .answers = self else { return false }
        return true
    }

    /// The message as a bug makes it; most bugs leave it as it is.
    func spoiled(by bug: InjectedBug) -> FrontMessage {
        switch self {
        case .answers(var answers):
            answers.spoil(by: bug)
            return .answers(answers)
        case .reply(let number, let reply, let feed): return .reply(number: number, reply.spoiled(by: bug), feed: feed)
        case .snapshot, .snapshotRefused, .welcome, .sessionEnded, .refused, .heartbeat, .resumeFirst, .unknown: return self
        }
    }
}

extension FrontMessage.SnapshotPart {
    /// The part as a mistake makes it.
    func spoiled(by bug: InjectedBug?) -> Self {
        guard bug == .snapshotsShort, part == 0 else { return self }
        var short = self
        short.items = Array(items.dropFirst())
        return short
    }
}

extension FrontMessage.Answers {
    fileprivate mutating func spoil(by bug: InjectedBug) {
        if bug == .endsSpoiled, let first = states.first { states[0] = first == .succeeded ? .failed : .succeeded }
        if bug == .cancelledReportedDone { states = states.map { $0 == .cancelled ? .succeeded : $0 } }
        if bug == .outcomesUnknown {
            unknown += jobs
            (jobs, states, results) = ([], [], PackedBytes())
        }
    }
}

extension Reply {
    fileprivate func spoiled(by bug: InjectedBug) -> Reply {
        switch self {
        case .jobs(var jobs, let next, let retention):
            if bug == .listShort { jobs = Array(jobs.dropFirst()) }
            if bug == .waitingReportedEnded {
                for index in jobs.indices where jobs[index].state == .waiting { jobs[index].state = .cancelled }
            }
            return .jobs(jobs, next: next, retention: retention)
        case .accepted(let job, let isJoined): return bug == .loadReportedCancelled ? .cancelling(job) : .accepted(job, joined: isJoined)
        case .refused(let failure, let retryAfter):
            return bug == .codesMisstated ? .refused(Failure(code: .outcomeUnknown, text: failure.text), retryAfter: retryAfter) : self
        case .jobsAccepted, .done, .cancelling, .alreadyEnded, .explanation, .feeds, .selected: return self
        }
    }
}

extension JournalRow {
    /// The row as a journal with an injected bug writes it.
    func spoiled(by bug: InjectedBug?) -> JournalRow {
        guard bug == .checkpointForgetsViews, let slice, let entries = try? WireCodec().decodeEntries(slice.entries) else { return self }
        var row = self
        row.slice?.entries = WireCodec().encode(entries.filter { if case .viewChanged = $0 { false } else { true } })
        return row
    }
}
