//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What observers see of jobs: who is observed one by one, which running jobs are listed, how far they are, and when the counts are told.
struct JobViews {
    /// Jobs whose topic is observed.
    private(set) var observed = ObservedJobs()
    /// Progress of running jobs, by job.
    private var progress: [UInt64: Progress] = [:]
    /// Running jobs that the topic `jobs` lists one by one, oldest first.
    private(set) var listed: [UInt64] = []
    /// The counts that observers of `jobs` saw last, and the version of what they are told in detail.
    private var published = JobCounts()
    private var publishedDetails: UInt64 = 0
    /// Before this the counts are not published again.
    private var countsDue = MonotonicTime(nanoseconds: 0)

    /// How far a job is; nil: it has not said, or does not run.
    func progress(of id: UInt64) -> Progress? { progress[id] }

    /// Somebody observes a job, of that feed if it is one's; or nobody does any more.
    mutating func observe(_ id: UInt64, of key: FeedKey?, _ isObserved: Bool) {
        if isObserved { observed.insert(id, of: key) } else { observed.remove(id) }
    }

    /// Tells observers of a job that one of its items has changed.
    func note(_ id: UInt64, _ key: String, in turn: inout TurnContext) {
        guard !observed.isEmpty, observed.contains(id) else { return }
        turn.emit(.changed(.job(JobID(id)), key: key))
    }

    /// Notes how far a job is, if there is room for that; several reports in one turn merge.
    mutating func noteProgress(_ value: Progress, of id: UInt64, in turn: inout TurnContext) {
        guard progress.count < turn.settings.bounds.progressingJobs || progress[id] != nil else { return }
        progress[id] = value
        note(id, ItemKey.progress, in: &turn)
    }

    /// A job runs no longer.
    mutating func clearProgress(of id: UInt64, in turn: inout TurnContext) {
        if !progress.isEmpty, progress.removeValue(forKey: id) != nil { note(id, ItemKey.progress, in: &turn) }
    }

    /// A running job is listed one by one, unless the list is full.
    mutating func list(_ id: UInt64, in turn: inout TurnContext) {
        guard listed.count < turn.settings.bounds.listedJobs, !listed.contains(id) else { return }
        listed.append(id)
        turn.emit(.changed(.jobs, key: ItemKey.job(id)))
    }

    /// A job is listed no longer.
    mutating func unlist(_ id: UInt64, in turn: inout TurnContext) {
        guard !listed.isEmpty, let index = listed.firstIndex(of: id) else { return }
        listed.remove(at: index)
        turn.emit(.changed(.jobs, key: ItemKey.job(id)))
    }

    /// A life of the front begins: observers get these counts with their first snapshot.
    mutating func begin(_ counts: JobCounts, details: UInt64) { (published, publishedDetails) = (counts, details) }

    /// Tells observers of `jobs` the counts, at most 20 times a second, and less often where there are many clients: each publication goes to
    /// every one that observes, and with a thousand of them that costs more than the jobs.
    mutating func publish(_ counts: JobCounts, details: UInt64, clients: Int, in turn: inout TurnContext) {
        guard counts != published || details != publishedDetails else { return }
        let now = turn.now.monotonic
        guard now >= countsDue else { return turn.check(.counts, by: countsDue) }
        let crowdPause = Duration.milliseconds(Int64(clients) * 1_000 / turn.settings.countsCopies)
        countsDue = now.advanced(by: max(turn.settings.countsPause, crowdPause))
        (published, publishedDetails) = (counts, details)
        turn.emit(.changed(.jobs, key: ItemKey.counts))
    }
}
