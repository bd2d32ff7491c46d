//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// The limits that jobs count in: what entries, grants and time change of them.

extension JobLifecycle {
    /// What is in use of limits, and what they say.
    var limits: LimitTable { _read { yield scheduler.limits } }

    /// A limit says something else from now on.
    mutating func apply(_ changed: JournalEntry.LimitChanged, _ turn: EntryTurn) {
        number { $0.noteLengthTime(LengthTime(milliseconds: changed.lengthTime), turn) }
        change(turn) { places, _ in places.limit { $0.apply(changed, turn: turn.number) } }
    }

    func fault(of changed: JournalEntry.LimitChanged) -> String? { changed.rule?.fault }

    /// Buckets of limits have these tokens.
    mutating func apply(_ changed: JournalEntry.TokensChanged, _ turn: EntryTurn) {
        number { for level in changed.levels { $0.noteLengthTime(LengthTime(milliseconds: level.lengthTime), turn) } }
        change(turn) { places, _ in places.limit { $0.apply(changed, turn: turn.number, stored: turn.stored) } }
    }

    /// What the buckets of limits have when an attempt of each of these jobs has taken its tokens, under leases that begin with one.
    mutating func levels(takenBy jobs: [UInt64], from lease: UInt64, at now: LengthTime) -> [JournalEntry.TokenLevel] {
        guard limits.hasRates else { return [] }
        var counts: [Int: Int] = [:]
        for id in jobs { for use in limitUses(of: id) where limits.isRated(use) { counts[use, default: 0] += 1 } }
        return limit { limits in
            // Before they are taken: afterwards no bucket would be as full.
            for use in counts.keys { limits.noteTaking(lease, of: use, at: now) }
            return limits.levels(taking: counts, at: now)
        }
    }

    /// How full the buckets of a limit are counts for what comes back to them later, as if tokens were about to be taken.
    mutating func notePeaks(of limit: String, at now: LengthTime) {
        let lease = numbers.nextLease
        self.limit { $0.notePeaks(of: limit, before: lease, at: now) }
    }

    /// What they have when those that workers hold have given theirs back, as far as they are missing.
    mutating func levels(givenBackBy jobs: [UInt64], at now: LengthTime) -> [JournalEntry.TokenLevel] {
        guard limits.hasRates else { return [] }
        var leases: [Int: [UInt64]] = [:]
        for id in jobs {
            let lease = self[id].lease
            for use in limitUses(of: id) where limits.tookToken(under: lease, of: use) { leases[use, default: []].append(lease) }
        }
        return limit { $0.levels(givingBack: leases, at: now) }
    }

    /// The clock of lengths shows that: which buckets are full and may be forgotten.
    mutating func passLimits(to now: LengthTime) -> [JournalEntry.TokenLevel] { limit { $0.pass(to: now) } }

    /// The clock of ranks shows that, and jobs that have waited for so long may reserve.
    mutating func noteRankTime(_ now: RankTime, reservingAfter wait: Duration) { limit { $0.noteRankTime(now, reservingAfter: wait) } }

    /// The wall clock was set.
    mutating func noteShownLimits() { limit { $0.noteShown() } }

    /// The names of some limits that have changed for observers, as `LimitTable.takeChanged`.
    mutating func takeChangedLimits(_ count: Int) -> (names: [String], looks: Int) { limit { $0.takeChanged(count) } }

    private func limitUses(of id: UInt64) -> [Int] { limits.uses(of: Int(terms.lane(of: Int(slab[id].terms)).limitSet)) }
}
