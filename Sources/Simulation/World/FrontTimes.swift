//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model

/// The lengths of time of a front that everybody depends on, drawn from the seed: those of leases, heartbeats and counts, and of what its loop does
/// now and then.
struct FrontTimes {
    let leaseMilliseconds: Int64
    let graceMilliseconds: Int64
    let heartbeatMilliseconds: Int64
    let countsMilliseconds: Int64
    let countsCopies: Int64
    let awayMilliseconds: Int64
    let namesMilliseconds: Int64

    /// Lease and grace, in milliseconds.
    var lossMilliseconds: Int64 { leaseMilliseconds + graceMilliseconds }

    /// - Parameter attachmentMilliseconds: An attachment outlives a lost heartbeat.
    init(_ random: inout Random, attachmentMilliseconds: Int64) {
        let usual = FrontSettings(front: FrontProcess.front, epoch: .none, sessionKey: SessionKey(1, 1))
        let lease = random.chance(0.5) ? random.between(2_500, 8_000) : usual.leaseMilliseconds
        // The kernel ends a worker so long after its lease, and two clocks may differ by 2 % of both: until then the front waits.
        let killed = Self.killMilliseconds + lease / 40 + Self.killMilliseconds / 10
        let grace = random.chance(0.3) ? random.between(killed, 1_500) : max(usual.graceMilliseconds, killed)
        (leaseMilliseconds, graceMilliseconds) = (lease, grace)
        let longest = min(lease / 2, attachmentMilliseconds / 2)
        heartbeatMilliseconds = random.chance(0.3) ? random.between(200, longest) : min(usual.heartbeatMilliseconds, longest)
        countsMilliseconds = random.chance(0.3) ? random.spread(1, 2_000) : usual.countsMilliseconds
        countsCopies = random.chance(0.3) ? random.spread(5, 1_000) : usual.countsCopies
        awayMilliseconds = random.chance(0.3) ? random.between(20, grace) : min(LoopSettings().awayMilliseconds, grace)
        namesMilliseconds = random.chance(0.5) ? random.spread(50, 20_000) : LoopSettings().namesMilliseconds
    }

    /// How long after the end of its lease the kernel ends a worker, as workers are set up.
    private static let killMilliseconds: Int64 = 200
}
