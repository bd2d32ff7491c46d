//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Tokens: what buckets have, when they have more, and how long they are kept. Entries state what a bucket has after each turn that changed it, so a
// restart computes nothing.
extension LimitTable {
    /// Whether a limit has a rate.
    var hasRates: Bool { rateCount > 0 }

    /// Whether a use takes tokens.
    func isRated(_ use: Int) -> Bool { limits[uses[use].limit].rate != nil }

    /// Whether a grant under that lease took a token of a use. Of grants of earlier epochs that is not known.
    func tookToken(under lease: UInt64, of use: Int) -> Bool {
        isRated(use) && lease >= max(firstLease, limits[uses[use].limit].ratedFrom)
    }

    /// Tokens are about to be taken under that lease and the next ones.
    mutating func noteTaking(_ lease: UInt64, of use: Int, at now: LengthTime) {
        guard let rate = limits[uses[use].limit].rate else { return }
        uses[use].peaks.note(bucket(of: use).advanced(to: now, by: rate).level, before: lease)
    }

    /// The same for each use of a limit of which tokens were taken.
    mutating func notePeaks(of name: String, before lease: UInt64, at now: LengthTime) {
        for use in limitIndexes[name].map({ limits[$0].uses }) ?? [] where !uses[use].peaks.isEmpty { noteTaking(lease, of: use, at: now) }
    }

    /// What uses have when what was taken under those leases has come back to each of them, as far as it is missing there: no more begin in any length
    /// of time than if the tokens had never been taken.
    mutating func levels(givingBack leases: [Int: [UInt64]], at now: LengthTime) -> [JournalEntry.TokenLevel] {
        leases.keys.sorted().compactMap { use in
            guard let rate = limits[uses[use].limit].rate, let taken = leases[use] else { return nil }
            let missing = uses[use].peaks.giveBack(taken, by: rate)
            guard missing > 0 else { return nil }
            var bucket = bucket(of: use)
            bucket.give(missing, at: now, by: rate)
            return JournalEntry.TokenLevel(uses[use].key, bucket)
        }
    }

    /// Whether a job of that value would be the first one of a limit with a rate.
    func isNewValue(_ key: LimitKey) -> Bool {
        guard hasRates, useIndexes[key] == nil, let limit = limitIndexes[key.limit] else { return false }
        return limits[limit].rate != nil
    }

    /// What a use has, of its own or as its limit says.
    func bucket(of use: Int) -> TokenBucket { uses[use].bucket ?? limits[uses[use].limit].bucket }

    /// How many tokens a use has now.
    func tokens(_ use: Int) -> Int {
        guard let rate = limits[uses[use].limit].rate else { return .max }
        return bucket(of: use).tokens(at: time, by: rate)
    }

    /// How many tokens a value of a limit has now, as many as there are where its limit has no rate.
    func tokens(of key: LimitKey) -> Int { useIndexes[key].map { tokens($0) } ?? .max }

    /// When a use has a token, by the clock of lengths.
    func nextToken(of use: Int) -> LengthTime {
        guard let rate = limits[uses[use].limit].rate else { return time }
        return bucket(of: use).nextTime(by: rate)
    }

    /// When a use has so many tokens; nil: never, its bucket holds fewer.
    func nextToken(of use: Int, count: Int) -> LengthTime? {
        guard let rate = limits[uses[use].limit].rate, Int64(count) * rate.perToken <= rate.most else { return nil }
        return bucket(of: use).nextTime(count, by: rate)
    }

    /// The rate of a limit that refuses the jobs for which it has no token; nil: it lets them wait, or has no rate.
    func refusingRefill(of limit: String) -> LimitRefill? {
        guard let refill = rule(of: limit)?.refill, refill.beyond == .refuse else { return nil }
        return refill
    }

    /// How many milliseconds it takes until a value has tokens for so many further jobs, behind those that have been accepted and hold none yet.
    func wait(for count: Int, of key: LimitKey, at now: LengthTime) -> Int64 {
        guard let limit = limitIndexes[key.limit], let rate = limits[limit].rate else { return 0 }
        let own = useIndexes[key].map { bucket(of: $0) } ?? limits[limit].bucket
        return own.wait(for: count + unstartedJobs(of: key), at: now, by: rate)
    }

    /// How many jobs of a value have been accepted and hold neither permit nor token, but for those whose time has not come: who waits for a day must
    /// not keep others out for one.
    func unstartedJobs(of key: LimitKey) -> Int { useIndexes[key].map { uses[$0].jobs - uses[$0].running - uses[$0].scheduled } ?? 0 }

    /// When a bucket is to be looked at next; nil: none waits for a time.
    var nextTime: LengthTime? { due.top?.key }

    /// What uses have when so many attempts have taken a token of each.
    func levels(taking counts: [Int: Int], at now: LengthTime) -> [JournalEntry.TokenLevel] {
        // Sorted, because the order of a table must not reach an entry.
        counts.keys.sorted().compactMap { use in
            guard let rate = limits[uses[use].limit].rate, let count = counts[use] else { return nil }
            var bucket = bucket(of: use)
            bucket.take(count, at: now, by: rate)
            return JournalEntry.TokenLevel(uses[use].key, bucket)
        }
    }

    /// Buckets have that from now on.
    /// - Parameters:
    ///   - turn: The turn that decided it.
    ///   - stored: The turn of the checkpoint that brings it; nil: none does.
    mutating func apply(_ tokens: JournalEntry.TokensChanged, turn: UInt64 = .max, stored: UInt64? = nil) {
        for level in tokens.levels {
            let time = LengthTime(milliseconds: level.lengthTime)
            // A later slice of a checkpoint is later than entries that come behind it.
            if stored == nil { noteEntryTime(time) } else { noteTime(time) }
            let use = useIndexes[level.key] ?? makeUse(level.key)
            // A checkpoint has a later level than an entry of before it, which a replay brings again.
            guard turn > uses[use].storedTurn else { continue }
            (uses[use].bucket, uses[use].storedTurn) = (level.bucket, stored ?? 0)
            changed.note(uses[use].limit)
            // A checkpoint may have one of a rate that comes with a later entry, or of an earlier one: whether it is full is seen when a front serves.
            if stored != nil, uses[use].sets == 0 {
                due.set(use, to: time)
            } else if uses[use].sets == 0, isRated(use) {
                forgetIfFull(use)
            } else {
                noteRoom(use)
            }
        }
    }

    /// The rate of a use is another one; what a checkpoint stored since then has that in it.
    mutating func changeRate(of use: Int, from old: TokenRate?, to new: TokenRate?, at now: LengthTime, turn: UInt64) {
        if new == nil { due.remove(use) }
        if turn > uses[use].storedTurn {
            uses[use].storedTurn = 0
            if let old, let new { uses[use].bucket?.change(from: old, to: new, at: now) } else { uses[use].bucket = nil }
        }
        uses[use].peaks.change(from: old, to: new)
        guard uses[use].sets == 0 else { return }
        if uses[use].bucket == nil { return forget(use) }
        if turn <= uses[use].storedTurn { due.set(use, to: now) } else if new != nil { forgetIfFull(use) }
    }

    /// When neither the bucket of a use nor that of its limit lacks a token any more.
    private func fullTime(of use: Int) -> LengthTime {
        let limit = limits[uses[use].limit]
        guard let rate = limit.rate else { return .zero }
        return max(uses[use].bucket?.fullTime(by: rate) ?? .zero, limit.bucket.fullTime(by: rate))
    }

    /// A use without jobs is forgotten when its bucket says no more than that of its limit does, and both are full.
    mutating func forgetIfFull(_ use: Int) {
        let limit = uses[use].limit
        guard limits[limit].rate != nil, uses[use].bucket != nil else { return forget(use) }
        let full = fullTime(of: use)
        // By the time of entries, so that a restart that reads them forgets the same. One that a checkpoint has stored may be of a rate that comes with
        // a later entry, of the same time or a later one: by that it need not be full.
        let mayBeOfLaterRate = full == entryTime && uses[use].storedTurn > 0
        if full <= entryTime, !mayBeOfLaterRate { forget(use) } else { due.set(use, to: full) }
    }

    /// Time has come on: tokens that lanes wait for may be there, and buckets without jobs may be full. So many are looked at in a turn.
    /// - Returns: the full ones, which are forgotten when an entry says so.
    mutating func pass(to now: LengthTime) -> [JournalEntry.TokenLevel] {
        noteTime(now)
        var (looks, full): (Int, [JournalEntry.TokenLevel]) = (0, [])
        while looks < Self.wakingLooks, let first = due.top, first.key <= time {
            looks += 1 + due.remove(first.item)
            // Who waits for a slot from now on waited for a token before.
            changed.note(uses[first.item].limit)
            if uses[first.item].sets > 0 {
                noteRoom(first.item)
            } else if let rate = limits[uses[first.item].limit].rate {
                // One that a checkpoint has stored may not be full yet.
                let end = fullTime(of: first.item)
                guard end <= time else {
                    looks += due.set(first.item, to: end)
                    continue
                }
                full.append(JournalEntry.TokenLevel(uses[first.item].key, level: rate.most, lengthTime: time.milliseconds))
            }
        }
        return full
    }

    /// What limits with a rate show depends on the wall clock, which was set.
    mutating func noteShown() { for index in limits.indices where limits[index].rate != nil { changed.note(index) } }
}

// MARK: Checkpoints and checks

extension LimitTable {
    /// What the next uses have of their own, and where to go on; nil: those were the last.
    func levels(from first: Int, looks: Int) -> (levels: [JournalEntry.TokenLevel], next: Int?) {
        guard hasRates, first < uses.count else { return ([], nil) }
        let end = min(uses.count, first + looks)
        let levels = (first..<end).compactMap { use -> JournalEntry.TokenLevel? in
            // The others have what their limit says, which its own entry stores.
            guard let own = uses[use].bucket else { return nil }
            return JournalEntry.TokenLevel(uses[use].key, own)
        }
        return (levels, end < uses.count ? end : nil)
    }

    /// A value whose bucket has something else than in another table, at a time that both have reached; nil: none has.
    func differingBucket(from other: LimitTable) -> LimitKey? {
        let now = max(entryTime, other.entryTime)
        let keys = uses.filter { $0.bucket != nil }.map(\.key) + other.uses.filter { $0.bucket != nil }.map(\.key)
        return keys.first { missing(of: $0, at: now) != other.missing(of: $0, at: now) }
    }

    private func missing(of key: LimitKey, at now: LengthTime) -> Int64? {
        guard let limit = limitIndexes[key.limit], let rate = limits[limit].rate else { return nil }
        return (useIndexes[key].flatMap { uses[$0].bucket } ?? limits[limit].bucket).missing(at: now, by: rate)
    }
}
