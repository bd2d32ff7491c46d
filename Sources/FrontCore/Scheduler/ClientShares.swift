//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule

/// The lanes of each client among those of a loader, and whose turn it is.
///
/// A client's *pass* grows by a stride for each job that it gets, the smaller the more it weighs; the smallest pass is next. What a client had got when
/// it left is remembered until the others have got as much: else one that comes and goes with each job would have more than its share.
struct ClientShares {
    /// The lanes of one client that have jobs of a loader.
    private struct Share {
        let group: Int
        let client: UInt32
        var weight: Int64
        /// By their first jobs, those that wait for no limit.
        var lanes = PlacedHeap<RankKey>()
        /// All of them.
        var laneCount = 0
        /// What it has got, in strides.
        var pass: Int64 = 0
        /// Whether it is among the idle ones of its group, or was until its client came back.
        var isListed = false
    }

    /// Whose turn it is: of equal ones that which has waited for longer.
    private struct Turn: Comparable {
        var pass: Int64
        var order: Int64

        static func < (one: Turn, two: Turn) -> Bool { one.pass != two.pass ? one.pass < two.pass : one.order < two.order }
    }

    /// The shares of a loader's lanes.
    private struct Group {
        var byRank = PlacedHeap<RankKey>()
        var byTurn = PlacedHeap<Turn>()
        /// The pass of the one that had the last turn.
        var pass: Int64 = 0
        /// Shares without lanes that have got more than that, in the order in which they left.
        var idle = Deque<Int>()
    }

    private struct Key: Hashable {
        var group: Int
        var client: UInt32
    }

    private var shares: [Share] = []
    private var free: [Int] = []
    private var indexes: [Key: Int] = [:]
    /// By a group's index.
    private var groups: [Group] = []
    /// By a share its places in both heaps of its group, from 1; 0: it is not in.
    private var rankPlaces: [Int] = []
    private var turnPlaces: [Int] = []
    /// Counts the turns, so that equal ones have an order.
    private var order: Int64 = 0

    /// What a job counts for a client of weight 1: divided by every weight up to 1,000 it is still some thousands.
    private static let stride: Int64 = 1 << 22
    /// Idle shares that are looked at with each turn.
    private static let idleLooks = 4
    /// Idle shares of a group that are remembered: what more of them had got too much is a stride for each.
    private static let idleCount = 256

    /// How many shares there are, with those that are remembered.
    var count: Int { indexes.count }

    /// A lane comes.
    /// - Returns: the share that it is of.
    mutating func enter(_ key: LaneKey) -> Int {
        while groups.count <= key.group.index { groups.append(Group()) }
        let own = Key(group: key.group.index, client: key.terms.client)
        let share = indexes[own] ?? make(own)
        // At least 1, as turns are divided by it.
        shares[share].weight = Int64(max(1, key.terms.weight))
        shares[share].laneCount += 1
        return share
    }

    private mutating func make(_ key: Key) -> Int {
        let new = Share(group: key.group, client: key.client, weight: 1)
        let share = free.popLast() ?? shares.count
        if share == shares.count {
            shares.append(new)
            rankPlaces.append(0)
            turnPlaces.append(0)
        } else {
            shares[share] = new
        }
        indexes[key] = share
        return share
    }

    /// A lane has no jobs any more, and stands nowhere.
    mutating func leave(_ share: Int) {
        shares[share].laneCount -= 1
        guard shares[share].laneCount == 0 else { return }
        let group = shares[share].group
        guard !shares[share].isListed else { return }
        // One that has got no more than the others begins where they are, remembered or not.
        guard shares[share].pass > groups[group].pass else { return forget(share) }
        shares[share].isListed = true
        groups[group].idle.append(share)
        if groups[group].idle.count > Self.idleCount { takeIdle(of: group) }
    }

    /// The first idle share of a group is remembered no longer.
    private mutating func takeIdle(of group: Int) {
        let share = groups[group].idle.removeFirst()
        shares[share].isListed = false
        if shares[share].laneCount == 0 { forget(share) }
    }

    private mutating func forget(_ share: Int) {
        indexes[Key(group: shares[share].group, client: shares[share].client)] = nil
        free.append(share)
    }

    /// The lanes of a share, by their first jobs.
    func lanes(of share: Int) -> PlacedHeap<RankKey> { shares[share].lanes }

    /// What a share has got.
    func pass(of share: Int) -> Int64 { shares[share].pass }

    /// The first job of a group by rank, and its lane.
    func first(of group: LaneGroup) -> (key: RankKey, lane: Int)? {
        guard group.index < groups.count, let share = groups[group.index].byRank.top?.item else { return nil }
        return shares[share].lanes.top.map { ($0.key, $0.item) }
    }

    /// The share whose turn it is; nil: nothing waits.
    func next(of group: LaneGroup) -> Int? { group.index < groups.count ? groups[group.index].byTurn.top?.item : nil }

    /// The shares of other clients that have a turn before one that has had so many more turns, of the first so many that are looked at.
    func others(before count: Int, of share: Int, looks: Int) -> HeapSample {
        let group = shares[share].group
        // Its next turn has its place among equal ones. Later ones come behind those.
        let order = count == 0 && turnPlaces[share] != 0 ? groups[group].byTurn[turnPlaces[share] - 1].key.order : .max
        return groups[group].byTurn.items(before: Turn(pass: pass(of: share, after: count), order: order), looks: looks)
    }

    /// How many turns another client has before one that has had so many more; it may have fewer jobs.
    func turns(of other: Int, before count: Int, of share: Int) -> Int {
        other == share ? 0 : Int((pass(of: share, after: count) - shares[other].pass) / (Self.stride / shares[other].weight) + 1)
    }

    private func pass(of share: Int, after count: Int) -> Int64 {
        max(shares[share].pass, groups[shares[share].group].pass) + Int64(count) * (Self.stride / shares[share].weight)
    }

    /// Moves a lane to where its first job belongs; nil: it has none.
    /// - Returns: how many lanes and shares were looked at.
    mutating func note(_ first: RankKey?, of lane: Int, in share: Int, _ places: inout [Int]) -> Int {
        let group = shares[share].group
        var looks = 0
        if let first {
            looks += shares[share].lanes.set(lane, to: first, &places)
        } else {
            looks += shares[share].lanes.remove(lane, &places)
        }
        guard let top = shares[share].lanes.top?.key else {
            return looks + groups[group].byRank.remove(share, &rankPlaces) + groups[group].byTurn.remove(share, &turnPlaces)
        }
        if turnPlaces[share] == 0 {
            // What nobody used while it had nothing to do is not saved up.
            shares[share].pass = max(shares[share].pass, groups[group].pass)
            looks += placeTurn(of: share)
        }
        return looks + groups[group].byRank.set(share, to: top, &rankPlaces)
    }

    private mutating func placeTurn(of share: Int) -> Int {
        order += 1
        return groups[shares[share].group].byTurn.set(share, to: Turn(pass: shares[share].pass, order: order), &turnPlaces)
    }

    /// A client gets so many jobs.
    /// - Returns: how many shares were looked at.
    mutating func count(_ jobs: Int, of share: Int) -> Int {
        guard jobs > 0 else { return 0 }
        let group = shares[share].group
        // Before it grows: those who come begin where the one was that had its turn, not behind what it got with it.
        groups[group].pass = max(groups[group].pass, shares[share].pass)
        shares[share].pass += Int64(jobs) * (Self.stride / shares[share].weight)
        var looks = placeTurn(of: share)
        while looks < Self.idleLooks, let first = groups[group].idle.first {
            // In the order in which they left, not by what they got: so the rest waits behind one that has got much, and no turn looks at
            // all.
            guard shares[first].laneCount > 0 || shares[first].pass <= groups[group].pass else { break }
            takeIdle(of: group)
            looks += 1
        }
        return looks
    }
}
