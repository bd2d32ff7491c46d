//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import GantryWireMessages

extension WireFeedJob: Mapped {
    init(_ value: JournalEntry.FeedJob) {
        self.init()
        job = value.job.rawValue
        key = value.key.text
        operation = WireFeedOperation(value.operation)
        loader = value.loader
        cause = WireLoadCause(value.cause)
        view = value.view
        if let id = value.itemID { itemID = id }
        item = Data(value.item)
        if let object = value.source { source = WireObjectReference(object) }
        if let some = WireSubmitter(value.submitter) { submitter = some }
        acceptedAt = value.acceptedAt.milliseconds
        rank = value.rank
        if let some = WireJobOptions(unusual: value.options) { options = some }
        (repeats, repeatedBy) = (value.repeats.rawValue, value.repeatedBy.rawValue)
        if let order = value.sort { sort = WireSortOrder(order) }
        filter = value.filter
        requests = UInt32(value.requests.rawValue)
        if let id = value.previousItemID { previousItemID = id }
        (label, client) = (value.asker.label, value.asker.client)
        if let time = value.delayedSince { delayedSince = time }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.FeedJob {
        var job = JournalEntry.FeedJob(
            job: JobID(job), key: try bounds.feed(key), operation: try bounds.known(operation, "a feed's operation"),
            loader: try bounds.label(loader, "a loader's name"), acceptedAt: WallTime(milliseconds: acceptedAt))
        (job.cause, job.view) = (try bounds.known(cause, "a load's cause"), try bounds.label(view, "a view's name"))
        job.itemID = hasItemID ? try bounds.itemID(itemID) : nil
        job.item = try bounds.payload(item, "an item")
        job.source = hasSource ? try source.value(within: bounds) : nil
        if hasSubmitter { job.submitter = try submitter.value(within: bounds) }
        job.rank = rank
        if hasOptions { job.options = try options.value(within: bounds) }
        (job.repeats, job.repeatedBy) = (JobID(repeats), JobID(repeatedBy))
        job.sort = hasSort ? try sort.value(within: bounds) : nil
        job.filter = try bounds.text(filter, "a filter")
        job.requests = ViewRequests(rawValue: try bounds.number(requests, upTo: 3, "what an order was asked for by"))
        job.previousItemID = hasPreviousItemID ? try bounds.itemID(previousItemID) : nil
        job.asker = JobTerms.Asker(label: try bounds.label(label, "a client's label"), client: try bounds.label(client, "a client's name"))
        job.delayedSince = hasDelayedSince ? delayedSince : nil
        return job
    }
}

extension WireGrantedJobs: Mapped {
    init(_ value: JournalEntry.GrantedJobs) {
        self.init()
        worker = value.worker.rawValue
        at = value.at.milliseconds
        jobs = value.jobs
        leases = value.leases
        isReregistration = value.isReregistration
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.GrantedJobs {
        try bounds.columns(jobs.count, leases.count, what: "granted jobs")
        var granted = JournalEntry.GrantedJobs(worker: WorkerID(worker), at: WallTime(milliseconds: at), isReregistration: isReregistration)
        granted.jobs = jobs
        granted.leases = leases
        return granted
    }
}

extension WireCancelRequested: Mapped {
    init(_ value: JournalEntry.CancelRequested) {
        self.init()
        (job, by, at) = (value.job.rawValue, value.by, value.at.milliseconds)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.CancelRequested {
        JournalEntry.CancelRequested(JobID(job), by: by, at: WallTime(milliseconds: at))
    }
}

extension WireTermsChanged: Mapped {
    init(_ value: JournalEntry.TermsChanged) {
        self.init()
        (job, rank) = (value.job.rawValue, value.rank)
        if let some = WireJobOptions(unusual: value.options) { options = some }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.TermsChanged {
        JournalEntry.TermsChanged(JobID(job), hasOptions ? try options.value(within: bounds) : JobOptions(), rank: rank)
    }
}

extension WireEndedJobs: Mapped {
    init(_ value: JournalEntry.EndedJobs) {
        self.init()
        at = value.at.milliseconds
        jobs = value.jobs
        states = Data(value.states.map(\.rawValue))
        lengths = value.results.lengths
        results = Data(value.results.bytes)
        failures = value.failures.map(WireIndexedFailure.init)
        crashIndexes = value.crashCounts.map(\.index)
        crashCounts = Data(value.crashCounts.map(\.value))
        lengthTime = value.lengthTime
        runs = value.runs.map(WireIndexedRun.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.EndedJobs {
        try bounds.columns(jobs.count, states.count, lengths.count, what: "ended jobs")
        var ended = JournalEntry.EndedJobs(at: WallTime(milliseconds: at))
        ended.results = try bounds.packed(lengths, results, "results of ended jobs")
        ended.jobs = jobs
        ended.states = try bounds.finalStates(states)
        ended.failures = try bounds.indexed(failures, below: jobs.count, what: "failures of ended jobs")
        ended.lengthTime = lengthTime
        ended.runs = try bounds.indexed(runs.known, below: jobs.count, what: "runs of ended jobs")
        guard !crashIndexes.isEmpty else { return ended }
        try bounds.columns(crashIndexes.count, crashCounts.count, what: "crash counts of ended jobs")
        try bounds.indexes(crashIndexes, below: jobs.count, what: "crash counts of ended jobs")
        ended.crashCounts = zip(crashIndexes, crashCounts).map { Indexed(index: $0, value: $1) }
        return ended
    }
}

extension WireAcceptedJobs: JobColumns, Mapped {
    init(_ value: JournalEntry.AcceptedJobs) {
        self.init()
        first = value.first.rawValue
        acceptedAt = value.acceptedAt.milliseconds
        rankTime = value.rankTime
        if let some = WireSubmitter(value.submitter) { submitter = some }
        loader = value.loader
        reportsOutcomes = value.reportsOutcomes
        write(value.arguments, value.options)
        (lengthTime, label, client) = (value.lengthTime, value.asker.label, value.asker.client)
        fingerprint = value.fingerprint
        (repeats, repeatingRows) = (value.repeats.map(\.value.rawValue), value.repeats.map(\.index))
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.AcceptedJobs {
        let columns = try columns(within: bounds)
        var accepted = JournalEntry.AcceptedJobs(
            first: JobID(first), acceptedAt: WallTime(milliseconds: acceptedAt), rankTime: rankTime,
            submitter: hasSubmitter ? try submitter.value(within: bounds) : .front, loader: try bounds.text(loader, "a loader's name"),
            options: columns.options, reportsOutcomes: reportsOutcomes, arguments: columns.arguments)
        (accepted.lengthTime, accepted.fingerprint) = (lengthTime, fingerprint)
        try bounds.columns(repeats.count, repeatingRows.count, what: "jobs that are repeated")
        try bounds.indexes(repeatingRows, below: columns.arguments.count, what: "jobs that are repeated")
        accepted.repeats = zip(repeatingRows, repeats).map { Indexed(index: $0, value: JobID($1)) }
        accepted.asker = JobTerms.Asker(
            label: try bounds.label(label, "a client's label"), client: try bounds.label(client, "a client's name"))
        return accepted
    }
}

extension WireSubmitter {
    /// A submitter; nil: it is the front, which is written as none.
    init?(_ value: Submitter) {
        self.init()
        switch value {
        case .session(let id): session = id.rawValue
        case .schedule(let name): schedule = name
        case .parent(let job): parent = job.rawValue
        case .front: return nil
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Submitter {
        switch kind {
        case .session(let id): .session(SessionID(id))
        case .schedule(let name): .schedule(try bounds.label(name, "a schedule's name"))
        case .parent(let job): .parent(JobID(job))
        case nil: .front
        }
    }
}

extension WireStoredJobs: Mapped {
    init(_ value: JournalEntry.StoredJobs) {
        self.init()
        jobs = value.jobs
        sessions = value.sessions
        ranks = value.ranks
        acceptedAt = value.acceptedAt
        changedAt = value.changedAt
        leases = value.leases
        workers = value.workers
        states = Data(value.states.map(\.rawValue))
        crashCounts = Data(value.crashCounts)
        flags = Data(value.flags.map(\.rawValue))
        attempts = value.attempts
        loaders = value.loaders
        loaderIndexes = value.loaderIndexes
        argumentLengths = value.arguments.lengths
        arguments = Data(value.arguments.bytes)
        resultLengths = value.results.lengths
        results = Data(value.results.bytes)
        failures = value.failures.map(WireIndexedFailure.init)
        cancels = value.cancels.map(WireIndexedCancel.init)
        terms = value.terms.map(WireJobTerms.init)
        termIndexes = value.termIndexes
        dues = value.dues.map(WireIndexedDue.init)
        uniqueKeys = value.uniqueKeys.map(WireIndexedUniqueKey.init)
        deadlines = value.deadlines.map(WireIndexedDeadline.init)
        snoozes = value.snoozes.map(WireIndexedSnooze.init)
        runs = value.runs.map(WireIndexedRuns.init)
        logs = value.logs.map(WireIndexedLog.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.StoredJobs {
        try bounds.columns(
            jobs.count, sessions.count, ranks.count, acceptedAt.count, changedAt.count, leases.count, workers.count, states.count,
            crashCounts.count, flags.count, attempts.count, loaderIndexes.count, termIndexes.count, argumentLengths.count,
            resultLengths.count, what: "stored jobs")
        let arguments = try bounds.packed(argumentLengths, arguments, "arguments of stored jobs")
        let results = try bounds.packed(resultLengths, results, "results of stored jobs")
        try bounds.indexes(termIndexes, below: terms.count, what: "terms of stored jobs")
        try bounds.indexes(loaderIndexes, below: loaders.count, what: "loaders of stored jobs")
        var stored = JournalEntry.StoredJobs()
        stored.jobs = jobs
        stored.sessions = sessions
        stored.ranks = ranks
        stored.acceptedAt = acceptedAt
        stored.changedAt = changedAt
        stored.leases = leases
        stored.workers = workers
        stored.states = try bounds.column(states, "the state of a stored job")
        for (row, length) in resultLengths.enumerated() where length > 0 && !stored.states[row].isFinal {
            throw CodecError(what: "results of stored jobs", reason: "job \(jobs[row]) has one, but has not ended")
        }
        stored.crashCounts = [UInt8](crashCounts)
        stored.flags = flags.map { JournalEntry.StoredJobs.Flags(rawValue: $0) }
        guard stored.flags.allSatisfy({ $0.isSubset(of: .all) }) else {
            throw CodecError(what: "flags of stored jobs", reason: "one has bits that are none of a job's")
        }
        stored.attempts = attempts
        stored.loaders = try bounds.labels(loaders, "loaders of stored jobs")
        stored.loaderIndexes = loaderIndexes
        stored.terms = try bounds.values(terms, "terms of stored jobs")
        stored.termIndexes = termIndexes
        stored.arguments = arguments
        stored.results = results
        stored.failures = try bounds.indexed(failures, below: jobs.count, what: "failures of stored jobs")
        stored.cancels = try bounds.indexed(cancels, below: jobs.count, what: "cancels of stored jobs")
        stored.dues = try bounds.indexed(dues, below: jobs.count, what: "times of stored jobs")
        stored.uniqueKeys = try bounds.indexed(uniqueKeys, below: jobs.count, what: "unique keys of stored jobs")
        stored.deadlines = try bounds.indexed(deadlines, below: jobs.count, what: "total times of stored jobs")
        stored.snoozes = try bounds.indexed(snoozes, below: jobs.count, what: "snoozes of stored jobs")
        stored.runs = try bounds.indexed(runs, below: jobs.count, what: "runs of stored jobs")
        stored.logs = try bounds.indexed(logs, below: jobs.count, what: "logs of stored jobs")
        let scheduled = stored.states.indices.filter { stored.states[$0] == .scheduled }
        guard stored.dues.map({ Int($0.index) }) == scheduled else {
            throw CodecError(what: "times of stored jobs", reason: "not each scheduled one has its own")
        }
        return stored
    }
}

extension WireIndexedDeadline: Mapped {
    init(_ value: Indexed<Int64>) {
        self.init()
        (index, lengthTime) = (value.index, value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<Int64> { Indexed(index: index, value: lengthTime) }
}

extension WireIndexedSnooze: Mapped {
    init(_ value: Indexed<SnoozeCount>) {
        self.init()
        (index, count, goesOn) = (value.index, value.value.count, value.value.goesOn)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<SnoozeCount> {
        Indexed(index: index, value: SnoozeCount(count, goesOn: goesOn))
    }
}

extension WireIndexedDue: Mapped {
    init(_ value: Indexed<JobDue>) {
        self.init()
        index = value.index
        due = WireJobDue(value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<JobDue> {
        Indexed(index: index, value: try due.value(within: bounds))
    }
}

extension WireJobDue: Mapped {
    init(_ value: JobDue) {
        self.init()
        switch value {
        case .length(let time): length = time
        case .point(let time): point = time.milliseconds
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobDue {
        switch kind {
        case .length(let time): .length(time)
        case .point(let time): .point(WallTime(milliseconds: time))
        case nil: throw CodecError(what: "the time of a job", reason: "none is given")
        }
    }
}

extension WireJobsDue: Mapped {
    init(_ value: JournalEntry.JobsDue) {
        self.init()
        (jobs, rankTime, lengthTime) = (value.jobs, value.rankTime, value.lengthTime)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.JobsDue {
        JournalEntry.JobsDue(jobs, rankTime: rankTime, lengthTime: lengthTime)
    }
}

extension WireJobDelayed: Mapped {
    init(_ value: JournalEntry.JobDelayed) {
        self.init()
        (job, due, lengthTime) = (value.job.rawValue, WireJobDue(value.due), value.lengthTime)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.JobDelayed {
        JournalEntry.JobDelayed(JobID(job), try due.value(within: bounds), lengthTime: lengthTime)
    }
}

extension WireCrashesForgiven: Mapped {
    init(_ value: JournalEntry.CrashesForgiven) {
        self.init()
        job = value.job.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.CrashesForgiven { JournalEntry.CrashesForgiven(JobID(job)) }
}

extension WireLengthClock: Mapped {
    init(_ value: LengthClock) {
        self.init()
        (bootID, offset, level) = (value.bootID, value.offset, value.level)
    }

    func value(within bounds: Bounds) throws(CodecError) -> LengthClock {
        LengthClock(bootID: try bounds.label(bootID, "the id of a boot"), offset: offset, level: level)
    }
}

extension WireIndexedCancel: Mapped {
    init(_ value: Indexed<CancelReceipt>) {
        self.init()
        index = value.index
        receipt = WireCancelReceipt(value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<CancelReceipt> {
        Indexed(index: index, value: try receipt.value(within: bounds))
    }
}

extension WireAttemptsEnded: Mapped {
    init(_ value: JournalEntry.AttemptsEnded) {
        self.init()
        jobs = value.jobs.map(\.job.rawValue)
        attempts = value.jobs.map(\.attempts)
        crashCounts = Data(value.jobs.map(\.crashCount))
        suspected = Data(value.jobs.map { $0.isSuspected ? 1 : 0 })
        cause = WireAttemptEndCause(value.cause)
        failures = value.failures.map(WireIndexedFailure.init)
        if value.jobs.contains(where: { $0.notBefore != 0 }) { notBefore = value.jobs.map(\.notBefore) }
        lengthTime = value.lengthTime
        if value.cause == .snoozed { snoozes = value.jobs.map(\.snoozeCount) }
        runs = value.runs.map(WireIndexedRun.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.AttemptsEnded {
        let what = "ended attempts"
        try bounds.columns(jobs.count, attempts.count, crashCounts.count, suspected.count, what: what)
        if !notBefore.isEmpty { try bounds.columns(jobs.count, notBefore.count, what: what) }
        let rows = zip(zip(jobs, attempts), zip(crashCounts, suspected))
        var ended = JournalEntry.AttemptsEnded(
            jobs: rows.map { job, counts in
                JournalEntry.EndedAttempt(job: JobID(job.0), attempts: job.1, crashCount: counts.0, isSuspected: counts.1 != 0)
            }, cause: try bounds.known(cause, "why attempts ended"), lengthTime: lengthTime)
        for (row, time) in notBefore.enumerated() { ended.jobs[row].notBefore = time }
        if ended.cause == .snoozed || !snoozes.isEmpty { try bounds.columns(jobs.count, snoozes.count, what: what) }
        for (row, count) in snoozes.enumerated() { ended.jobs[row].snoozeCount = count }
        ended.failures = try bounds.indexed(failures, below: jobs.count, what: what)
        ended.runs = try bounds.indexed(runs.known, below: jobs.count, what: what)
        return ended
    }
}
