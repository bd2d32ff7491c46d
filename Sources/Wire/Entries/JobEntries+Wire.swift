//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

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
        label = value.label
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.FeedJob {
        var job = JournalEntry.FeedJob(
            job: JobID(job), key: try bounds.feed(key), operation: try bounds.known(operation, "a feed's operation"),
            loader: try bounds.label(loader, "a loader's name"), acceptedAt: WallTime(milliseconds: acceptedAt))
        job.cause = try bounds.known(cause, "a load's cause")
        job.view = try bounds.label(view, "a view's name")
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
        job.label = try bounds.label(label, "a client's label")
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
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.EndedJobs {
        try bounds.columns(jobs.count, states.count, lengths.count, what: "ended jobs")
        var ended = JournalEntry.EndedJobs(at: WallTime(milliseconds: at))
        ended.results = try bounds.packed(lengths, results, "results of ended jobs")
        ended.jobs = jobs
        ended.states = try bounds.finalStates(states)
        ended.failures = try bounds.indexed(failures, below: jobs.count, what: "failures of ended jobs")
        guard !crashIndexes.isEmpty else { return ended }
        try bounds.columns(crashIndexes.count, crashCounts.count, what: "crash counts of ended jobs")
        try bounds.indexes(crashIndexes, below: jobs.count, what: "crash counts of ended jobs")
        ended.crashCounts = zip(crashIndexes, crashCounts).map { Indexed(index: $0, value: $1) }
        return ended
    }
}
