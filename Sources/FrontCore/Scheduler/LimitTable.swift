//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The limits: what each says, and what counts in it.
///
/// A job counts with each of its limits in a *use*: the limit with the value that the job names. It takes its permits of each, one or as many as it
/// weighs, when a worker is given it, all of them or none, and gives them back when its run has ended there; and a token of each that has a rate,
/// which it gives back only where that attempt does not count. A lane whose first job finds a use without room stands at that use, see
/// `LimitLanes`; one that has waited for long may reserve what becomes free, see `LimitReservations`.
///
/// What a limit says is durable, and so are its tokens. Which permits are in use follows from the jobs that workers hold. Reservations are of this
/// epoch only.
struct LimitTable {
    /// A limit that says something, or that jobs count in.
    struct Limit {
        let name: String
        var rule: LimitRule?
        /// What the configuration says of it; nil: it does not name it.
        var configured: LimitRule?
        /// Its rate; nil: it has none.
        var rate: TokenRate?
        /// What each of its values has that has no bucket of its own: since no job has taken a token of it, this one is the fullest of all.
        var bucket = TokenBucket(level: 0, at: .zero)
        /// Grants under that lease and later ones took tokens.
        var ratedFrom: UInt64 = 0
        /// Permits that are taken.
        var inUse = 0
        /// Jobs that count in it and have not ended, and those of them that have their permits.
        var jobs = 0
        var running = 0
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
        var running = 0
        /// Those whose time has not come.
        var scheduled = 0
        /// Sets of limits that have it.
        var sets = 0
        /// Its tokens; nil: as many as its limit says.
        var bucket: TokenBucket?
        /// The turn at which a checkpoint stored them; 0: none did, or a later entry has changed them.
        var storedTurn: UInt64 = 0
        /// How full its bucket was when tokens were taken of it.
        var peaks = TokenPeaks()
    }

    /// The limits of jobs that name the same ones, and take as many permits of each.
    struct Members {
        /// In the order of their limits' names; of each how many permits a job takes.
        var uses: [Int] = []
        var weights: [Int] = []
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
    private(set) var sets: [Members] = []
    /// Which lanes wait.
    var lanes = LimitLanes()
    /// Uses where some do though there is room, or did when that was noted.
    var open = ChangedIndexes()
    /// Which of them keep what becomes free for their first jobs.
    var reservations = LimitReservations()
    /// When a use is looked at next: one where lanes wait for a token, and one without jobs whose bucket will be full.
    var due = IndexedHeap<LengthTime>()
    /// What the clock of lengths showed last, as far as the limits know.
    private(set) var time = LengthTime.zero
    /// The first lease of this epoch.
    private(set) var firstLease: UInt64 = 0
    /// The latest time that an entry has said, and never later than the one that is applied. What is forgotten goes by that, so that a replay forgets
    /// the same, and nothing that is short by then.
    private(set) var entryTime = LengthTime.zero
    /// Whether the search for the next job has ended because so many lanes had to go where they wait.
    var wasCut = false
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

    /// The limit of a key as a grant has it: its rule now.
    /// - Parameter isKnown: false: as one whose rule nobody knew when it was granted.
    func granted(_ key: LimitKey, isKnown: Bool) -> GrantedLimit {
        guard isKnown, let index = limitIndexes[key.limit] else { return GrantedLimit(key.unweighted, nil, weight: key.weight) }
        return GrantedLimit(key.unweighted, limits[index].rule, weight: key.weight, ratedFrom: limits[index].ratedFrom)
    }

    /// What the configuration says of a limit; nil: it does not name it.
    func configured(_ name: String) -> LimitRule? { limitIndexes[name].flatMap { limits[$0].configured } }

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
        entry.configured = configured(name)
        guard let index = limitIndexes[name], limits[index].rate != nil else { return entry }
        (entry.bucket, entry.ratedFrom) = (limits[index].bucket, limits[index].ratedFrom)
        return entry
    }

    /// What changes a limit that says something else from a time on. What the configuration says of it stays.
    /// - Parameter lease: The one that the next grant has.
    func change(of name: String, to rule: LimitRule?, at now: LengthTime, lease: UInt64) -> JournalEntry.LimitChanged {
        let old = limitIndexes[name].map { limits[$0] }
        var entry = JournalEntry.LimitChanged(name, rule)
        entry.configured = old?.configured
        guard let rate = rule?.refill.map(TokenRate.init) else {
            if old?.rate != nil { entry.lengthTime = now.milliseconds }
            return entry
        }
        var bucket = TokenBucket(fullBy: rate, at: now)
        if let before = old?.rate, let own = old?.bucket {
            bucket = own
            bucket.change(from: before, to: rate, at: now)
        }
        entry.bucket = bucket
        // Runs that began while it had no rate took no token, so they give none back.
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
        let time = LengthTime(milliseconds: change.lengthTime)
        noteEntryTime(time)
        (limits[index].rule, limits[index].rate, limits[index].ratedFrom) = (change.rule, new, change.ratedFrom)
        limits[index].configured = change.configured
        limits[index].bucket = change.bucket
        changedRules.insert(change.name)
        if old != new { for use in limits[index].uses { changeRate(of: use, from: old, to: new, at: time, turn: turn) } }
        // A capacity that was lowered below what is kept would never be free for it.
        for use in limits[index].uses where !mayHold(use) { dropReservation(at: use) }
        // Whoever waits there may have room by the new numbers, and nothing else would wake it.
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
    /// The clock of ranks shows that, and jobs that have waited for so long may reserve.
    mutating func noteRankTime(_ now: RankTime, reservingAfter wait: Duration) {
        reservations.note(rankTime: now, wait: wait)
        wakeAged()
    }

    /// Jobs with these terms come that count in limits.
    mutating func notePriority(_ priority: UInt8, of terms: Int) { reservations.notePriority(priority, of: terms) }

    /// Jobs come that name this set of limits and have not ended.
    mutating func enter(_ set: Int, jobs: Int = 1, _ keys: @autoclosure () -> [LimitKey]) {
        guard set != 0, jobs > 0 else { return }
        while sets.count <= set { sets.append(Members()) }
        if sets[set].jobs == 0 {
            let keys = keys()
            (sets[set].uses, sets[set].weights) = (keys.map { addUse($0.unweighted) }, keys.map { Int($0.weight) })
        }
        sets[set].jobs += jobs
        for use in sets[set].uses { count(jobs: jobs, in: use) }
    }

    /// A job of that set has ended.
    mutating func leave(_ set: Int) {
        guard set < sets.count, sets[set].jobs > 0 else { return }
        sets[set].jobs -= 1
        for use in sets[set].uses { count(jobs: -1, in: use) }
        guard sets[set].jobs == 0 else { return }
        // A lane of this set may have been woken for a room that it takes no more: it is notified of that when the set has no uses to pass it on
        // to.
        passOn(set)
        let uses = sets[set].uses
        (sets[set].uses, sets[set].weights) = ([], [])
        for use in uses { removeUse(use) }
    }

    /// A worker is given a job of that set: it takes its permits.
    mutating func take(_ set: Int) { for (use, weight) in shares(of: set) { count(running: 1, weight, in: use) } }

    /// A run of that set has ended: its permits are free.
    mutating func free(_ set: Int) { for (use, weight) in shares(of: set) { count(running: -1, weight, in: use) } }

    /// So many more jobs of that set wait for their time.
    mutating func count(scheduled change: Int, of set: Int) { for use in uses(of: set) { uses[use].scheduled += change } }

    /// The uses of a set of limits.
    func uses(of set: Int) -> [Int] { set < sets.count ? sets[set].uses : [] }

    /// The uses of a set of limits, each with the permits that a job takes of it.
    func shares(of set: Int) -> Zip2Sequence<[Int], [Int]> { set < sets.count ? zip(sets[set].uses, sets[set].weights) : zip([], []) }

    private mutating func count(jobs change: Int, in use: Int) {
        uses[use].jobs += change
        limits[uses[use].limit].jobs += change
        changed.note(uses[use].limit)
    }

    private mutating func count(running change: Int, _ weight: Int, in use: Int) {
        uses[use].inUse += change * weight
        uses[use].running += change
        limits[uses[use].limit].inUse += change * weight
        limits[uses[use].limit].running += change
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
        // Its index may be another value's within the same entry: a job that is replaced keeps its place, and its lane drops nothing.
        dropReservation(at: use)
        lanes.clear(use)
        forgetIfFull(use)
    }

    /// A use has neither jobs nor a bucket of its own any more.
    mutating func forget(_ use: Int) {
        due.remove(use)
        let (limit, place) = (uses[use].limit, uses[use].place)
        let last = limits[limit].uses.removeLast()
        // The last one takes its place, so that a limit with a million values moves one of them.
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
        (uses, freeUses, sets, lanes, open, due) = ([], [], [], LimitLanes(), ChangedIndexes(), IndexedHeap())
        reservations.clear()
        wasCut = false
    }
}

// MARK: The clock of lengths

extension LimitTable {
    /// An epoch begins, whose leases are that one and later ones.
    mutating func begin(from lease: UInt64) { firstLease = lease }

    /// The clock of lengths shows that.
    mutating func noteTime(_ now: LengthTime) { time = max(time, now) }

    /// An entry says that it has shown that.
    mutating func noteEntryTime(_ then: LengthTime) {
        entryTime = max(entryTime, then)
        noteTime(then)
    }
}
