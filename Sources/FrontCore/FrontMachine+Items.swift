//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FrontMachine {
    /// The value of a topic's item as it is now; nil: there is no such item.
    public func item(_ key: String, of topic: Topic) -> ItemValue? {
        switch topic {
        case .feed(let feedKey):
            guard let feed = state.feeds[feedKey]?.state else { return nil }
            if key == "feed" { return .feed(feed) }
            guard key == "progress", let job = feed.activity.job else { return nil }
            return jobViews.progress(of: job.rawValue).map { .progress(job, $0) }
        case .view(let feedKey, let name): return state.feeds[feedKey]?.views[name].map { .view($0) }
        case .job(let id):
            if key == "progress" { return jobViews.progress(of: id.rawValue).map { .progress(id, $0) } }
            return job(id.rawValue).map { .job($0) }
        case .jobs:
            if key == "counts" { return .counts(countsNow) }
            guard let id = UInt64(key.dropFirst(4)), jobViews.listed.contains(id) else { return nil }
            return job(id).map { .job($0) }
        case .workers: return UInt64(key.dropFirst(7)).flatMap { worker(WorkerID($0)) }.map { .worker($0) }
        case .front: return .front(turn.summary)
        case .limits, .schedules: return nil
        }
    }

    /// The keys of all of a topic's items, in an order of their own.
    public func itemKeys(of topic: Topic) -> [String] {
        switch topic {
        case .feed(let key):
            guard let feed = state.feeds[key]?.state else { return [] }
            return feed.activity.job.flatMap { jobViews.progress(of: $0.rawValue) } == nil ? ["feed"] : ["feed", "progress"]
        case .view(let key, let name): return state.feeds[key]?.views[name] == nil ? [] : ["view"]
        case .job(let id):
            guard state.jobs.contains(id.rawValue) else { return [] }
            return jobViews.progress(of: id.rawValue) == nil ? ["job"] : ["job", "progress"]
        case .jobs: return ["counts"] + jobViews.listed.map { "job/\($0)" }
        case .workers: return state.workers.all.map { "worker/\($0.id)" }
        case .front: return ["front"]
        case .limits, .schedules: return []
        }
    }

    private var countsNow: JobCounts {
        var counts = state.jobs.totals.counts
        counts.oldestWaiting = state.jobs.scheduler.oldestAcceptance.map { WallTime(milliseconds: $0) }
        counts.failures = state.jobs.ended.tally.listed
        return counts
    }

    private func worker(_ id: WorkerID) -> WorkerSummary? {
        guard let index = state.workers.index(of: id), let record = state.workers[index] else { return nil }
        var summary = WorkerSummary(id: id, name: record.registration.name, slots: record.registration.slots)
        summary.processID = record.registration.processID
        if let hand = state.jobs.hand(of: index) {
            summary.slotsTaken = UInt32(max(0, hand.slotsTaken))
            summary.prefetched = UInt32(max(0, hand.shortHeld))
        }
        summary.loaders = record.registration.loaders.map(\.name)
        summary.state = record.shown.rawValue
        return summary
    }

    /// Every object that the shared state or a pending job names: collection must spare them.
    public var namedObjects: Set<ObjectDigest> {
        var named = state.feeds.objectNames.objects
        for feed in state.feeds.all {
            for damaged in feed.damaged where damaged.isNamed(at: turn.now.wall) { named.insert(damaged.object) }
        }
        for (id, record) in state.jobs.keyLines.all where state.jobs.isAlive(id) {
            if let source = record.job.source { named.insert(source.digest) }
            if let content = record.granted?.content { named.insert(content.digest) }
        }
        return named
    }

    /// When the oldest running grant was made for the first time; nil: nothing runs. A worker that registers again goes on with old work.
    public var oldestGrant: WallTime? {
        // Held jobs stand in the order of their grants.
        state.workers.indices.compactMap { index in
            let held = state.jobs.held(by: index)
            return held.isEmpty ? nil : state.jobs[held.first].changedAt
        }

        .min().map { WallTime(milliseconds: $0) }
    }
}
