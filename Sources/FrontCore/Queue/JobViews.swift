//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What observers see of jobs: which are observed one by one, which running jobs are listed, their progress, and when the counts are sent.
struct JobViews {
    /// Jobs whose topic is observed.
    private(set) var observed = ObservedJobs()
    /// Progress of running jobs, by job.
    private var progress: [UInt64: JobProgress] = [:]
    /// Running jobs that the topic `jobs` lists one by one, oldest first.
    private(set) var listed: [UInt64] = []
    /// The counts that observers of `jobs` got last, and the version of their details.
    private var published = JobCounts()
    private var publishedDetails: UInt64 = 0
    /// Before this the counts are not published again, nor the limits.
    private var (countsDue, limitsDue) = (MonotonicTime(nanoseconds: 0), MonotonicTime(nanoseconds: 0))

    /// The progress of a job; nil: none was reported, or it does not run.
    func progress(of id: UInt64) -> JobProgress? { progress[id] }

    /// Somebody observes a job, of that feed if it is one's; or nobody does any more.
    mutating func observe(_ id: UInt64, of key: FeedKey?, _ isObserved: Bool) {
        if isObserved { observed.insert(id, of: key) } else { observed.remove(id) }
    }

    /// Notifies observers of a job that one of its items has changed.
    func note(_ id: UInt64, _ key: String, in turn: inout TurnContext) {
        guard !observed.isEmpty, observed.contains(id) else { return }
        turn.emit(.changed(.job(JobID(id)), key: key))
    }

    /// Notes how far a job is, if there is room for that; several reports in one turn merge.
    mutating func noteProgress(_ value: JobProgress, of id: UInt64, in turn: inout TurnContext) {
        // One that is shown goes on to be shown at the bound.
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

    /// An epoch begins: observers get these counts with their first snapshot.
    mutating func begin(_ counts: JobCounts, details: UInt64) { (published, publishedDetails) = (counts, details) }

    /// Sends observers of `jobs` the counts, at most 20 times a second, and less often where there are many clients: each publication goes
    /// to every observer, and with a thousand of them that costs more than the jobs.
    mutating func publish(_ counts: JobCounts, details: UInt64, clients: Int, in turn: inout TurnContext) {
        guard counts != published || details != publishedDetails else { return }
        guard Self.mayPublish(from: &countsDue, clients: clients, in: &turn) else { return }
        (published, publishedDetails) = (counts, details)
        turn.emit(.changed(.jobs, key: ItemKey.counts))
    }

    /// Whether observers of `limits` may get what has changed, which they do as often as the counts; else the front looks again when they may.
    mutating func mayPublishLimits(clients: Int, in turn: inout TurnContext) -> Bool {
        Self.mayPublish(from: &limitsDue, clients: clients, in: &turn)
    }

    private static func mayPublish(from due: inout MonotonicTime, clients: Int, in turn: inout TurnContext) -> Bool {
        let now = turn.now.monotonic
        guard now >= due else {
            turn.check(.counts, by: due)
            return false
        }
        let crowdPause = Duration.milliseconds(Int64(clients) * 1_000 / turn.settings.countsCopies)
        due = now.advanced(by: max(turn.settings.countsPause, crowdPause))
        return true
    }
}

/// Jobs whose topic is observed. Those of feeds are found by their feed too: they wait for each other.
struct ObservedJobs {
    private var keys: [UInt64: FeedKey?] = [:]
    private var ofFeeds: [FeedKey: Set<UInt64>] = [:]

    var isEmpty: Bool { keys.isEmpty }

    func contains(_ id: UInt64) -> Bool { keys[id] != nil }

    /// Somebody observes a job, of that feed if it is one's.
    mutating func insert(_ id: UInt64, of key: FeedKey?) {
        // It may have been observed before it was known whose it is.
        remove(id)
        keys[id] = .some(key)
        if let key { ofFeeds[key, default: []].insert(id) }
    }

    /// Nobody does any more.
    mutating func remove(_ id: UInt64) {
        guard let key = keys.removeValue(forKey: id), let key else { return }
        ofFeeds[key]?.remove(id)
        if ofFeeds[key]?.isEmpty == true { ofFeeds[key] = nil }
    }

    /// All of them, by number.
    var all: [UInt64] { keys.keys.sorted() }

    /// Those of a feed, by number.
    func all(of key: FeedKey) -> [UInt64] { ofFeeds[key]?.sorted() ?? [] }
}

extension JobQueue {
    /// The feed's jobs that wait may have other reasons: another one of its key goes, comes or is to stop. The feed itself gets it as a
    /// change of its job.
    mutating func questionWaits(of key: FeedKey, in turn: inout FrontTurn) {
        guard !views.observed.isEmpty else { return }
        notify(views.observed.all(of: key), in: &turn)
    }

    /// Notifies observers of jobs of which that is so, since the reasons of their waits may have changed.
    mutating func questionObservedWaits(in turn: inout FrontTurn, where mayDiffer: (UInt64) -> Bool = { _ in true }) {
        guard !views.observed.isEmpty else { return }
        let all = views.observed.all
        turn.step(all.count / TurnContext.scansPerStep)
        for id in all where turn.state.jobs.contains(id) && mayDiffer(id) {
            questions.askWait(of: id)
        }
    }

    /// Whether observers of waiting jobs are still to be notified.
    var hasOpenWaits: Bool { questions.hasWaits }

    /// Notifies observers of jobs whose reasons may have changed, of some in one turn.
    mutating func notifyObservedWaits(in turn: inout FrontTurn) {
        guard questions.hasWaits else { return }
        notify(questions.takeWaits(turn.settings.bounds.waitLooks), in: &turn)
        if questions.hasWaits { turn.check(.waits, by: turn.now.monotonic) }
    }

    /// A job runs in a slot: observers see it among the running ones.
    mutating func showRunning(_ id: UInt64, in turn: inout FrontTurn) { views.list(id, in: &turn.context) }

    /// A running job is so far; several reports in one turn merge.
    mutating func noteProgress(_ progress: JobProgress, of id: UInt64, in turn: inout FrontTurn) {
        views.noteProgress(progress, of: id, in: &turn.context)
    }

    /// Observers of these jobs see them otherwise now.
    mutating func noteJobs(_ jobs: [UInt64], in turn: inout FrontTurn) {
        guard !views.observed.isEmpty else { return }
        for id in jobs { noteJob(id, ItemKey.job, in: &turn) }
    }

    private mutating func notify(_ jobs: [UInt64], in turn: inout FrontTurn) {
        turn.step(jobs.count)
        for id in jobs where turn.state.jobs.contains(id) && turn.state.jobs[id].state == .waiting { noteJob(id, ItemKey.job, in: &turn) }
    }
}

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

    /// An item of the topic of all jobs, or of those of the limits and the pauses; nil: there is no such item.
    func item(_ key: String, in turn: FrontTurn) -> ItemValue? {
        if key == ItemKey.counts { return .counts(counts(in: turn)) }
        if let target = ItemKey.pause(key) { return pause(of: target, withMembers: true, in: turn).map { .pause($0) } }
        if let name = ItemKey.limit(key) {
            return turn.state.jobs.limits.summary(of: name) { shownLengths.wallTime(of: $0) }.map { .limit($0) }
        }
        guard let id: UInt64 = ItemKey.job(key), views.listed.contains(id) else { return nil }
        return job(id, in: turn).map { .job($0) }
    }

    /// The keys of all items of a topic that each front has; of one that the loop knows, its own name.
    func itemKeys(of topic: FrontTopic, in turn: FrontTurn) -> [String] {
        switch topic {
        case .jobs: [ItemKey.counts] + views.listed.map { ItemKey.job($0) }
        case .limits: turn.state.jobs.limits.names.map { ItemKey.limit(named: $0) }
        case .pauses: turn.state.jobs.pauses.targets.map { ItemKey.pause(of: $0) }
        case .workers, .front, .storage, .clients: [ItemKey.only(of: .ofFront(topic))]
        }
    }

    private func counts(in turn: FrontTurn) -> JobCounts {
        var counts = turn.state.jobs.counts
        counts.failures = turn.state.jobs.listedFailures
        (counts.unoffered, counts.unofferedOthers) = turn.state.jobs.unoffered
        counts.bulkActions = bulkActions.finished + turn.state.left.bulkActions.map { bulkActions.summary(of: $0.work, since: $0.since) }
        return counts
    }
}
