//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

/// How the front of a world is set up, drawn from the seed: most worlds have the usual settings, many have some that are tiny, because what
/// happens at a bound is never seen far from it.
struct FrontVariation {
    let durability: FrontSettings.Durability
    let bounds: Bounds
    private(set) var loop: LoopSettings
    let times: FrontTimes
    let sessionGracePeriod: Duration
    let attachmentGracePeriod: Duration
    let linger: Duration
    let acknowledgmentPause: Duration
    let crashLimit: UInt8
    /// Whether the clocks of processes go differently.
    let clocksDrift: Bool
    /// Whether workers beside the first one offer fewer loaders.
    let loadersDiffer: Bool
    /// How often a look into the front finds an object damaged.
    let damageShare: Double
    /// Whether jobs, their bytes, or the names of their loaders may find no room.
    var mayLackRoom: Bool {
        let usual = Bounds()
        return bounds.queuedJobs < usual.queuedJobs || bounds.queuedByteCount < usual.queuedByteCount
            || bounds.loaderNames < usual.loaderNames
    }
    /// Whether it remembers every loader that workers offer.
    var keepsLoaders: Bool { bounds.offeredLoaders == Bounds().offeredLoaders }
    /// Whether several objects are found damaged at once, as a turn looks at few of the feeds that name them.
    var damagesSeveral: Bool { bounds.damageLooks < Bounds().damageLooks }
    /// Whether orphans are collected.
    let collects: Bool
    /// How often a byte of a publication flips in a client's memory.
    let flipShare: Double
    /// Whether no faults come by themselves: there, what must be quick is seen to be.
    let isQuiet: Bool
    /// Whether a hostile client and a hostile worker are there.
    let hasHostiles: Bool
    /// Whether orders of views never fail by themselves, so that the last one must be in effect.
    let ordersHold: Bool
    /// Whether selected items are found in every list, so that the last selection must be in effect.
    let selectionsHold: Bool
    /// Whether everybody has to know a token; the hostile do not.
    let token: [UInt8]
    /// Greatest byte count of an argument.
    let argumentByteCount: Int
    /// Turns between two looks into the front that may find a damaged object, or collect orphans.
    let inspectionPeriod: Int
    /// Turns between two comparisons of the front's state with its bounds. In some worlds with a short life each turn is compared: what is wrong
    /// for a few turns only is seen there.
    let comparisonPeriod: Int
    /// Whether ended jobs are forgotten within the world: what was accepted may then be unknown later.
    let forgetsEndedJobs: Bool
    /// Whether sessions lapse within the world: what was asked may then stay unanswered.
    let sessionsLapse: Bool
    /// Byte counts of a bulk job's result, and of a failure's arguments; in worlds where they are much, few outcomes of workers fill a frame.
    let resultByteCount: Int
    let failureByteCount: Int
    /// The largest frame that the front takes of workers.
    let workerFrame: Int

    /// - Parameters:
    ///   - tight: Chance of what came later, from a stream of its own, so that everything else of a seed stays as it is.
    ///   - looks: The same for how often the front is looked into, and for how many lists of left work a turn goes on with.
    ///   - late: The same for times, and for bounds of single things.
    init(_ random: inout SplitMix64, tight: inout SplitMix64, looks: inout SplitMix64, late: inout SplitMix64, swarm: Swarm) {
        clocksDrift = random.chance(0.6)
        damageShare = random.chance(0.6) ? 0 : 0.1
        collects = random.chance(0.5)
        flipShare = random.chance(0.6) ? 0 : 0.02
        hasHostiles = random.chance(0.3)
        isQuiet = random.chance(0.1)
        ordersHold = random.chance(0.7)
        argumentByteCount = random.chance(0.7) ? 8 : Int(random.spread(64, 4_096))
        loadersDiffer = random.chance(0.4)
        inspectionPeriod = Int(random.spread(60, 600))
        let isBulk = swarm.activeMilliseconds < Self.shortMilliseconds
        comparisonPeriod = isBulk && looks.chance(Self.closeShare) ? 1 : inspectionPeriod
        durability = random.chance(0.12) ? .memory : .full
        forgetsEndedJobs = random.chance(0.15)
        sessionsLapse = random.chance(0.2)
        sessionGracePeriod = .milliseconds(sessionsLapse ? random.between(6_000, 20_000) : 600_000)
        attachmentGracePeriod = .milliseconds(random.chance(0.3) ? random.between(2_000, 5_000) : 5_000)
        linger = .milliseconds(random.chance(0.3) ? random.between(0, 2_000) : 2_000)
        times = FrontTimes(&late, attachmentGracePeriod: attachmentGracePeriod)
        selectionsHold = late.chance(0.5)
        token = late.chance(0.1) ? [7, 1, 1] : []
        acknowledgmentPause = .milliseconds(random.chance(0.3) ? random.between(0, 300) : 20)
        crashLimit = random.chance(0.3) ? UInt8(1 + random.below(4)) : 3
        var loop = LoopSettings()
        loop.checkpointByteCount = swarm.checkpointByteCount
        loop.sliceChunks = 1
        let isTight = random.chance(0.4)
        if isTight {
            loop.readByteBudget = Int(random.spread(64, 65_536))
            loop.gatherByteLimit = Int(random.spread(512, 1 << 20))
            loop.outboxByteLimit = Int(random.spread(16_384, 4 << 20))
        }
        if random.chance(0.3) { loop.largestFrame = 16_384 << (random.below(4) / 2) }
        if random.chance(0.3) { loop.snapshotPartsInFlight = 1 }
        if random.chance(0.4) { loop.topicAge = .milliseconds(random.spread(300, 20_000)) }
        loop.collectAge = .milliseconds(random.chance(0.5) ? random.spread(500, 20_000) : 600_000)
        (loop.loopPauseLimit, loop.namesPause) = (times.loopPauseLimit, times.namesPause)
        loop.clockStep = times.clockStep
        Self.tighten(&loop, &tight)
        self.loop = loop
        var bounds = Bounds()
        bounds.pageByteCount = min(bounds.pageByteCount, loop.largestFrame / 4)
        bounds.grantByteCount = min(bounds.grantByteCount, loop.largestFrame / 4)
        bounds.answerByteCount = min(bounds.answerByteCount, loop.largestFrame / 4)
        if forgetsEndedJobs { bounds.retention[.succeeded].count = Int(random.spread(4, 60)) }
        if random.chance(0.4) { Self.tighten(&bounds, &random) }
        Self.tighten(&bounds, &tight, workers: swarm.workers, hasHostiles: hasHostiles, forgetsEndedJobs: forgetsEndedJobs)
        Self.tightenSingle(&bounds, &late, forgetsEndedJobs: forgetsEndedJobs)
        Self.tightenSnapshots(&self.loop, &tight, late: &late)
        if tight.chance(0.2) { bounds.retainedByteCount = Int(tight.spread(400, 8_000)) }
        // Dead clients leave their sessions behind; where those do not lapse, few would lock the living out for good.
        if sessionsLapse, tight.chance(0.3) { bounds.sessions = swarm.clients + tight.below(3) }
        if tight.chance(0.2) {
            bounds.allRetainedByteCount = Int(tight.spread(200, 20_000))
            bounds.sparedByteCount = Int(tight.spread(200, 8_192))
        }
        if !sessionsLapse { bounds.sessions = Bounds().sessions }
        if hasHostiles { Self.widenShared(&bounds) }
        Self.tighten(&bounds, looks: &looks)
        self.bounds = bounds
        let hasLargeOutcomes = tight.chance(0.2)
        failureByteCount = hasLargeOutcomes ? Int(tight.spread(1_024, 4_096)) : 0
        // The front takes it from the client's hello how many results a message may have, and not from the loop's largest frame.
        let hasUsualFrames = loop.largestFrame == LoopSettings().largestFrame
        // And some results must fit the reply to one question, or a client asks for each of hundreds.
        resultByteCount = hasLargeOutcomes && hasUsualFrames ? min(failureByteCount, max(bounds.answerByteCount / 32, 8)) : 8
        workerFrame = hasLargeOutcomes ? 65_536 : MessageBounds.frameByteCount
    }

    private static func tighten(_ bounds: inout Bounds, looks: inout SplitMix64) {
        if looks.chance(0.5) { bounds.workLists = 1 + looks.below(2) }
        if looks.chance(0.5) { bounds.drainedWorkers = looks.below(3) }
        if looks.chance(0.5) { bounds.turnGrantByteCount = Int(looks.spread(64, 4_096)) }
    }

    /// Whoever speaks may fill what all share: the queue, the sessions, the names. That others then wait is no broken promise.
    private static func widenShared(_ bounds: inout Bounds) {
        let usual = Bounds()
        (bounds.queuedJobs, bounds.sessions, bounds.loaderNames) = (usual.queuedJobs, usual.sessions, usual.loaderNames)
    }

    /// What a world with a short life is, and how many of them are compared after each turn: an eighth of all worlds, about.
    private static let (shortMilliseconds, closeShare): (Int64, Double) = (9_000, 0.25)

    private static func tighten(_ bounds: inout Bounds, _ random: inout SplitMix64) {
        if random.chance(0.5) { bounds.queuedJobs = Int(random.spread(10, 200)) }
        if random.chance(0.5) { bounds.requestWindow = UInt64(random.spread(4, 64)) }
        if random.chance(0.5) { bounds.answerRows = Int(random.spread(1, 20)) }
        if random.chance(0.5) { bounds.answerByteCount = Int(random.spread(256, 2_000)) }
        if random.chance(0.5) { bounds.pageByteCount = min(bounds.pageByteCount, Int(random.spread(1_000, 8_000))) }
        if random.chance(0.5) { bounds.grantByteCount = Int(random.spread(64, 4_096)) }
        if random.chance(0.5) { bounds.grantJobs = Int(random.spread(1, 30)) }
        if random.chance(0.5) { bounds.listedJobs = random.below(4) }
        if random.chance(0.3) { bounds.viewsPerFeed = 2 + random.below(3) }
        if random.chance(0.3) { bounds.sessions = 12 + random.below(20) }
        if random.chance(0.3) { bounds.loaderNames = 1 + random.below(4) }
    }

    /// The settings of one life of the front.
    func settings(front: FrontID, epoch: Epoch) -> FrontSettings {
        var settings = FrontSettings(front: front, epoch: epoch, sessionKey: SessionKey(epoch.rawValue, 1))
        settings.changesEndpoint = "inproc://changes"
        settings.durability = durability
        settings.bounds = bounds
        settings.lease = times.lease
        settings.grace = times.grace
        settings.heartbeat = times.heartbeat
        settings.countsPause = times.countsPause
        settings.countsCopies = times.countsCopies
        settings.token = SharedToken(token)
        settings.sessionGracePeriod = sessionGracePeriod
        settings.attachmentGracePeriod = attachmentGracePeriod
        settings.linger = linger
        settings.acknowledgmentPause = acknowledgmentPause
        settings.crashLimit = crashLimit
        return settings
    }
}

/// The lengths of time of a front that everybody depends on, drawn from the seed: those of leases, heartbeats and counts, and of what its loop does
/// now and then.
struct FrontTimes {
    let lease: Duration
    let grace: Duration
    let heartbeat: Duration
    let countsPause: Duration
    let countsCopies: Int64
    let loopPauseLimit: Duration
    let namesPause: Duration
    let clockStep: Duration

    /// Lease and grace.
    var loss: Duration { lease + grace }

    /// - Parameter attachmentGracePeriod: An attachment outlives a lost heartbeat.
    init(_ random: inout SplitMix64, attachmentGracePeriod: Duration) {
        let usual = FrontSettings(front: FrontProcess.front, epoch: .none, sessionKey: SessionKey(1, 1))
        let lease = random.chance(0.5) ? random.between(2_500, 8_000) : usual.lease.wholeMilliseconds
        // The kernel ends a worker so long after its lease, and two clocks may differ by 2 % of both: until then the front waits.
        let killed = Self.killMilliseconds + lease / 40 + Self.killMilliseconds / 10
        let grace = random.chance(0.3) ? random.between(killed, 1_500) : max(usual.grace.wholeMilliseconds, killed)
        (self.lease, self.grace) = (.milliseconds(lease), .milliseconds(grace))
        let longest = min(lease / 2, attachmentGracePeriod.wholeMilliseconds / 2)
        heartbeat = .milliseconds(random.chance(0.3) ? random.between(200, longest) : min(usual.heartbeat.wholeMilliseconds, longest))
        countsPause = random.chance(0.3) ? .milliseconds(random.spread(1, 2_000)) : usual.countsPause
        countsCopies = random.chance(0.3) ? random.spread(5, 1_000) : usual.countsCopies
        loopPauseLimit = random.chance(0.3) ? .milliseconds(random.between(20, grace)) : min(LoopSettings().loopPauseLimit, self.grace)
        namesPause = random.chance(0.5) ? .milliseconds(random.spread(50, 20_000)) : LoopSettings().namesPause
        clockStep = random.chance(0.3) ? .milliseconds(random.spread(1, 5_000)) : LoopSettings().clockStep
    }

    /// How long after the end of its lease the kernel ends a worker, as workers are set up.
    private static let killMilliseconds: Int64 = 200
}

/// What kind of journal the front of a world has, drawn from the seed. Half of the worlds have one row under way at a time, as production has; a
/// nearly as many have an engine that several fronts share: authority over it lapses, in some for good, and commits may be in doubt.
///
/// It is drawn from a stream of its own, so that everything else of a seed stays as it is.
struct JournalVariation {
    /// Rows that may be under way.
    let rowsUnderWay: Int
    /// Share of commits whose outcome is in doubt.
    let doubtShare: Double
    /// Mean milliseconds between two lapses of authority; 0: the journal's lock proves it for ever.
    let lapseMilliseconds: Int64
    /// Longest lapse.
    let longestLapse: Int64
    /// Share of lapses in which another front takes over.
    let takeoverShare: Double

    init(_ random: inout SplitMix64, isQuiet: Bool) {
        rowsUnderWay = random.chance(0.5) ? 1 : 2 + random.below(3)
        let isShared = random.chance(0.5) && !isQuiet
        let (doubts, lapses, takeovers) = (random.chance(0.7), random.chance(0.8), random.chance(0.5))
        doubtShare = isShared && doubts ? [0.003, 0.02, 0.1][random.below(3)] : 0
        lapseMilliseconds = isShared && lapses ? random.between(200, 3_000) : 0
        longestLapse = random.spread(100, 8_000)
        takeoverShare = takeovers ? 0.4 : 0
    }
}

/// What a turn handles and what is kept, from one on. Those that `BusyBound` and `MetBound` count are met by some of the standard seeds, which is
/// asserted, save what `StandardSeedsTests` names with a reason.
///
/// They are drawn from a stream of their own, so that everything else of a seed stays as it is.
extension FrontVariation {
    /// Bounds of a turn, and of what waits between two.
    static func tighten(_ loop: inout LoopSettings, _ random: inout SplitMix64) {
        if random.chance(0.3) { loop.turnMessages = Int(random.spread(1, 200)) }
        if random.chance(0.3) { loop.turnSteps = Int(random.spread(1, 5_000)) }
        if random.chance(0.3) { loop.shareMessages = Int(random.spread(1, 64)) }
        if random.chance(0.3) { loop.shareSteps = Int(random.spread(1, 4_000)) }
        if random.chance(0.3) { loop.turnSubscriptions = Int(random.spread(1, 64)) }
        if random.chance(0.3) { loop.turnBookmarks = Int(random.spread(1, 64)) }
        if random.chance(0.3) {
            loop.peerInboxByteLimit = Int(random.spread(1_024, 65_536))
            loop.closedGracePeriod = .milliseconds(random.spread(1, 500))
        }
        if random.chance(0.2) { loop.inboxByteLimit = Int(random.spread(4_000, 4 << 20)) }
        if random.chance(0.2) { loop.outboxesByteLimit = Int(random.spread(65_536, 4 << 20)) }
        if random.chance(0.3) { loop.snapshotByteLimit = Int(random.spread(256, 65_536)) }
        if random.chance(0.2) { loop.snapshots = 1 + random.below(4) }
        // What observers of a world name must find room, or they would never be shown anything.
        if random.chance(0.2) { loop.topics = Int(random.spread(100, 500)) }
        if random.chance(0.2) { loop.subscriptions = Int(random.spread(100, 500)) }
    }

    /// Bounds of snapshots and of the topics that they are of, and of what a checkpoint writes at once.
    static func tightenSnapshots(_ loop: inout LoopSettings, _ random: inout SplitMix64, late: inout SplitMix64) {
        if random.chance(0.3) { loop.turnSnapshots = Int(random.spread(1, 64)) }
        if random.chance(0.5) { loop.sliceByteLimit = Int(random.spread(1, 8_192)) }
        if random.chance(0.3) { loop.snapshotPartByteLimit = Int(random.spread(32, 2_048)) }
        if late.chance(0.2) { loop.snapshotsByteLimit = Int(late.spread(256, 65_536)) }
        // What observers of a world name must find room here, too.
        if late.chance(0.2) { loop.topicByteLimit = Int(late.spread(1 << 19, 4 << 20)) }
        if late.chance(0.5) { loop.damagedObjects = 1 + late.below(2) }
    }

    /// Bounds of what is kept.
    ///
    /// - Parameters:
    ///   - workers: Workers of the world: each of them has to find a place.
    ///   - hasHostiles: Whoever speaks may fill what all share: that others then wait is no broken promise.
    ///   - forgetsEndedJobs: Only there a job may be unknown after its end.
    static func tighten(_ bounds: inout Bounds, _ random: inout SplitMix64, workers: Int, hasHostiles: Bool, forgetsEndedJobs: Bool) {
        if random.chance(0.2) { bounds.sessionsPerConnection = 1 + random.below(4) }
        if random.chance(0.2) { bounds.readingRequests = 1 + random.below(8) }
        if random.chance(0.2) { bounds.readingByteCount = Int(random.spread(500, 1 << 20)) }
        if random.chance(0.2) { bounds.detailByteCount = Int(random.spread(1, 2_000)) }
        if random.chance(0.6) { bounds.endedReadings = 1 + random.below(2) }
        if random.chance(0.5) { (bounds.bundleJobs, bounds.bundleByteCount) = (1 + random.below(12), Int(random.spread(1, 20_000))) }
        if forgetsEndedJobs, random.chance(0.5) { bounds.endedByteCount = Int(random.spread(100, 20_000)) }
        if forgetsEndedJobs, random.chance(0.5) { bounds.retention[.succeeded].age = .milliseconds(random.spread(1_000, 20_000)) }
        guard !hasHostiles else { return }
        // Some request must fit.
        if random.chance(0.2) { bounds.queuedByteCount = Int(random.spread(1_000, 20_000)) }
        // The dead count for as long as their leases.
        if random.chance(0.2) { bounds.workers = workers + random.below(2) }
        if random.chance(0.2) { bounds.views = 4 + random.below(4) }
        if random.chance(0.2) { bounds.feeds = 2 + random.below(3) }
    }

    /// Bounds of one argument, one id, one registration, one view: most of them are met by `tooLarge` or a refusal, not by `busy`.
    static func tightenSingle(_ bounds: inout Bounds, _ random: inout SplitMix64, forgetsEndedJobs: Bool) {
        // A bare marker fits: what is refused each time would be asked for in vain.
        if random.chance(0.2) { bounds.payloadByteCount = Int(random.spread(8, 4_096)) }
        if random.chance(0.2) { bounds.itemIDByteCount = Int(random.spread(6, 64)) }
        // An honest worker that is refused could never be at rest: it holds 35 jobs at most, and 256 that are not acknowledged.
        if random.chance(0.3) { bounds.heldLeases = Int(random.between(300, 600)) }
        if random.chance(0.3) { bounds.loadersPerWorker = SimulatedLoader.offered.count + random.below(3) }
        if random.chance(0.3) { bounds.sparedByteCount = Int(random.spread(200, 8_192)) }
        if random.chance(0.3) { bounds.viewAge = .milliseconds(random.spread(1_000, 30_000)) }
        if forgetsEndedJobs, random.chance(0.5) { bounds.retention[.failed].age = .milliseconds(random.spread(1_000, 20_000)) }
        if random.chance(0.7) { bounds.damageLooks = 1 + random.below(3) }
        if forgetsEndedJobs { bounds.retention[.failed].count = Int(random.spread(2, 30)) }
        if random.chance(0.5) { bounds.resumeByteCount = Int(random.spread(1, 4_096)) }
        if random.chance(0.5) { bounds.endedReadingByteCount = Int(random.spread(1, 4_096)) }
        if random.chance(0.3) { bounds.progressingJobs = random.below(4) }
        if random.chance(0.3) { bounds.attachments = 1 + random.below(3) }
        if random.chance(0.2) { bounds.allAttachments = 2 + random.below(8) }
        if random.chance(0.3) { bounds.shownFailureByteCount = Int(random.spread(128, 4_096)) }
        if random.chance(0.7) { bounds.lostJobs = 1 + random.below(3) }
        if random.chance(0.7) { bounds.resetJobs = 1 }
        if random.chance(0.7) { bounds.bulkActionJobs = 1 + random.below(3) }
        if random.chance(0.3) { bounds.bulkActionLooks = 1 + random.below(20) }
        if random.chance(0.5) { bounds.waitLooks = 1 + random.below(3) }
        if random.chance(0.3) { bounds.forgottenJobs = 1 + random.below(3) }
        if random.chance(0.3) { bounds.limits = 1 }
        // Without a draw of its own: two at once are rare, none at all is met.
        if bounds.limits == 1 { bounds.bulkActions = 0 }
        if random.chance(0.3) { bounds.pauses = 1 }
        // The same for loaders: where few are kept, nothing is checked but that.
        if bounds.pauses == 1 { bounds.offeredLoaders = 2 }
        if random.chance(0.3) { bounds.limitValues = 1 + random.below(3) }
        // One fits, two do not, or few do.
        if random.chance(0.3) { bounds.uniqueKeyByteCount = Int(random.spread(600, 3_000)) }
        if random.chance(0.3) { bounds.followedJobs = random.below(3) }
        guard forgetsEndedJobs else { return }
        bounds.retention[.cancelled].count = Int(random.spread(2, 30))
        if random.chance(0.5) { bounds.retention[.cancelled].age = .milliseconds(random.spread(1_000, 20_000)) }
    }
}
