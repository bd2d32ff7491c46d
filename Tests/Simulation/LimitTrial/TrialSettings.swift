//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Who takes part in a trial, and how often what goes wrong. All of it is drawn from the seed.
struct TrialSettings {
    /// A worker.
    struct Worker {
        let slots: Int
        /// Bulk jobs that it takes ahead; 0: it offers no bulk loader.
        let prefetch: Int
        /// Whether the front knows its process.
        let isKnown: Bool
    }

    /// A limit, and who counts in it.
    struct Limit {
        let name: String
        let rule: LimitRule
        /// What jobs count apart for; nothing: all count together.
        let values: [String]
        /// The most permits that a job takes.
        let heaviest: UInt32
    }

    let workers: [Worker]
    let limits: [Limit]
    /// One in which hardly any job counts: it can be deleted.
    let rare: Limit
    let clients: Int
    /// So many jobs of each client have not ended, about.
    let jobsOfClient: Int
    /// How a frame fares: shares, and the longest usual time in microseconds.
    let (lostShare, lateShare, repeatedShare): (Double, Double, Double)
    let latency: Int64
    /// Milliseconds from one fault of a kind to the next, about; none: there are no such faults.
    let every: [TrialFault: Int64]
    /// Of runs those that go on for long, and those that go on though they are asked to stop.
    let (longShare, ignoreShare): (Double, Double)
    /// Microseconds of a commit.
    let commit: Int64
    /// The longest time in microseconds for which the front lets messages gather.
    let gathering: Int64
    /// After how long jobs may reserve.
    let reservationPause: Duration
    /// Rows from one checkpoint to the next.
    let checkpointRows: Int
    /// Grants after which faults end.
    let grants: UInt64

    /// - Parameter grants: After how many grants faults end; nil: drawn.
    init(_ random: inout SplitMix64, grants: UInt64?) {
        let isBulky = random.chance(0.5)
        workers = (0..<Int(random.between(2, 6))).map { _ in
            Worker(slots: Int(random.spread(4, 32)), prefetch: isBulky ? Int(random.spread(8, 128)) : 0, isKnown: random.chance(0.6))
        }
        limits = (0..<Int(random.chance(0.3) ? random.spread(1, 40) : random.between(4, 40))).map { Self.limit($0, &random) }
        rare = Limit(name: "rare", rule: LimitRule(capacity: UInt32(random.between(1, 3))), values: [], heaviest: 1)
        clients = Int(random.between(1, 4))
        jobsOfClient = Int(random.between(300, 900)) / clients
        (lostShare, lateShare) = (random.chance(0.7) ? 0.002 : 0.02, random.chance(0.7) ? 0.001 : 0.01)
        repeatedShare = random.chance(0.7) ? 0.002 : 0.02
        latency = random.spread(100, 3_000)
        let kinds: [TrialFault] = [
            .linkBlocked, .linkBroken, .workerKilled, .workerStopped, .frontKilledAtRest, .frontStopped, .slowCommit, .wallStep,
        ]
        var every: [TrialFault: Int64] = [:]
        for kind in kinds where random.chance(0.8) { every[kind] = random.between(3_000, 30_000) }
        self.every = every
        (longShare, ignoreShare) = (random.chance(0.5) ? 0.002 : 0.0002, random.chance(0.5) ? 0.1 : 0.5)
        commit = random.spread(200, 5_000)
        gathering = random.spread(200, 4_000)
        reservationPause = random.chance(0.5) ? .milliseconds(random.spread(50, 2_000)) : .seconds(60)
        checkpointRows = Int(random.spread(100, 2_000))
        let drawn = UInt64(random.between(20_000, 50_000))
        self.grants = grants ?? drawn
    }

    private static func limit(_ index: Int, _ random: inout SplitMix64) -> Limit {
        let capacity = UInt32(random.spread(1, 24))
        let hasRate = random.chance(0.25)
        let rate = UInt32(random.between(20, 200))
        let refill = LimitRefill(rate, per: .seconds(1), burst: UInt32(random.spread(1, Int64(rate))))
        let values = random.chance(0.5) ? [] : (0..<Int(random.spread(2, 12))).map { "v\($0)" }
        let isRateAlone = hasRate && random.chance(0.3)
        return Limit(
            name: "limit-\(index)", rule: LimitRule(capacity: isRateAlone ? nil : capacity, refill: hasRate ? refill : nil),
            values: values, heaviest: isRateAlone || random.chance(0.5) ? 1 : capacity)
    }

    /// Each limit.
    var allLimits: [Limit] { limits + [rare] }

    /// What a limit says for a while.
    static func changed(_ rule: LimitRule, _ random: inout SplitMix64) -> LimitRule {
        var changed = rule
        if let capacity = rule.capacity { changed.capacity = UInt32(random.between(1, Int64(capacity) * 2)) }
        if let refill = rule.refill, random.chance(0.5) {
            let rate = UInt32(random.between(Int64(max(1, refill.count / 2)), Int64(refill.count)))
            changed.refill = LimitRefill(rate, per: .seconds(1), burst: UInt32(random.between(1, Int64(refill.burst))))
        }
        return changed
    }

    /// How a job is to be run: most count in one limit, some in two, few in none.
    func options(_ random: inout SplitMix64) -> JobOptions {
        var options = JobOptions(priority: UInt8(random.between(4, 6)))
        if random.chance(0.002) { options.limitKeys = [LimitKey(rare.name)] }
        guard options.limitKeys.isEmpty, !random.chance(0.02), let first = random.pick(limits) else { return options }
        options.limitKeys = [key(of: first, &random)]
        if random.chance(0.15), let second = random.pick(limits), second.name != first.name {
            options.limitKeys.append(key(of: second, &random))
        }
        if random.chance(0.02) {
            options.retry = RetryRule(attempts: 3, backOff: BackOff(first: .milliseconds(20), longest: .milliseconds(500)))
        }
        return options
    }

    private func key(of limit: Limit, _ random: inout SplitMix64) -> LimitKey {
        LimitKey(limit.name, value: random.pick(limit.values) ?? "", weight: UInt32(random.spread(1, Int64(limit.heaviest))))
    }
}
