//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Decides about jobs: whether they are accepted, what a cancel does, what follows from their end, and what requests about them get.
///
/// Where a job stands is durable, and `JobLifecycle` knows it; here is what only this epoch knows. What is a value of its own keeps its
/// state to itself, and is asked by the files of the queue; other machines come by methods of the queue.
struct JobQueue {
    /// What observers see of jobs.
    var views = JobViews()
    /// Lengths of runs, for estimates.
    private(set) var lengths = RunLengths()
    /// Why nothing is granted yet (memory mode); nil: it may be.
    private(set) var grantPause: GrantPause?
    /// Changes of feeds' jobs that were not passed to the feeds yet.
    private var news: [JobNews] = []
    /// What is asked once more in this turn, or in the next ones.
    var questions = OpenQuestions()
    /// Outcomes that are to be sent to sessions.
    var pendingAnswers = PendingAnswers()
    /// What waits for ended jobs that have to be read.
    var readings = BundleReadings()
    /// Actions with many jobs.
    var bulkActions = BulkActions()
    /// Ended jobs that go into bundles before the next checkpoint.
    private var toBundle = EndedToBundle()
    /// By what ended jobs grow old.
    private(set) var ageClock = AgeClock()
    /// What ranks are made of.
    private(set) var rankClock: RankClock
    /// Jobs that ended since the throughput was last measured, and when: for estimates.
    private(set) var throughput = Throughput()

    /// Runs whose time is over.
    var stops = StoppedRuns()
    /// Groups whose pause has ended as this epoch began: nothing is in them any more.
    private(set) var lostGroups: [String] = []
    /// What the clock of lengths is for people.
    var shownLengths = ShownLengths()

    init(now: FrontTime) { rankClock = RankClock(beginningAt: now) }

    /// An epoch begins.
    mutating func begin(in turn: inout FrontTurn) {
        turn.state.jobs.begin()
        views.begin(turn.state.jobs.counts, details: turn.state.jobs.detailsVersion)
        questions.begin(ended: turn.state.jobs.endedCount)
        let last = turn.state.jobs.numbers.lastRankTime
        // At the level that the last epoch has reached, so that who waited through a restart keeps its place before newcomers.
        if last != .zero { rankClock = RankClock(level: last, at: turn.now.monotonic) }
        // Whatever this epoch journals: an earlier one may have handed out what no entry names.
        turn.state.jobs.number { $0.passReserved() }
        guard turn.settings.durability == .memory else { return }
        // Such a front writes none of its ended jobs, and so would leave these behind for ever.
        let bundles = turn.state.jobs.bundles.map(\.number)
        if !bundles.isEmpty { turn.record(.bundlesForgotten(JournalEntry.BundlesForgotten(bundles))) }
        for number in bundles { turn.emit(.forgetBundle(number)) }
    }

    /// Observers see what an earlier epoch left.
    mutating func show(in turn: inout FrontTurn) {
        trimEnded(in: &turn)
        for index in turn.state.workers.indices {
            for id in turn.state.jobs.heldJobs(by: index) where !turn.state.jobs[id].flags.contains(.isBulk) {
                views.list(id, in: &turn.context)
            }
        }
    }

    /// The pause of a group ends, since nothing is in it any more.
    mutating func noteLost(group: String) { lostGroups.append(group) }

    /// Nothing is granted until then.
    mutating func pauseGrants(for pause: GrantPause) { grantPause = pause }

    /// Jobs may be granted from now on: why they wait is another reason.
    mutating func endGrantPause() {
        grantPause = nil
        questions.askAllWaits()
    }

    /// A turn ends: sessions get their outcomes, observers the counts, and what is too old goes.
    mutating func endTurn(in turn: inout FrontTurn) {
        readBundles(in: &turn)
        readings.endTurn()
        bulkActions.endTurn()
        pendingAnswers.flush(to: turn.state.sessions, in: &turn.context)
        if questions.isEndedOpen(turn.state.jobs.endedCount) { trimEnded(in: &turn) }
        let ended = turn.state.jobs.totals.ended
        turn.step(turn.state.jobs.compact())
        throughput.note(ended: ended, at: turn.now.monotonic)
        views.publish(
            turn.state.jobs.counts, details: turn.state.jobs.detailsVersion &+ bulkActions.version,
            clients: turn.state.sessions.connectionCount, in: &turn.context)
        publishLimits(in: &turn)
        awaitTokens(in: &turn)
    }

    /// A checkpoint is near: before it is written, jobs that have ended leave the state, a bundle in each turn until those have that there were at
    /// first. So each of them is written once, and neither is it in every checkpoint, nor read by every restart.
    /// - Parameter isNew: Whether this is the first notice of this checkpoint.
    mutating func prepareCheckpoint(isNew: Bool, in turn: inout FrontTurn) {
        // Without a journal of jobs, memory is where ended ones are.
        guard turn.settings.durability != .memory else { return }
        if isNew { toBundle = EndedToBundle(turn.state.jobs.ended) }
        guard let (kind, left) = toBundle.next else { return }
        questions.askEnded()
        guard let count = bundle(kind, atMost: left, in: &turn) else { return toBundle.finish(kind) }
        toBundle.take(count, of: kind)
    }

    /// Whether all jobs that had ended when a checkpoint came near are in bundles.
    var isReadyForCheckpoint: Bool { toBundle.isEmpty }

    /// A topic is observed, or no longer.
    mutating func observe(_ topic: Topic, _ isObserved: Bool, in turn: inout FrontTurn) {
        guard case .job(let id) = topic else { return }
        guard views.observed.contains(id.rawValue) != isObserved else {
            return turn.context.noteIgnored(isObserved ? .topicObserved : .topicNotObserved)
        }
        if !isObserved {
            readings.ignore(id.rawValue)
        } else if !turn.state.jobs.contains(id.rawValue), let (bundle, _) = turn.state.jobs.bundle(of: id.rawValue) {
            if let job = readings.job(id.rawValue, of: bundle) {
                readings.observe(id.rawValue, job.summary, of: bundle)
            } else {
                readings.wait(.observed(id.rawValue), for: bundle)
            }
        }
        views.observe(id.rawValue, of: turn.state.jobs.keyLines[id.rawValue]?.job.key, isObserved)
    }

    /// Whether the reasons of all that waits may have changed since this was asked last.
    mutating func takeAllWaitsInQuestion() -> Bool { questions.takeAllWaits() }

    /// The wall clock was set: ended jobs are not older by that, and are looked at when they are old.
    mutating func noteClockStep(_ length: Duration, in turn: inout FrontTurn) {
        ageClock.step(by: length)
        // Its point was of the clock as it was.
        turn.context.forget(.endedJobs)
        trimEnded(in: &turn)
        noteShownLengths(in: &turn)
    }

    /// A job has ended well: how long it has run tells about others of its loader.
    mutating func noteLength(of job: JobRecord, endedAt time: WallTime) {
        lengths.note(loader: Int(job.loader), length: job.runLength(at: time))
    }

    /// A job has changed: notes that for its feed, if it works for one.
    mutating func note(_ change: JobNews.Change, of job: JournalEntry.FeedJob) { news.append(JobNews(job: job, change: change)) }

    /// What has become of feeds' jobs since this was asked last.
    mutating func takeNews() -> [JobNews] {
        guard !news.isEmpty else { return [] }
        defer { news.removeAll(keepingCapacity: true) }
        return news
    }
}

/// A change of a feed's job: the queue notes it, and the machine of the feeds handles it before anything else happens.
struct JobNews {
    let job: JournalEntry.FeedJob
    let change: Change

    enum Change {
        /// A worker was given it.
        case granted
        /// It waits again.
        case waits
        /// Its cancel was asked for while it runs: nothing that it makes is taken any more.
        case stops
        /// It has ended so, for that reason, with what it made.
        case ended(JobState, Failure?, FeedResult?)
    }
}

/// Nothing is granted at first by a front that does not journal grants: those of an earlier epoch may still run, unseen.
struct GrantPause {
    /// When every lease of an earlier epoch is over, with its grace.
    let until: MonotonicTime
    /// The same for people; fixed, so that the reason of a wait does not change from turn to turn.
    let shown: WallTime

    /// A pause of that length.
    init(_ length: Duration, from now: FrontTime) {
        until = now.monotonic.advanced(by: length)
        shown = now.wall.advanced(by: length)
    }
}

/// The time by which ended jobs grow old.
///
/// It goes on with the wall clock, and follows a step of it back, never forward: a step, be it one wrong answer of a time server, makes the front
/// forget nothing that it would have kept, whether a job ended before the step or after it.
struct AgeClock {
    /// By how much the wall clock shows more than this clock; never negative.
    private var ahead = Duration.zero

    /// More than the wall clock can show.
    private static let most = Duration.milliseconds(Int64.max)

    /// The wall clock was set by that much, back if it is negative.
    mutating func step(by length: Duration) {
        // In whole milliseconds, as the wall clock shows: one that is due is then due by both clocks at once.
        ahead = min(max(.zero, ahead + .milliseconds(length.wholeMilliseconds)), Self.most)
    }

    /// What it shows when the wall clock shows that.
    func time(at wall: WallTime) -> WallTime { wall.advanced(by: .zero - ahead) }

    /// What the wall clock will show, unless it is set, when this clock shows that.
    func wallTime(of time: WallTime) -> WallTime { time.advanced(by: ahead) }
}
