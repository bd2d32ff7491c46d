//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// Work that one event brought about for many and that is not done: a cursor for each list, whose end no turn waits for.
///
/// It is durable: what is done and what is not would be two states of one decision, and nothing else tells which it was. A restart goes on.
/// Work of which the state itself tells what is left (ended jobs beyond their bound, waits in question, ended jobs that go into bundles) is not
/// kept here: the next life finds it again.
///
/// A list of work is
/// - absent: nothing is left, as after an entry without a cursor. Moves to left when a turn does not come to its end.
/// - left: `DeadlineOwner.work` stands for it with the present as its time. Moves on with each turn, and to absent by the last one.
struct LeftWork {
    /// What there is one list of at a time, in the order in which lists are gone on with.
    private enum Subject: Hashable, Comparable {
        case damage(ObjectDigest)
        case loss(UInt64)
        case reset(FeedKey)

        init(_ work: Fact.WorkLeft.Work) {
            switch work {
            case .damage(let object): self = .damage(object)
            case .loss(let lost): self = .loss(lost.worker.rawValue)
            case .reset(let key, _): self = .reset(key)
            }
        }
    }

    /// So many damaged objects are under way at once; one that is found beyond is found again when it is read next. Lost workers and resets
    /// need no bound of their own: there are no more of them than workers and feeds.
    private static var damageLimit: Int { 64 }

    private var lists: [Subject: Fact.WorkLeft] = [:]
    private var damageCount = 0

    /// Whether nothing is left.
    var isEmpty: Bool { lists.isEmpty }

    /// Everything that is left, in the order in which it is gone on with.
    var all: [Fact.WorkLeft] { lists.sorted { $0.key < $1.key }.map(\.value) }

    /// How far that work has come; nil: nothing of it is left.
    subscript(work: Fact.WorkLeft.Work) -> Fact.WorkLeft? { lists.isEmpty ? nil : lists[Subject(work)] }

    /// Whether one more damaged object may be under way.
    func hasRoom(for object: ObjectDigest) -> Bool { lists[.damage(object)] != nil || damageCount < Self.damageLimit }

    /// Whether a job is one of those that a reset of its feed is still to cancel: nothing becomes of it any more.
    func isReset(_ job: JobID, of key: FeedKey) -> Bool {
        guard !lists.isEmpty, case .job(let newest)? = lists[.reset(key)]?.cursor else { return false }
        return job <= newest
    }

    /// How far one has come from now on.
    mutating func apply(_ entry: Fact.WorkLeft, _ turn: EntryTurn) {
        let subject = Subject(entry.work)
        let old = lists[subject]
        lists[subject] = entry.cursor == nil ? nil : entry
        guard case .damage = subject else { return }
        damageCount += (lists[subject] == nil ? 0 : 1) - (old == nil ? 0 : 1)
    }
}

extension Fact.WorkLeft.Work {
    /// Its name, for whoever compares states from outside.
    package var name: String {
        switch self {
        case .damage(let object): "damage of \(object)"
        case .loss(let lost): "loss of worker \(lost.worker)"
        case .reset(let key, _): "reset of \(key)"
        }
    }
}

// MARK: The machine

extension FrontTurn {
    /// Leaves the rest of some work to the next turn, which comes at once.
    mutating func leave(_ work: Fact.WorkLeft.Work, since time: WallTime, at cursor: Fact.WorkLeft.Cursor) {
        check(.work, by: now.monotonic)
        let rest = Fact.WorkLeft(work, since: time, at: cursor)
        if state.left[work] != rest { record(.workLeft(rest)) }
    }

    /// Nothing of some work is left, be it that all of it was done at once.
    mutating func finish(_ work: Fact.WorkLeft.Work) {
        guard let left = state.left[work] else { return }
        record(.workLeft(Fact.WorkLeft(left.work, since: left.since, at: nil)))
    }

    /// A life of the front begins: it goes on with what the last one left.
    mutating func beginWork() { if !state.left.isEmpty { check(.work, by: now.monotonic) } }

    /// What is left to do though no deadline brings a turn about that would go on with it, what waits in memory alone included; nil: nothing. For
    /// whoever checks the machine from outside.
    func forgottenWork(_ feeds: FeedMachine, _ queue: JobQueue) -> String? {
        if let first = state.left.all.first, !context.deadlines.contains(.work) {
            return "the \(first.work.name) goes on at \(first.cursor.map { "\($0)" } ?? "nothing"), and nothing says when"
        }
        // One deadline stands for their age, too: that it is there says nothing.
        let isDue = context.deadlines.next(at: now).map { $0 <= now.monotonic } ?? false
        if state.jobs.ended.firstBeyond(settings.bounds, in: state.jobs.slab) != nil, !isDue {
            return "ended jobs are beyond their bounds, and nothing says when they go"
        }
        guard feeds.waiting.hasDue || !queue.waitsInQuestion.isEmpty, !context.deadlines.contains(.waits) else { return nil }
        return "observers of jobs or feeds that wait are to be told, and nothing says when"
    }
}

extension FrontState {
    /// The names of all work that is left.
    package var workLeft: [String] { left.all.map(\.work.name) }
}
