//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

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
        return stored
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
