//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Work that one event brought about for many and that is not done: a cursor for each list, whose end no turn waits for.
///
/// It is durable: what is done and what is not would be two states of one decision, and nothing else distinguishes them. A restart goes on.
/// Work of which the state itself tells what is left (ended jobs beyond their bound, waits in question, ended jobs that go into bundles) is
/// not kept here: the next epoch finds it again.
///
/// A list of work is
/// - absent: nothing is left, as after an entry without a cursor. Moves to left when a turn does not come to its end.
/// - left: `DeadlineOwner.work` stands for it with the present as its time. Moves on with each turn, and to absent by the last one.
struct LeftWork: EntryState {
    /// Kinds of work, in the order in which they are continued.
    private enum Kind: Int, CaseIterable {
        case damage
        case loss
        case reset
        case bulk
    }

    /// What there is one list of at a time, in the order in which lists of a kind are continued.
    private enum Subject: Hashable, Comparable {
        case damage(ObjectDigest)
        case loss(UInt64)
        case reset(FeedKey)
        case bulk(UInt64)

        init(_ work: JournalEntry.WorkLeft.Work) {
            switch work {
            case .damage(let object): self = .damage(object)
            case .loss(let lost): self = .loss(lost.worker.rawValue)
            case .reset(let key, _): self = .reset(key)
            case .bulk(let bulk): self = .bulk(bulk.number)
            }
        }

        var kind: Kind {
            switch self {
            case .damage: .damage
            case .loss: .loss
            case .reset: .reset
            case .bulk: .bulk
            }
        }
    }

    /// So many damaged objects are under way at once; one that is found beyond is found again when it is read next. Lost workers and resets
    /// need no bound of their own: there are no more of them than workers and feeds. That of actions with many jobs is `Bounds.bulkActions`.
    private static var damageLimit: Int { 64 }

    private var lists: [Subject: JournalEntry.WorkLeft] = [:]
    /// What they are of, by kind.
    private var order: [SortedKeys<Subject>] = Kind.allCases.map { _ in SortedKeys() }
    private var damageCount: Int { order[Kind.damage.rawValue].count }

    // What follows is not durable.

    /// The last one of each kind that a turn has continued: the next turn begins after it.
    private var last: [Subject?] = Kind.allCases.map { _ in nil }

    /// Whether nothing is left.
    var isEmpty: Bool { lists.isEmpty }

    /// Lists of which something is left.
    var count: Int { lists.count }

    /// How many there are of the kind that has most of them.
    var mostOfAKind: Int { order.reduce(0) { max($0, $1.count) } }

    /// Everything that is left, in order.
    var all: [JournalEntry.WorkLeft] { order.flatMap { $0.keys(after: nil).compactMap { lists[$0] } } }

    /// The first of all that is such; nil: nothing is left that is.
    func first(where isMeant: (JournalEntry.WorkLeft) -> Bool) -> JournalEntry.WorkLeft? {
        order.lazy.flatMap { $0.keys(after: nil) }.compactMap { lists[$0] }.first(where: isMeant)
    }

    /// The lists that a turn goes on with: all of a kind, or of many the next ones behind those of the turn before, and behind the last one the
    /// first.
    ///
    /// A turn has a budget for what it does in them beside that.
    /// - Parameter limit: So many of a kind at most.
    mutating func takeNext(_ limit: Int) -> [JournalEntry.WorkLeft] {
        var next: [JournalEntry.WorkLeft] = []
        for kind in Kind.allCases.map(\.rawValue) {
            var subjects = Array(order[kind].keys(after: last[kind]).prefix(limit))
            let rest = min(limit, order[kind].count) - subjects.count
            subjects += order[kind].keys(after: nil).prefix(rest)
            // Of many each has its turn; of few all go on, and the first stays the first.
            last[kind] = order[kind].count > limit ? subjects.last : nil
            next += subjects.compactMap { lists[$0] }
        }
        return next
    }

    /// Actions with many jobs, by number.
    var bulkActions: [(work: JournalEntry.BulkActionWork, since: WallTime)] {
        guard !lists.isEmpty else { return [] }
        return order[Kind.bulk.rawValue].keys(after: nil).compactMap { subject in
            guard let left = lists[subject], case .bulk(let bulk) = left.work else { return nil }
            return (bulk, left.since)
        }
    }

    /// How far that work has come; nil: nothing of it is left.
    subscript(work: JournalEntry.WorkLeft.Work) -> JournalEntry.WorkLeft? { lists.isEmpty ? nil : lists[Subject(work)] }

    /// The action with many jobs of that number; nil: nothing of it is left.
    func bulkAction(_ number: UInt64) -> (left: JournalEntry.WorkLeft, work: JournalEntry.BulkActionWork)? {
        guard let left = lists[.bulk(number)], case .bulk(let work) = left.work else { return nil }
        return (left, work)
    }

    /// Whether one more damaged object may be under way.
    func hasRoom(for object: ObjectDigest) -> Bool { lists[.damage(object)] != nil || damageCount < Self.damageLimit }

    /// Whether a job is one of those that a reset of its feed is still to cancel: nothing becomes of it any more.
    func isReset(_ job: JobID, of key: FeedKey) -> Bool {
        guard !lists.isEmpty, case .job(let newest)? = lists[.reset(key)]?.cursor else { return false }
        return job <= newest
    }

    /// How far one has come from now on. As nothing but the newest entry counts, one that a checkpoint has in it already changes nothing that a
    /// later one does not.
    mutating func apply(_ entry: JournalEntry.WorkLeft, _ turn: EntryTurn) {
        let subject = Subject(entry.work)
        lists[subject] = entry.cursor == nil ? nil : entry
        let kind = subject.kind.rawValue
        if entry.cursor == nil { order[kind].remove(subject) } else { order[kind].insert(subject) }
    }
}

extension JournalEntry.WorkLeft.Work {
    /// The number of the action with many jobs that it is of; nil: it is of none.
    fileprivate var bulkNumber: UInt64? {
        guard case .bulk(let bulk) = self else { return nil }
        return bulk.number
    }

    /// Its name, for checks from outside.
    package var name: String {
        switch self {
        case .damage(let object): "damage of \(object)"
        case .loss(let lost): "loss of worker \(lost.worker)"
        case .reset(let key, _): "reset of \(key)"
        case .bulk(let bulk): "bulk \(bulk.number)"
        }
    }
}

// MARK: Who leaves work

extension FrontTurn {
    /// Leaves the rest of some work to the next turn, which comes at once.
    mutating func leave(_ work: JournalEntry.WorkLeft.Work, since time: WallTime, at cursor: JournalEntry.WorkLeft.Cursor) {
        check(.work, by: now.monotonic)
        keep(work, since: time, at: cursor)
    }

    /// Keeps the rest of some work for a turn that something else brings about.
    mutating func keep(_ work: JournalEntry.WorkLeft.Work, since time: WallTime, at cursor: JournalEntry.WorkLeft.Cursor) {
        let rest = JournalEntry.WorkLeft(work, since: time, at: cursor)
        // A turn that came no further writes nothing.
        if state.left[work] != rest { record(.workLeft(rest)) }
    }

    /// Nothing of some work is left, be it that all of it was done at once.
    /// - Parameter final: What it has come to; nil: what was left.
    mutating func finish(_ work: JournalEntry.WorkLeft.Work, as final: JournalEntry.WorkLeft.Work? = nil) {
        guard let left = state.left[work] else { return }
        record(.workLeft(JournalEntry.WorkLeft(final ?? left.work, since: left.since, at: nil)))
    }

    /// What this turn goes on with. What is left beyond it brings the next turn about.
    /// - Parameter paused: Actions with many jobs that do not go on before a time, `distantFuture` where something else goes on with them. They
    ///   take nothing of the turn, and bring the next one about no earlier.
    mutating func takeWork(paused: [UInt64: MonotonicTime]) -> [JournalEntry.WorkLeft] {
        let work = state.left.takeNext(settings.bounds.workLists)
        step(work.count)
        let resting = paused.filter { $0.value > now.monotonic }
        // The deadline that brought this turn about stood for these, too.
        if let soonest = resting.values.min() { check(.work, by: soonest) }
        let rest = resting.keys.filter { number in !work.contains { $0.work.bulkNumber == number } }
        // Only for lists that would go on: those that rest beyond the limit of a turn would bring about turns in which nothing is done.
        if state.left.count - work.count > rest.count { awaitWork() }
        return work.filter { $0.work.bulkNumber.flatMap { resting[$0] } == nil }
    }

    /// The next turn comes at once if work is left for it, be it by an earlier epoch.
    mutating func awaitWork() { if !state.left.isEmpty { check(.work, by: now.monotonic) } }
}

extension FrontState {
    /// The names of all work that is left.
    package var workLeft: [String] { left.all.map(\.work.name) }

    /// How many lists of work are left of the kind that has most of them.
    package var mostWorkOfAKind: Int { left.mostOfAKind }
}
