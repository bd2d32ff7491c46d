//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model

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
    init(_ random: inout Random, attachmentGracePeriod: Duration) {
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
