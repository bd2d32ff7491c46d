//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// An ended job that was read out of a bundle.
struct RecalledJob {
    /// All that observers see of it.
    let summary: JobSummary
    /// Whether the front itself asked for it.
    let isFromFront: Bool
}

extension RecalledJob {
    /// The jobs of a bundle, by number.
    /// - Parameter facts: What was written into it: whole jobs, and what feeds' jobs are before them.
    static func all(of facts: [Fact]) -> [UInt64: RecalledJob] {
        var feedJobs: [JobID: Fact.FeedJob] = [:]
        var recalled: [UInt64: RecalledJob] = [:]
        for fact in facts {
            if case .feedJobAccepted(let job) = fact { feedJobs[job.job] = job }
            guard case .jobsStored(let stored) = fact else { continue }
            let payloads = stored.payloads.map { Array($0) }
            for (index, id) in stored.jobs.enumerated() {
                guard var summary = stored.summary(at: index, result: payloads[index]) else { continue }
                (summary.feed, summary.operation) = (feedJobs[summary.id]?.key, feedJobs[summary.id]?.operation)
                recalled[id] = RecalledJob(summary: summary, isFromFront: stored.sessions[index] == 0)
            }
            for failure in stored.failures { recalled.change(stored.jobs[Int(failure.index)]) { $0.failure = failure.value } }
            for cancel in stored.cancels { recalled.change(stored.jobs[Int(cancel.index)]) { $0.cancel = cancel.value } }
        }
        return recalled
    }
}

extension [UInt64: RecalledJob] {
    fileprivate mutating func change(_ job: UInt64, _ change: (inout JobSummary) -> Void) {
        guard let old = self[job] else { return }
        var summary = old.summary
        change(&summary)
        self[job] = RecalledJob(summary: summary, isFromFront: old.isFromFront)
    }
}

extension Fact.StoredJobs {
    /// What observers see of an ended job, but for its feed, its failure and its cancel; nil: its state is none.
    fileprivate func summary(at index: Int, result: [UInt8]) -> JobSummary? {
        guard let state = JobState(rawValue: states[index]) else { return nil }
        var summary = JobSummary(
            id: JobID(jobs[index]), loader: loaders[Int(loaderIndexes[index])], state: state,
            acceptedAt: WallTime(milliseconds: acceptedAt[index]))
        let terms = terms[Int(termIndexes[index])]
        (summary.askedBy, summary.options) = (terms.client, terms.options)
        (summary.attempts, summary.deaths) = (attempts[index], UInt32(deaths[index]))
        summary.endedAt = WallTime(milliseconds: changedAt[index])
        if state == .succeeded { summary.result = result }
        return summary
    }
}
