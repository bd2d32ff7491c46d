//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The limits: what each says, and what counts in it.
///
/// A job counts with each of its limits in a *use*: the limit with the value that the job names. It takes a permit of each when a worker is given
/// it, all of them or none, and gives them back when its run has ended there; and a token of each that has a rate, which it gives back only where
/// that attempt does not count. A lane whose first job finds a use without room stands at that use, see `LimitLanes`.
///
/// What a limit says is durable, and so are its tokens. Which permits are in use follows from the jobs that workers hold.
struct LimitTable {
    /// A limit that says something, or that jobs count in.
    struct Limit {
        let name: String
        var rule: LimitRule?
        /// Its rate; nil: it has none.
        var rate: TokenRate?
        /// What each of its values has that has no bucket of its own: since no job has taken a token of it, this one is the fullest of all.
        var bucket = TokenBucket(level: 0, at: 0)
        /// Grants under that lease and later ones took tokens.
        var ratedFrom: UInt64 = 0
        var inUse = 0
        /// Jobs that count in it and have not ended.
        var jobs = 0
        /// Its uses, in no order that matters.
        var uses: [Int] = []
    }

    /// A limit with one of its values. Without jobs it is kept as long as its bucket is not full.
    struct Use {
        let key: LimitKey
        let limit: Int
        /// Its place among the uses of its limit.
        var place: Int
        var inUse = 0
        var jobs = 0
        /// Sets of limits that have it.
        var sets = 0
        /// Its tokens; nil: as many as its limit says.
        var bucket: TokenBucket?
        /// The turn at which a checkpoint stored them.
        var storedTurn: UInt64 = 0
    }

    /// The limits of jobs that name the same ones.
    private struct Members {
        var uses: [Int] = []
        var jobs = 0
    }

    // Read by the files beside this one; what changes them stands here and with the tokens.

    var limits: [Limit] = []
    private var freeLimits: [Int] = []
    private(set) var limitIndexes: [String: Int] = [:]
    var uses: [Use] = []
    private var freeUses: [Int] = []
    private(set) var useIndexes: [LimitKey: Int] = [:]
    /// By the index of a set, which the terms of jobs have.
    private var sets: [Members] = []
    /// Which lanes wait.
    private var lanes = LimitLanes()
    /// When a use is looked at next: one where lanes wait for a token, and one without jobs whose bucket will be full.
    var due = IndexedHeap<Int64>()
    /// What the clock of lengths showed last, in milliseconds, as far as the limits know.
    private(set) var time: Int64 = 0
    /// The latest time that an entry has said. What is forgotten goes by that, so that a replay forgets the same.
    private(set) var entryTime: Int64 = 0
    /// Whether the search for the next job has ended because so many lanes had to go where they wait.
    private var wasCut = false
    /// Limits whose numbers changed since that was asked last, and names of those whose rule did: one that is deleted may have left its index.
    var changed = ChangedIndexes()
    var changedRules: Set<String> = []
    /// How many of them say something.
    private(set) var ruleCount = 0
    /// How many have a rate.
    private(set) var rateCount = 0
    /// Uses of limits that have a rate.
    private(set) var ratedUses = 0

    /// Whether any job counts in one, or tokens are missing.
    private(set) var isUsed = false
}

// MARK: What they say

extension LimitTable {
    /// What a limit says; nil: there is none of that name.
    func rule(of name: String) -> LimitRule? { limitIndexes[name].flatMap { limits[$0].rule } }

    /// The names of all that say something, in order.
    var names: [String] { limits.filter { $0.rule != nil }.map(\.name).sorted() }

    /// How many jobs count in a limit that have not ended.
    func jobCount(of name: String) -> Int { limitIndexes[name].map { limits[$0].jobs } ?? 0 }

    /// How many values of a limit there are.
    func useCount(of name: String) -> Int { limitIndexes[name].map { limits[$0].uses.count } ?? 0 }

    /// The entries that make them.
    var entries: [JournalEntry] { names.map { .limitChanged(entry(of: $0)) } }

    private func entry(of name: String) -> JournalEntry.LimitChanged {
        var entry = JournalEntry.LimitChanged(name, rule(of: name))
        guard let index = limitIndexes[name], limits[index].rate != nil else { return entry }
        (entry.lengthTime, entry.level, entry.ratedFrom) = (limits[index].bucket.time, limits[index].bucket.level, limits[index].ratedFrom)
        return entry
    }

    /// What changes a limit that says something else from a time on.
    /// - Parameter lease: The one that the next grant has.
    func change(of name: String, to rule: LimitRule?, at now: Int64, lease: UInt64) -> JournalEntry.LimitChanged {
        let old = limitIndexes[name].map { limits[$0] }
        var entry = JournalEntry.LimitChanged(name, rule)
        guard let rate = rule?.refill.map(TokenRate.init) else {
            if old?.rate != nil { entry.lengthTime = now }
            return entry
        }
        var bucket = TokenBucket(fullBy: rate, at: now)
        if let before = old?.rate, let own = old?.bucket {
            bucket = own
            bucket.change(from: before, to: rate, at: now)
        }
        (entry.lengthTime, entry.level) = (bucket.time, bucket.level)
        entry.ratedFrom = old?.rate == nil ? lease : old?.ratedFrom ?? lease
        return entry
    }

    /// A limit says something else from now on. Whoever runs goes on running.
    /// - Parameter turn: The turn that decided it: buckets that a checkpoint stored then or later have it in them.
    mutating func apply(_ change: JournalEntry.LimitChanged, turn: UInt64 = .max) {
        let index = index(of: change.name)
        let (old, new) = (limits[index].rate, change.rule?.refill.map(TokenRate.init))
        ruleCount += (change.rule == nil ? 0 : 1) - (limits[index].rule == nil ? 0 : 1)
        rateCount += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        if (old == nil) != (new == nil) { ratedUses += limits[index].uses.count * (new == nil ? -1 : 1) }
        noteEntryTime(change.lengthTime)
        (limits[index].rule, limits[index].rate, limits[index].ratedFrom) = (change.rule, new, change.ratedFrom)
        limits[index].bucket = TokenBucket(level: change.level, at: change.lengthTime)
        changedRules.insert(change.name)
        if old != new { for use in limits[index].uses { changeRate(of: use, from: old, to: new, at: change.lengthTime, turn: turn) } }
        for use in limits[index].uses { noteRoom(use) }
        dropIfUnused(index)
    }

    private mutating func index(of name: String) -> Int {
        if let index = limitIndexes[name] { return index }
        let limit = Limit(name: name)
        let index = freeLimits.popLast() ?? limits.count
        if index == limits.count { limits.append(limit) } else { limits[index] = limit }
        limitIndexes[name] = index
        return index
    }

    private mutating func dropIfUnused(_ index: Int) {
        guard limits[index].rule == nil, limits[index].uses.isEmpty, limitIndexes[limits[index].name] == index else { return }
        limitIndexes[limits[index].name] = nil
        freeLimits.append(index)
    }
}

// MARK: What counts in them

extension LimitTable {
    /// Jobs come that name this set of limits and have not ended.
    mutating func enter(_ set: Int, jobs: Int = 1, _ keys: @autoclosure () -> [LimitKey]) {
        guard set != 0, jobs > 0 else { return }
        while sets.count <= set { sets.append(Members()) }
        if sets[set].jobs == 0 { sets[set].uses = keys().map { addUse($0) } }
        sets[set].jobs += jobs
        for use in sets[set].uses { count(jobs: jobs, in: use) }
    }

    /// A job of that set has ended.
    mutating func leave(_ set: Int) {
        guard set < sets.count, sets[set].jobs > 0 else { return }
        sets[set].jobs -= 1
        for use in sets[set].uses { count(jobs: -1, in: use) }
        guard sets[set].jobs == 0 else { return }
        // A lane of this set may have been woken for a room that it takes no more: it is told of that when the set has no uses to pass it on to.
        passOn(set)
        let uses = sets[set].uses
        sets[set].uses = []
        for use in uses { removeUse(use) }
    }

    /// A worker is given a job of that set: it takes its permits.
    mutating func take(_ set: Int) { for use in uses(of: set) { count(permits: 1, in: use) } }

    /// A run of that set has ended: its permits are free.
    mutating func free(_ set: Int) { for use in uses(of: set) { count(permits: -1, in: use) } }

    /// The uses of a set of limits.
    func uses(of set: Int) -> [Int] { set < sets.count ? sets[set].uses : [] }

    private mutating func count(jobs change: Int, in use: Int) {
        uses[use].jobs += change
        limits[uses[use].limit].jobs += change
        changed.note(uses[use].limit)
    }

    private mutating func count(permits change: Int, in use: Int) {
        uses[use].inUse += change
        limits[uses[use].limit].inUse += change
        changed.note(uses[use].limit)
        noteRoom(use)
    }

    private mutating func addUse(_ key: LimitKey) -> Int {
        let use = useIndexes[key] ?? makeUse(key)
        if uses[use].sets == 0 { due.remove(use) }
        uses[use].sets += 1
        return use
    }

    /// A use without jobs.
    mutating func makeUse(_ key: LimitKey) -> Int {
        let limit = index(of: key.limit)
        let new = Use(key: key, limit: limit, place: limits[limit].uses.count)
        let use = freeUses.popLast() ?? uses.count
        if use == uses.count { uses.append(new) } else { uses[use] = new }
        useIndexes[key] = use
        limits[limit].uses.append(use)
        if limits[limit].rate != nil { ratedUses += 1 }
        isUsed = true
        return use
    }

    private mutating func removeUse(_ use: Int) {
        uses[use].sets -= 1
        guard uses[use].sets == 0 else { return }
        lanes.clear(use)
        due.remove(use)
        forgetIfFull(use)
    }

    /// A use has neither jobs nor a bucket of its own any more.
    mutating func forget(_ use: Int) {
        due.remove(use)
        let (limit, place) = (uses[use].limit, uses[use].place)
        let last = limits[limit].uses.removeLast()
        if last != use {
            limits[limit].uses[place] = last
            uses[last].place = place
        }
        if limits[limit].rate != nil { ratedUses -= 1 }
        changed.note(limit)
        useIndexes[uses[use].key] = nil
        uses[use] = Use(key: LimitKey(""), limit: limit, place: 0)
        freeUses.append(use)
        dropIfUnused(limit)
        isUsed = !useIndexes.isEmpty
        // What a million values have needed is given back when none of them is left.
        guard !isUsed else { return }
        (uses, freeUses, sets, lanes, due) = ([], [], [], LimitLanes(), IndexedHeap())
        wasCut = false
    }
}

// MARK: Room

extension LimitTable {
    /// The first of a set's uses that has no room; nil: each has.
    func full(_ set: Int) -> Int? { uses(of: set).first { !hasRoom($0) } }

    /// Why a job of a set finds no room, for people; nil: it does.
    /// - Parameter wall: What the wall clock shows when the clock of lengths does.
    func fullReason(of set: Int, wall: (Int64) -> WallTime) -> WaitReason? {
        guard let use = full(set), let rule = limits[uses[use].limit].rule else { return nil }
        if permits(use) <= 0, let capacity = rule.capacity {
            return .limitFull(uses[use].key, .permits(inUse: UInt64(uses[use].inUse), capacity: capacity))
        }
        return .limitFull(uses[use].key, .tokens(next: wall(nextToken(of: use))))
    }

    /// How many further jobs of a set find room.
    func room(_ set: Int) -> Int { uses(of: set).map { room(ofUse: $0) }.min() ?? .max }

    private func room(ofUse use: Int) -> Int { min(permits(use), tokens(use)) }

    private func hasRoom(_ use: Int) -> Bool { room(ofUse: use) > 0 }

    /// How many permits are free: fewer than none after a capacity was lowered.
    private func permits(_ use: Int) -> Int { limits[uses[use].limit].rule?.capacity.map { Int($0) - uses[use].inUse } ?? .max }

    /// A use may have room for lanes that wait there; if it is a token that it has none of, it is looked at again when that comes.
    mutating func noteRoom(_ use: Int) {
        guard lanes.areParked(at: use) else { return }
        if hasRoom(use) { return lanes.noteRoom(use) }
        if permits(use) > 0 { due.set(use, to: nextToken(of: use)) }
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

    /// The clock of lengths shows that.
    mutating func noteTime(_ now: Int64) { time = max(time, now) }

    /// An entry says that it has shown that.
    mutating func noteEntryTime(_ then: Int64) {
        entryTime = max(entryTime, then)
        noteTime(then)
    }
}

// MARK: Lanes that wait

extension LimitTable {
    /// A lane waits at a use that has no room, by its first job.
    /// - Returns: how many lanes were looked at.
    mutating func park(_ lane: Int, of group: Int, by first: RankKey, at use: Int) -> Int {
        let looks = lanes.park(lane, of: group, by: first, at: use)
        noteRoom(use)
        return looks
    }

    /// A lane waits in no limit any more.
    /// - Returns: how many lanes were looked at.
    mutating func unpark(_ lane: Int, of group: Int) -> Int {
        guard let (use, looks) = lanes.unpark(lane, of: group) else { return 0 }
        if !lanes.areParked(at: use) { due.remove(use) }
        return looks
    }

    /// The first job of a lane may be another one: it waits in no limit any more, and others may have the room that it was woken for.
    /// - Returns: whether it waited in one.
    mutating func release(_ lane: Int, _ key: LaneKey, _ looks: inout Int) -> Bool {
        guard key.limitSet != 0 else { return false }
        defer { passOn(Int(key.limitSet)) }
        guard lanes.isParked(lane) else { return false }
        looks += unpark(lane, of: key.group.index)
        return true
    }

    /// A lane that is to be looked at again, since the limit where it waited has room: of each loader the first one.
    mutating func takeWoken() -> Int? {
        while true {
            if let lane = lanes.takeWoken() { return lane }
            guard let use = lanes.takeRoomy() else { return nil }
            if use < uses.count, hasRoom(use) { lanes.wake(at: use) }
        }
    }

    /// The lanes of a group that wait where this one does and whose first job stands before a key.
    func neighbours(of lane: Int, in group: Int, before key: RankKey) -> [Int] { lanes.neighbours(of: lane, in: group, before: key) }
}
