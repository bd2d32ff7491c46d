//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// An ended job that was read out of a bundle.
struct RecalledJob {
    /// All that observers see of it.
    var summary: JobSummary
    /// What it worked on.
    let argument: [UInt8]
    /// Whether the front itself asked for it.
    let isFromFront: Bool
}

extension RecalledJob {
    /// The jobs of a bundle, by number.
    /// - Parameter entries: What was written into it: whole jobs, and what feeds' jobs are before them.
    static func all(of entries: [JournalEntry]) -> [UInt64: RecalledJob] {
        var feedJobs: [JobID: JournalEntry.FeedJob] = [:]
        var recalled: [UInt64: RecalledJob] = [:]
        for entry in entries {
            if case .feedJobAccepted(let job) = entry { feedJobs[job.job] = job }
            guard case .jobsStored(let stored) = entry else { continue }
            for (index, (argument, result)) in zip(stored.arguments, stored.results).enumerated() {
                let record = JobRecord(endedIn: stored, at: index)
                let summary = JobSummary(
                    record, loader: stored.loaders[Int(record.loader)], terms: stored.terms[Int(record.terms)],
                    feedJob: feedJobs[JobID(record.id)], failure: nil, cancel: nil, result: Array(result))
                recalled[record.id] = RecalledJob(summary: summary, argument: Array(argument), isFromFront: record.session == 0)
            }
            for failure in stored.failures { recalled[stored.jobs[Int(failure.index)]]?.summary.failure = failure.value }
            for cancel in stored.cancels { recalled[stored.jobs[Int(cancel.index)]]?.summary.cancel = cancel.value }
        }
        return recalled
    }
}

extension JobRecord {
    /// A job as it was when it was written into a bundle, with the indexes of that.
    fileprivate init(endedIn stored: JournalEntry.StoredJobs, at index: Int) {
        self.init(id: stored.jobs[index], rank: 0, acceptedAt: 0, loader: 0)
        take(stored, at: index, loader: Int(stored.loaderIndexes[index]), terms: Int(stored.termIndexes[index]), turn: 0)
        end(as: stored.states[index], with: .empty, at: WallTime(milliseconds: stored.changedAt[index]))
    }
}
