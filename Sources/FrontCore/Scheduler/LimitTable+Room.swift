//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Which jobs find room, and which lanes are looked at again when there is some.

// MARK: Room

extension LimitTable {
    /// The first of a set's uses that has too little room for a job, with the permits that it takes; nil: each has enough.
    /// - Parameter job: Its place in line: what is kept for a job before it, it does not get. Nil: nothing is kept from it.
    func full(_ set: Int, for job: RankKey? = nil) -> (use: Int, weight: Int)? {
        var full: (use: Int, weight: Int)?
        for (use, weight) in shares(of: set) {
            // Where it can never have room it waits, not in front of others that can.
            if weight > capacity(use) { return (use, weight) }
            if full == nil, room(ofUse: use, weight, for: job) < 1 { full = (use, weight) }
        }
        return full
    }

    /// Why a job of a set finds no room, for people; nil: it does.
    /// - Parameter wall: What the wall clock shows when the clock of lengths does.
    func fullReason(of set: Int, for job: RankKey, wall: (LengthTime) -> WallTime) -> WaitReason? {
        guard let (use, weight) = full(set, for: job), let rule = limits[uses[use].limit].rule else { return nil }
        var key = uses[use].key
        key.weight = UInt32(clamping: weight)
        if let capacity = rule.capacity, weight > Int(capacity) { return .limitTooSmall(key, capacity: capacity) }
        // There is room, but not for this job: the reason is the one for whom it is kept.
        if room(ofUse: use, weight, for: nil) > 0, let holder = reservations.holder(of: use) {
            return .limitFull(key, .reserved(for: JobID(holder.job.id)))
        }
        if permits(use) < weight, let capacity = rule.capacity {
            return .limitFull(key, .permits(inUse: UInt64(uses[use].inUse), capacity: capacity))
        }
        return .limitFull(key, .tokens(next: wall(nextToken(of: use))))
    }

    /// How many further jobs of a set find room, of a lane whose first job stands there in line.
    func room(_ set: Int, for job: RankKey) -> Int {
        var most = Int.max
        for (use, weight) in shares(of: set) {
            most = min(most, room(ofUse: use, weight, for: job))
            // Those behind it may stand behind a job, too, for which something is kept.
            if reservations.holder(of: use) != nil { most = min(1, most) }
        }
        return most
    }

    /// How many further jobs find room that take so many permits each.
    func room(ofUse use: Int, _ weight: Int, for job: RankKey?) -> Int {
        let kept = reservations.kept(in: use, from: job)
        let (permits, tokens) = (permits(use), tokens(use))
        return min(permits == .max ? .max : max(0, permits - kept.permits) / weight, tokens == .max ? .max : tokens - kept.tokens)
    }

    /// How many permits are free: fewer than none after a capacity was lowered.
    func permits(_ use: Int) -> Int { limits[uses[use].limit].rule?.capacity.map { Int($0) - uses[use].inUse } ?? .max }

    /// A use may have room for lanes that wait there; if it is a token that it has none of, it is looked at again when that comes.
    mutating func noteRoom(_ use: Int) {
        guard lanes.areParked(at: use) else { return }
        guard permits(use) > 0 else { return }
        let tokens = tokens(use)
        if tokens > 0 { lanes.noteRoom(use) }
        // Only where the lightest lane fits: each grant looks at a bounded number of these, and one without use would hide another.
        if mayFit(at: use) { open.note(use) }
        // Where one is kept for a job, the others wait for the next one: there is none if the bucket holds no more.
        let needed = reservations.holder(of: use) == nil ? 1 : 2
        if tokens < needed, let next = nextToken(of: use, count: tokens + 1) { due.set(use, to: next) }
    }

    /// Looks of one waking: a limit of a million values that is raised keeps nobody waiting for a second.
    static var wakingLooks: Int { 16_384 }

    /// Whether lanes are still to be woken, or to go where they wait, or buckets to be looked at: so many are in a turn.
    var isUnfinished: Bool { wasCut || lanes.hasWoken || nextTime.map { $0 <= time } ?? false }

    /// The same; what was cut goes on with the next turn.
    mutating func takeUnfinished() -> Bool {
        defer { wasCut = false }
        return isUnfinished
    }

    /// Whether a turn that has looked so often may look for further jobs that find room; if not, the next one goes on.
    mutating func mayLook(_ looks: Int, upTo most: Int) -> Bool {
        wasCut = wasCut || looks > most
        return looks <= most
    }

    /// The first job of a lane of that set has changed, or is granted no more: others may have the room that it would have had.
    mutating func passOn(_ set: Int) { for use in uses(of: set) { noteRoom(use) } }
}

// MARK: Lanes that wait

extension LimitTable {
    /// A lane waits at a use that has too little room, by its first job.
    /// - Parameter pass: What its client has got.
    /// - Returns: how many lanes were looked at.
    mutating func park(_ lane: Int, _ key: LaneKey, by first: RankKey, at full: (use: Int, weight: Int), _ pass: Int64) -> Int {
        lanes.park(lane, key, by: first, at: full.use, for: full.weight, pass)
    }

    /// A lane waits in no limit any more.
    /// - Returns: how many lanes were looked at.
    mutating func unpark(_ lane: Int, of group: Int) -> Int {
        guard let (use, looks) = lanes.unpark(lane, of: group) else { return 0 }
        if !lanes.areParked(at: use) { due.remove(use) }
        return looks
    }

    /// The first job of a lane may be another one: it waits in no limit any more, and others may have the room that it was woken for.
    /// - Parameter head: The first job now; nil: there is none.
    /// - Returns: whether it waited in one.
    mutating func release(_ lane: Int, _ key: LaneKey, _ head: RankKey?, _ looks: inout Int) -> Bool {
        guard key.limitSet != 0 else { return false }
        // It waited by its former first job; the next one waits from its own time.
        reservations.forget(lane)
        // What was kept was kept for that job, not for the lane.
        if let made = reservations.made[lane], made.job != head { drop(lane) }
        defer { passOn(Int(key.limitSet)) }
        guard lanes.isParked(lane) else { return false }
        looks += unpark(lane, of: key.group.index)
        return true
    }

    /// A lane that is to be looked at again, since the limit where it waited has room: of each loader the next one that finds enough, and the first
    /// one that may reserve what is there.
    mutating func takeWoken(in slab: JobSlab, _ table: LaneTable, _ looks: inout Int) -> Int? {
        while true {
            if let lane = lanes.takeWoken() { return lane }
            guard let use = lanes.takeRoomy() else { return nil }
            guard lanes.areParked(at: use) else { continue }
            looks += lanes.refresh(at: use, by: table)
            let found = lanes.candidates(
                at: use, holder: reservations.holder(of: use), fits: { room(ofUse: use, $0, for: $1) > 0 },
                canEverFit: { $0 <= capacity(use) },
                mayHaveReservation: { mayHaveReservation($0, Int($1.limitSet), by: $2, in: slab) })
            looks += found.looks
            lanes.wake(found.lanes)
        }
    }

    /// The first lane of the client and loader of another one that waits where there is room now, and its first job; nil: none was found. Of all that wait
    /// for a limit one is woken for each loader, and which, the turns of clients say.
    ///
    /// It may wait at any use, also where the other one counts in none: so all that have room are looked at, as many as `openLooks` lets. It may find too
    /// little in another limit: then it goes there, out of the way of those behind it.
    mutating func firstWaiting(like key: LaneKey, looks: inout Int) -> (lane: Int, key: RankKey)? {
        var (left, found): (Int, (lane: Int, key: RankKey)?) = (Self.openLooks, nil)
        for place in open.indices.reversed() {
            guard left > 0 else { break }
            left -= 1
            let use = open[place]
            guard mayFit(at: use) else {
                open.remove(at: place)
                continue
            }
            let first = lanes.first(at: use, like: key, free: permits(use), fits: { room(ofUse: use, $0, for: $1) > 0 }, left: &left)
            if let first, found.map({ first.key < $0.key }) ?? true { found = first }
        }
        looks += Self.openLooks - left
        return found
    }

    /// Uses and lines that are looked at for a grant. Mostly as many uses have room where somebody waits as runs have ended in a turn; where workers have no
    /// free slots there may be any number.
    private static var openLooks: Int { 128 }

    /// Whether a use has enough for a lane that stands there, whatever is kept.
    private func mayFit(at use: Int) -> Bool { lanes.lightestWeight(at: use).map { $0 <= permits(use) && tokens(use) > 0 } ?? false }

    /// Whether a lane waits for room in a limit.
    func isParked(_ lane: Int) -> Bool { lanes.isParked(lane) }

    /// The lanes of a group that wait where this one does and whose first job stands before a key.
    func neighbors(of lane: Int, in group: Int, before key: RankKey) -> [Int] { lanes.neighbors(of: lane, in: group, before: key) }
}

// MARK: Reservations

extension LimitTable {
    /// Whether the first job of a lane may reserve what it needs: it has waited for long enough, each of its limits has as many permits at all, and
    /// none of them keeps anything for a job before it. One that needs a single permit of a single limit gets the first that is free without that.
    private func mayHaveReservation(_ lane: Int, _ set: Int, by first: RankKey, in slab: JobSlab) -> Bool {
        guard needsMuch(set), reservations.isLong(first, terms: Int(slab[first.id].terms)), reservations.made[lane] == nil,
            reservations.hasRoom
        else {
            return false
        }
        return shares(of: set).allSatisfy { use, weight in
            // It could never be granted, and would keep idle what it has reserved.
            guard weight <= capacity(use) else { return false }
            // Only before the one that has reserved: else two jobs could take it from each other in turn, and none would come to its
            // grant.
            return reservations.holder(of: use).map { first < $0.job } ?? true
        }
    }

    /// Whether jobs of a set, of which some wait, need several permits, or several limits.
    private func needsMuch(_ set: Int) -> Bool {
        if sets[set].weights.count > 1 { return true }
        return sets[set].weights.contains { $0 > 1 }
    }

    /// Looks again at lanes whose first jobs have waited for long enough by now, so many in a turn.
    mutating func wakeAged() {
        var looks = 0
        while looks < Self.wakingLooks, let lane = reservations.takeAged() {
            looks += 1
            lanes.wake([lane])
        }
    }

    /// A worker could take the first job of a lane, which finds no room. If it may, it reserves in all its limits at once: then those keep what becomes
    /// free for it. Jobs behind it lose what they had reserved there, and with it all that they had.
    ///
    /// So nobody waits in a circle, and the first of all comes to its grant.
    mutating func makeReservation(_ lane: Int, _ key: LaneKey, by first: RankKey, in slab: JobSlab) {
        let set = Int(key.limitSet)
        guard mayHaveReservation(lane, set, by: first, in: slab) else {
            // One that needs more than there is stands in nobody's way.
            if reservations.made[lane] == nil, needsMuch(set), shares(of: set).allSatisfy({ $1 <= capacity($0) }) {
                _ = reservations.await(lane, by: first, terms: Int(slab[first.id].terms))
            }
            return
        }
        // With all that they have elsewhere: who holds on to one limit while waiting for another one may wait in a circle.
        for use in uses(of: set) { if let holder = reservations.holder(of: use) { drop(holder.lane) } }
        reservations.make(lane, LimitReservations.Made(job: first, group: key.group, uses: Array(shares(of: set))))
    }

    /// A lane has reserved nothing any more: others may have what was kept for it.
    mutating func drop(_ lane: Int) {
        for use in reservations.drop(lane) { noteRoom(use) }
        lanes.wake(reservations.takeBlocked())
    }

    /// A use keeps nothing any more, and whoever had reserved in it has nothing elsewhere either.
    mutating func dropReservation(at use: Int) { if let holder = reservations.holder(of: use) { drop(holder.lane) } }

    /// No worker could take a job of a loader now, or of any: what is kept for them is free.
    mutating func dropReservations(of loader: Int?) { for lane in reservations.lanes(of: loader) { drop(lane) } }

    /// Whether a limit has as many permits as it keeps.
    func mayHold(_ use: Int) -> Bool {
        reservations.isEmpty || reservations.kept(in: use, from: nil, always: true).permits <= capacity(use)
    }

    /// How many permits a use has, free or not.
    func capacity(_ use: Int) -> Int { limits[uses[use].limit].rule?.capacity.map { Int($0) } ?? .max }
}
