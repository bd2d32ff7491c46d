//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// What observers see of limits, and what checks from outside do.
extension LimitTable {
    /// Values of a limit that are looked at to find those that most jobs name: it may have a million.
    private static var summaryLooks: Int { 1_024 }

    /// A limit as observers see it; nil: there is none.
    /// - Parameter wall: What the wall clock shows when the clock of lengths does.
    func summary(of name: String, wall: (LengthTime) -> WallTime) -> LimitSummary? {
        guard let index = limitIndexes[name], let rule = limits[index].rule else { return nil }
        var summary = LimitSummary(name: name, rule: rule)
        let limit = limits[index]
        summary.configured = limit.configured
        (summary.inUse, summary.waiting) = (UInt64(limit.inUse), UInt64(max(0, limit.jobs - limit.running)))
        summary.valueCount = UInt64(limit.uses.count)
        summary.fullAt = limit.rate.map { wall(limit.bucket.fullTime(by: $0)) }
        let values = limit.uses.prefix(Self.summaryLooks).map { use in
            let (inUse, waiting) = (uses[use].inUse, uses[use].jobs - uses[use].running)
            let fullAt = limit.rate.map { wall(bucket(of: use).fullTime(by: $0)) }
            return LimitValue(uses[use].key.value, inUse: UInt64(inUse), waiting: UInt64(max(0, waiting)), fullAt: fullAt)
        }
        let sorted = values.sorted { ($1.inUse + $1.waiting, $0.value) < ($0.inUse + $0.waiting, $1.value) }
        summary.values = Array(sorted.prefix(LimitSummary.shownValues))
        return summary
    }

    /// Whether what was reserved stands where it should: each use keeps for one job, which has reserved in all of its limits; nil: it does.
    var reservationFault: String? {
        for (lane, made) in reservations.made.sorted(by: { $0.key < $1.key }) {
            for (use, weight) in made.uses {
                guard reservations.holder(of: use)?.lane == lane else {
                    return "the limit \(uses[use].key.text) keeps nothing for \(made.job.id)"
                }
                guard weight <= limits[uses[use].limit].rule?.capacity.map({ Int($0) }) ?? .max else {
                    return "the limit \(uses[use].key.text) keeps \(weight) permits, more than it has"
                }
            }
        }
        return nil
    }

    /// What counts in a value of a limit: jobs, permits that are taken, jobs whose time has not come.
    struct Counted: Equatable {
        var jobs = 0
        var inUse = 0
        var scheduled = 0
    }

    /// What differs from permits and jobs that were counted anew; nil: nothing.
    func miscount(_ counted: [LimitKey: Counted]) -> String? {
        for key in Set(useIndexes.keys).union(counted.keys).sorted(by: { $0.text < $1.text }) {
            let noted = useIndexes[key].map { Counted(jobs: uses[$0].jobs, inUse: uses[$0].inUse, scheduled: uses[$0].scheduled) }
            let found = counted[key] ?? Counted()
            if noted ?? Counted() != found { return "of the limit \(key.text) are noted \(noted ?? Counted()), counted \(found)" }
        }
        return limits.first { limit in limit.inUse != limit.uses.reduce(0) { $0 + uses[$1].inUse } }.map {
            "the limit \($0.name) has another sum"
        }
    }

    /// Whether any has changed since `takeChanged` was asked.
    var hasChanged: Bool { !changed.isEmpty || !changedRules.isEmpty }

    /// The names of some that have, in order, and what it costs to look at those.
    mutating func takeChanged(_ count: Int) -> (names: [String], looks: Int) {
        // By name, and sorted: a limit that changed twice is shown once, and the order follows from no table.
        while changedRules.count < count, let index = changed.take() { changedRules.insert(limits[index].name) }
        let names = Array(changedRules.sorted().prefix(count))
        changedRules.subtract(names)
        let looks = names.reduce(0) { $0 + min(Self.summaryLooks, limitIndexes[$1].map { limits[$0].uses.count } ?? 0) }
        return (names, looks)
    }
}

// When there is room for a job that waits.
extension LimitTable {
    /// What has to come until a job has room that waits for a limit.
    enum Need: Equatable {
        /// Tokens for it and for those before it come within so many milliseconds.
        case tokens(milliseconds: Int64)
        /// Of the runs that have permits of this use one more has to end than there are jobs before it: so many go on at once.
        case ends(use: Int, runs: Int)
    }

    /// What has to come until a job of a set has room, and so many others before it that wait for the same.
    ///
    /// Nil: nobody can say. Jobs of several loaders or clients, or of different weights, wait there, so in which order they begin is not known, or none does
    /// yet, for there is no slot either; something is kept for one of them; another one of its limits may have too little by then; or they need both tokens
    /// and the ends of others.
    func need(of set: Int, for job: RankKey, place: Int, at now: LengthTime) -> Need? {
        guard let (use, weight) = full(set, for: job), weight <= capacity(use), lanes.areAlike(at: use),
            reservations.holder(of: use) == nil, shares(of: set).allSatisfy({ $0 == use || room(ofUse: $0, $1, for: job) > place })
        else { return nil }
        let wait = limits[uses[use].limit].rate.map { bucket(of: use).wait(for: place + 1, at: now, by: $0) } ?? 0
        if permits(use) / weight > place { return .tokens(milliseconds: wait) }
        // After a change of the limit more or fewer may run than it says now, and weights may differ.
        let runs = capacity(use) / weight
        guard wait == 0, uses[use].running == runs, uses[use].inUse == runs * weight else { return nil }
        return .ends(use: use, runs: runs)
    }
}
