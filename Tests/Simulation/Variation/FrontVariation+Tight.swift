//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

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
