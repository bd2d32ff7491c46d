//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The limits: what each says, what counts in it, and which lanes wait for room in one.
///
/// A job counts with each of its limits in a *use*: the limit with the value that the job names. It takes a permit of each when a worker is given
/// it, all of them or none, and gives them back when its run has ended there. A lane whose first job finds a use without room stands at that use,
/// by that job's rank, and is woken by it alone. For each loader one lane is woken for a room: the lanes of a loader find the same workers, so what
/// keeps the first one waiting then would keep the others.
///
/// What a limit says is durable. What is in use follows from the jobs that workers hold.
struct LimitTable {
    /// A limit that says something, or that jobs count in.
    private struct Limit {
        let name: String
        var rule: LimitRule?
        var inUse = 0
        /// Jobs that count in it and have not ended.
        var jobs = 0
        /// Its uses, in no order that matters.
        var uses: [Int] = []
    }

    /// A limit with one of its values.
    private struct Use {
        let key: LimitKey
        let limit: Int
        /// Its place among the uses of its limit.
        var place: Int
        var inUse = 0
        var jobs = 0
        /// Sets of limits that have it.
        var sets = 0
        /// Lanes that wait for room here, by their first jobs, for each loader that has some.
        var parked: [(group: Int, lanes: PlacedHeap<RankKey>)] = []
    }

    /// The limits of jobs that name the same ones.
    private struct Members {
        var uses: [Int] = []
        var jobs = 0
    }

    private var limits: [Limit] = []
    private var freeLimits: [Int] = []
    private var limitIndexes: [String: Int] = [:]
    private var uses: [Use] = []
    private var freeUses: [Int] = []
    private var useIndexes: [LimitKey: Int] = [:]
    /// By the index of a set, which the terms of jobs have.
    private var sets: [Members] = []
    /// By a lane the use where it stands, from 1, and its place in the heap there; 0: nowhere.
    private var spots: [Int] = []
    private var places: [Int] = []
    /// Uses that may have room for a lane that stands there.
    private var roomy = ChangedIndexes()
    private var woken: [Int] = []
    /// Whether the search for the next job has ended because so many lanes had to go where they wait.
    var wasCut = false
    /// Limits whose numbers changed since that was asked last, and names of those whose rule did: one that is deleted may have left its index.
    private var changed = ChangedIndexes()
    private var changedRules: Set<String> = []
    /// How many of them say something.
    private(set) var ruleCount = 0

    /// Whether any job counts in one.
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

    /// For how many values jobs count in a limit.
    func useCount(of name: String) -> Int { limitIndexes[name].map { limits[$0].uses.count } ?? 0 }

    /// The entries that make them.
    var entries: [JournalEntry] { names.map { .limitChanged(JournalEntry.LimitChanged($0, rule(of: $0))) } }

    /// A limit says something else from now on. Whoever runs goes on running.
    mutating func apply(_ change: JournalEntry.LimitChanged) {
        let index = index(of: change.name)
        ruleCount += (change.rule == nil ? 0 : 1) - (limits[index].rule == nil ? 0 : 1)
        limits[index].rule = change.rule
        changedRules.insert(change.name)
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
        isUsed = true
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

    private func uses(of set: Int) -> [Int] { set < sets.count ? sets[set].uses : [] }

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
        if let use = useIndexes[key] {
            uses[use].sets += 1
            return use
        }
        let limit = index(of: key.limit)
        let new = Use(key: key, limit: limit, place: limits[limit].uses.count, sets: 1)
        let use = freeUses.popLast() ?? uses.count
        if use == uses.count { uses.append(new) } else { uses[use] = new }
        useIndexes[key] = use
        limits[limit].uses.append(use)
        return use
    }

    private mutating func removeUse(_ use: Int) {
        uses[use].sets -= 1
        guard uses[use].sets == 0 else { return }
        // Lanes whose last job has just gone are not told of that yet.
        for lane in uses[use].parked.flatMap(\.lanes.all) { (spots[lane], places[lane]) = (0, 0) }
        let (limit, place) = (uses[use].limit, uses[use].place)
        let last = limits[limit].uses.removeLast()
        if last != use {
            limits[limit].uses[place] = last
            uses[last].place = place
        }
        useIndexes[uses[use].key] = nil
        uses[use] = Use(key: LimitKey(""), limit: limit, place: 0)
        freeUses.append(use)
        dropIfUnused(limit)
        isUsed = !useIndexes.isEmpty
        // What a million values have needed is given back when none of them is left.
        guard !isUsed else { return }
        (uses, freeUses, sets, spots, places) = ([], [], [], [], [])
        (woken, roomy, wasCut) = ([], ChangedIndexes(), false)
    }
}

// MARK: Room

extension LimitTable {
    /// The first of a set's uses that has no room; nil: each has.
    func full(_ set: Int) -> Int? { uses(of: set).first { !hasRoom($0) } }

    /// Why a job of a set finds no room, for people; nil: it does.
    func fullReason(of set: Int) -> WaitReason? {
        guard let use = full(set), let rule = limits[uses[use].limit].rule else { return nil }
        return .limitFull(uses[use].key, inUse: UInt64(uses[use].inUse), capacity: rule.capacity)
    }

    /// How many further jobs of a set find room.
    func room(_ set: Int) -> Int { uses(of: set).map { room(ofUse: $0) }.min() ?? .max }

    private func room(ofUse use: Int) -> Int { limits[uses[use].limit].rule.map { Int($0.capacity) - uses[use].inUse } ?? .max }

    private func hasRoom(_ use: Int) -> Bool { room(ofUse: use) > 0 }

    private mutating func noteRoom(_ use: Int) { if !uses[use].parked.isEmpty, hasRoom(use) { roomy.note(use) } }

    /// Looks of one waking: a limit of a million values that is raised keeps nobody waiting for a second.
    static var wakingLooks: Int { 16_384 }

    /// Whether lanes are still to be woken, or to go where they wait: so many are in a turn.
    var isUnfinished: Bool { wasCut || !woken.isEmpty || !roomy.isEmpty }

    /// The first job of a lane of that set has changed, or is granted no more: others may have the room that it would have had.
    mutating func passOn(_ set: Int) { for use in uses(of: set) { noteRoom(use) } }
}

// MARK: Lanes that wait

extension LimitTable {
    /// Whether a lane waits for room in a limit.
    func isParked(_ lane: Int) -> Bool { lane < spots.count && spots[lane] != 0 }

    /// A lane waits at a use that has no room, by its first job.
    /// - Returns: how many lanes were looked at.
    mutating func park(_ lane: Int, of group: Int, by first: RankKey, at use: Int) -> Int {
        while spots.count <= lane {
            spots.append(0)
            places.append(0)
        }
        spots[lane] = use + 1
        let own = uses[use].parked.firstIndex { $0.group == group } ?? uses[use].parked.count
        if own == uses[use].parked.count { uses[use].parked.append((group, PlacedHeap())) }
        return uses[use].parked[own].lanes.set(lane, to: first, &places)
    }

    /// A lane waits in no limit any more.
    /// - Returns: how many lanes were looked at.
    mutating func unpark(_ lane: Int, of group: Int) -> Int {
        guard isParked(lane) else { return 0 }
        let use = spots[lane] - 1
        spots[lane] = 0
        guard let own = uses[use].parked.firstIndex(where: { $0.group == group }) else { return 0 }
        let looks = uses[use].parked[own].lanes.remove(lane, &places)
        if uses[use].parked[own].lanes.isEmpty { uses[use].parked.remove(at: own) }
        return looks
    }

    /// The first job of a lane may be another one: it waits in no limit any more, and others may have the room that it was woken for.
    /// - Returns: whether it waited in one.
    mutating func release(_ lane: Int, _ key: LaneKey, _ looks: inout Int) -> Bool {
        guard key.limitSet != 0 else { return false }
        defer { passOn(Int(key.limitSet)) }
        guard isParked(lane) else { return false }
        looks += unpark(lane, of: key.group.index)
        return true
    }

    /// A lane that is to be looked at again, since the limit where it waited has room: of each loader the first one.
    mutating func takeWoken() -> Int? {
        while woken.isEmpty, let use = roomy.take() {
            if use < uses.count, hasRoom(use) { woken = uses[use].parked.compactMap { $0.lanes.top?.item } }
        }
        return woken.popLast()
    }

    /// The lanes of a group that wait where this one does and whose first job stands before a key.
    func neighbours(of lane: Int, in group: Int, before key: RankKey) -> [Int] {
        guard isParked(lane) else { return [] }
        return uses[spots[lane] - 1].parked.first { $0.group == group }?.lanes.items(before: key) ?? []
    }
}

// MARK: What observers see

extension LimitTable {
    /// Values of a limit that are looked at to find those that most jobs name: it may have a million.
    private static var summaryLooks: Int { 1_024 }

    /// A limit as observers see it; nil: there is none.
    func summary(of name: String) -> LimitSummary? {
        guard let index = limitIndexes[name], let rule = limits[index].rule else { return nil }
        var summary = LimitSummary(name: name, rule: rule)
        let limit = limits[index]
        (summary.inUse, summary.waiting) = (UInt64(limit.inUse), UInt64(max(0, limit.jobs - limit.inUse)))
        summary.valueCount = UInt64(limit.uses.count)
        let values = limit.uses.prefix(Self.summaryLooks).map { use in
            let (inUse, jobs) = (uses[use].inUse, uses[use].jobs)
            return LimitValue(uses[use].key.value, inUse: UInt64(inUse), waiting: UInt64(max(0, jobs - inUse)))
        }
        let sorted = values.sorted { ($1.inUse + $1.waiting, $0.value) < ($0.inUse + $0.waiting, $1.value) }
        summary.values = Array(sorted.prefix(LimitSummary.shownValues))
        return summary
    }

    /// What differs from permits and jobs that were counted anew; nil: nothing.
    func miscount(_ counted: [LimitKey: (jobs: Int, inUse: Int)]) -> String? {
        for key in Set(useIndexes.keys).union(counted.keys).sorted(by: { $0.text < $1.text }) {
            let (noted, found) = (useIndexes[key].map { (uses[$0].jobs, uses[$0].inUse) } ?? (0, 0), counted[key] ?? (0, 0))
            if noted != found { return "jobs and permits of the limit \(key.text) are noted as \(noted), counted \(found)" }
        }
        return limits.first { limit in limit.inUse != limit.uses.reduce(0) { $0 + uses[$1].inUse } }.map {
            "the limit \($0.name) has another sum"
        }
    }

    /// Whether any has changed since `takeChanged` was asked.
    var hasChanged: Bool { !changed.isEmpty || !changedRules.isEmpty }

    /// The names of some that have, in order, and what it costs to look at those.
    mutating func takeChanged(_ count: Int) -> (names: [String], looks: Int) {
        while changedRules.count < count, let index = changed.take() { changedRules.insert(limits[index].name) }
        let names = Array(changedRules.sorted().prefix(count))
        changedRules.subtract(names)
        let looks = names.reduce(0) { $0 + min(Self.summaryLooks, limitIndexes[$1].map { limits[$0].uses.count } ?? 0) }
        return (names, looks)
    }
}
