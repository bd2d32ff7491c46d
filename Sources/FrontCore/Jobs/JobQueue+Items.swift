//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// An item of a job's topic; nil: there is no such item.
    func item(_ key: String, of id: JobID, in turn: FrontTurn) -> ItemValue? {
        if key == ItemKey.progress { return views.progress(of: id.rawValue).map { .progress(id, $0) } }
        return job(id.rawValue, in: turn).map { .job($0) }
    }

    /// The keys of a job's items.
    func itemKeys(of id: JobID, in turn: FrontTurn) -> [String] {
        guard turn.state.jobs.contains(id.rawValue) else { return readings.observedJob(id.rawValue) == nil ? [] : [ItemKey.job] }
        return views.progress(of: id.rawValue) == nil ? [ItemKey.job] : [ItemKey.job, ItemKey.progress]
    }

    /// An item of the topic of all jobs; nil: there is no such item.
    func item(_ key: String, in turn: FrontTurn) -> ItemValue? {
        if key == ItemKey.counts { return .counts(counts(in: turn)) }
        guard let id = UInt64(key.dropFirst(4)), views.listed.contains(id) else { return nil }
        return job(id, in: turn).map { .job($0) }
    }

    private func counts(in turn: FrontTurn) -> JobCounts {
        var counts = turn.state.jobs.counts
        counts.failures = turn.state.jobs.ended.failureCounts.listed
        (counts.unoffered, counts.unofferedOthers) = turn.state.jobs.unoffered
        return counts
    }
}
