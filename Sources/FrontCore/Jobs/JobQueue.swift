//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is decided of jobs: whether they are accepted, what a cancel does, what follows from their end, and what whoever asks is told of them.
///
/// Where a job stands is durable, and `JobLifecycle` knows it; here is what only this life of the front knows.
struct JobQueue {
    /// What observers see of jobs.
    var views = JobViews()
    /// Lengths of runs, for estimates.
    var lengths = RunLengths()
    /// Why nothing is granted yet (memory mode); nil: it may be.
    var grantPause: GrantPause?
    /// Whether the disk is full: nothing is accepted or granted then.
    private(set) var storageIsFull = false
    /// What has become of feeds' jobs and the feeds have not heard yet.
    var news: [JobNews] = []
    /// Whether the reasons of all jobs that wait may have changed in this turn.
    var allWaitsAreInQuestion = false
    /// Outcomes that sessions are owed in this turn.
    var owed = OwedAnswers()
    /// What waits for ended jobs that have to be read.
    var readings = BundleReadings()
    /// Ended jobs that go into bundles before the next checkpoint.
    var toBundle = (failed: 0, others: 0)
    /// By what ended jobs grow old.
    var ageClock = AgeClock()
    /// What ranks are made of.
    var rankClock: RankClock
    /// Jobs that ended since the pace was last measured, and when: for estimates.
    var pace = Pace()

    init(now: FrontTime) { rankClock = RankClock(level: now.wall.milliseconds, at: now.monotonic) }

    /// A life of the front begins.
    mutating func begin(in turn: inout FrontTurn) {
        views.begin(turn.state.jobs.totals.counts, failures: turn.state.jobs.ended.tally.version)
        let last = turn.state.jobs.numbers.lastRankTime
        if last != 0 { rankClock = RankClock(level: last, at: turn.now.monotonic) }
        guard turn.settings.durability == .memory else { return }
        // Such a front writes none of its ended jobs, and so would leave these behind for ever.
        let bundles = turn.state.jobs.ended.bundled.all.map(\.number)
        if !bundles.isEmpty { turn.record(.bundlesForgotten(Fact.BundlesForgotten(bundles))) }
        for number in bundles { turn.emit(.forgetBundle(number)) }
        turn.state.jobs.number { $0.passReserved() }
        reserveIDs(in: &turn)
    }

    /// Observers see what an earlier life left.
    mutating func show(in turn: inout FrontTurn) {
        trimHistory(in: &turn)
        for index in turn.state.workers.indices {
            for id in turn.state.jobs.heldJobs(by: index) where !turn.state.jobs[id].flags.contains(.isShort) {
                views.list(id, in: &turn.context)
            }
        }
    }

    /// The disk is full, or has room again.
    mutating func noteStorage(isFull: Bool, in turn: inout FrontTurn) {
        guard storageIsFull != isFull else { return }
        storageIsFull = isFull
        questionAllWaits()
        turn.context.changeSummary { $0.storage = isFull ? "full" : "ok" }
    }

    /// A turn ends: sessions get their outcomes, observers the counts, and what is too old goes.
    mutating func endTurn(in turn: inout FrontTurn) {
        readBundles(in: &turn)
        owed.flush(to: turn.state.sessions, in: &turn.context)
        trimHistory(in: &turn)
        let ended = turn.state.jobs.totals.ended
        turn.step(turn.state.jobs.compact())
        pace.note(ended: ended, at: turn.now.monotonic)
        views.publish(
            turn.state.jobs.totals.counts, failures: turn.state.jobs.ended.tally.version, clients: turn.state.sessions.connectionCount,
            in: &turn.context)
    }

    /// A topic is observed, or no longer.
    mutating func observe(_ topic: Topic, _ isObserved: Bool, in turn: FrontTurn) {
        guard case .job(let id) = topic else { return }
        if !isObserved {
            readings.ignore(id.rawValue)
        } else if !turn.state.jobs.contains(id.rawValue), let (bundle, _) = turn.state.jobs.ended.bundled.find(id.rawValue) {
            if let job = readings.job(id.rawValue, of: bundle) {
                readings.observe(id.rawValue, job, of: bundle)
            } else {
                readings.wait(.observed(id.rawValue), for: bundle)
            }
        }
        views.observe(id.rawValue, of: turn.state.jobs.keyLines[id.rawValue]?.job.key, isObserved)
    }

    /// What has become of feeds' jobs since this was asked last.
    mutating func takeNews() -> [JobNews] {
        guard !news.isEmpty else { return [] }
        defer { news.removeAll(keepingCapacity: true) }
        return news
    }
}
