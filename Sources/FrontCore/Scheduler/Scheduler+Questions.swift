//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// MARK: Questions

extension Scheduler {
    /// Where a lane stands.
    func state(of key: LaneKey) -> LaneState {
        guard lanes.find(key) != nil else { return .empty }
        if pools.isPaused(key.loader) || isHeld(key) { return .paused }
        if key.isSuspect { return .suspected }
        let offering = pools.offering(key.loader)
        if !offering.isEmpty, limits.full(Int(key.limitSet)) != nil { return .limited }
        if hasRoom(key.loader) { return .ready }
        return offering.isEmpty ? .unoffered : .full
    }

    /// Whether a worker offers a loader, and the slots of those that do.
    func isOffered(_ loader: Int) -> Bool { pools.isOffered(loader) }
    func slotsOffered(_ loader: Int) -> Int { pools.slotsOffered(loader) }

    /// Whether a worker that offers a loader has room for a job now.
    func hasRoom(_ loader: Int) -> Bool { pools.offering(loader).contains { !pools[$0].roomy.isEmpty } }

    /// How many of the workers that offer a loader take nothing else because a suspected job runs alone there, or is to.
    func keptForSuspects(_ loader: Int) -> Int {
        let offering = pools.offering(loader)
        let kept = claims.count { claim in offering.contains { pools[$0].members.contains(claim.worker) } }
        return offering.reduce(kept) { $0 + pools[$1].alone }
    }

    /// The loaders that a first worker offers, or none does any more, since this was asked for last; maybe some others.
    mutating func takeChangedOffers() -> [Int] {
        defer { changedOffers.removeAll() }
        return changedOffers.sorted()
    }

    /// About how many jobs of the same loader are granted before a job: among the suspected ones if it stands there, otherwise among the others. Of its
    /// own client those with a smaller rank are, of others as many as have their turns before. Of those that wait for limits, or for the end of a pause of
    /// their feed, the ones count that wait where it does.
    mutating func countBefore(_ id: UInt64, _ terms: LaneTerms = LaneTerms(), in slab: JobSlab) -> Int {
        let (key, isSuspect) = (slab.key(of: id), slab[id].standing == .suspected)
        let own = LaneKey(loader: Int(slab[id].loader), terms: terms, isSuspect: isSuspect)
        guard let lane = lanes.find(own) else { return 0 }
        let mine = lanes.lanes(ofClientOf: lane, before: key)
        let parked = isHeld(own) ? [lane] : limits.neighbors(of: lane, in: own.group.index, before: key)
        looks += mine.looked
        let found = mine.ofAll(count(mine.items, before: key, in: slab)) + count(parked, before: key, in: slab)
        let others = lanes.takenFromOthers(before: found, ofClientOf: lane)
        looks += others.looks
        return found + others.jobs
    }

    /// How many jobs stand before one that waits for a limit, where it waits: only these take what it waits for. Nil: its lane does not wait there.
    mutating func countParked(before id: UInt64, _ terms: LaneTerms, in slab: JobSlab) -> Int? {
        let (own, key) = (LaneKey(loader: Int(slab[id].loader), terms: terms), slab.key(of: id))
        guard let lane = lanes.find(own), limits.isParked(lane) else { return nil }
        return count(limits.neighbors(of: lane, in: own.group.index, before: key), before: key, in: slab)
    }

    private mutating func count(_ before: [Int], before key: RankKey, in slab: JobSlab) -> Int {
        var found = 0
        for lane in before {
            found += lanes[lane].line.countBefore(key, in: slab)
            looks += 1 + lanes[lane].takeLooks()
        }
        return found
    }

    /// When the oldest of all first jobs was accepted; nil: none waits.
    var oldestAcceptance: WallTime? { ages.top?.key.acceptedAt }

    /// The first job of each lane.
    var heads: [LaneKey: UInt64] { Dictionary(uniqueKeysWithValues: lanes.inUse.map { (lanes[$0].key, lanes[$0].line.first) }) }

    /// The suspected job for which a worker is kept empty; nil: it is for none.
    func suspect(keeping worker: Int) -> UInt64? {
        claims.first { $0.worker == worker }.flatMap { pools[$0.pool].suspects.top?.key.id }
    }

    /// The first job of a lane; 0: none waits in it.
    func first(of key: LaneKey) -> UInt64 { lanes.find(key).map { lanes[$0].line.first } ?? 0 }

    /// What was looked at since this was asked for last, in whole units; what is left over counts the next time.
    mutating func takeLooks(by unit: Int = 1) -> Int {
        looks += pools.takeLooks()
        defer { looks %= unit }
        return looks / unit
    }
}

/// Where a lane stands by the time at which its first job was accepted: among equal times by its index, so that no two are alike.
struct LaneAge: Comparable {
    let acceptedAt: WallTime
    let lane: Int

    static func < (one: LaneAge, two: LaneAge) -> Bool {
        one.acceptedAt != two.acceptedAt ? one.acceptedAt < two.acceptedAt : one.lane < two.lane
    }
}
