//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// When everything is looked at next that changes by the mere passing of time: one for the machine, one for its loop. Nothing is found by a walk
/// over all there is.
///
/// An owner has one place here, however often its deadline moves: it is looked at at the earliest time that was said, and then says itself
/// when it is to be looked at again. So a lease that is renewed each second costs nothing until it would have ended.
///
/// There are two kinds of deadlines: the end of a length of time, which no change of the wall clock moves, and a point of the wall clock, which
/// comes when that clock shows it, be it because somebody set the clock. An owner has deadlines of one kind only.
///
/// - waiting: the owner stands in one of the two heaps. Moves to due when its time has come, to nothing when it is removed.
/// - due: its time has come, and it waits to be taken: by a turn that may look at its kind, with others of it up to the kind's limit. Moves to
///   nothing when it is taken or removed.
struct Deadlines<Owner: DeadlineHolder>: Sendable {
    /// Owners that become due in one turn; the rest does in the next one.
    private static var dueAtOnce: Int { 4_096 }

    /// The end of a length of time.
    private var lengths = DeadlineHeap<Owner, MonotonicTime>()
    /// A point of the wall clock.
    private var points = DeadlineHeap<Owner, WallTime>()
    /// Owners whose time has come, in the order of their deadlines, by kind.
    private var due: [Deque<Owner>] = Array(repeating: [], count: Owner.Kind.allCases.count)
    private var isDue: Set<Owner> = []
    /// Kinds that are not looked at before a time, though some of them are due.
    private var heldUntil: [Owner.Kind: MonotonicTime] = [:]

    /// Owners that are looked at some time.
    var count: Int { lengths.count + points.count + isDue.count }

    /// Whether the time of an owner has come that was not taken since.
    var hasDue: Bool { !isDue.isEmpty }

    /// Items in the heaps, those that count for nothing included.
    var itemCount: Int { lengths.itemCount + points.itemCount }

    /// What keeping them has cost, in items moved.
    var moves: UInt64 { lengths.moves &+ points.moves }

    /// How long nobody looks at the wall clock while a point of it is waited for: nothing tells when somebody sets it.
    static var wallLook: Duration { .seconds(60) }

    /// When something is to be looked at, at the latest; nil: never.
    /// - Parameter now: What the two clocks showed last.
    func next(at now: FrontTime) -> MonotonicTime? {
        var next = lengths.next
        if let point = points.next {
            let left = min(Self.wallLook, max(.zero, point.duration(since: now.wall)))
            next = min(next ?? .distantFuture, now.monotonic.advanced(by: left))
        }
        guard !isDue.isEmpty else { return next }
        for kind in Owner.Kind.allCases where !due[kind.rawValue].isEmpty {
            next = min(next ?? .distantFuture, heldUntil[kind] ?? MonotonicTime(nanoseconds: 0))
        }
        return next
    }

    /// Whether an owner is looked at some time.
    func contains(_ owner: Owner) -> Bool { isDue.contains(owner) || lengths.contains(owner) || points.contains(owner) }

    /// An owner is looked at by then, or earlier if that was said before.
    mutating func insert(_ owner: Owner, by time: MonotonicTime) {
        if time != .distantFuture, !isDue.contains(owner) { lengths.insert(owner, by: time) }
    }

    /// An owner is looked at when the wall clock shows that, or earlier if that was said before.
    mutating func insert(_ owner: Owner, at point: WallTime) {
        if !isDue.contains(owner) { points.insert(owner, by: point) }
    }

    /// An owner is gone: it is looked at no more.
    mutating func remove(_ owner: Owner) {
        lengths.remove(owner)
        points.remove(owner)
        isDue.remove(owner)
    }

    /// Finds the owners whose time has come by an instant: first those of lengths of time, then those of points of the wall clock.
    mutating func pass(to instant: FrontTime) {
        for _ in 0..<Self.dueAtOnce {
            guard let owner = lengths.takeFirst(upTo: instant.monotonic) ?? points.takeFirst(upTo: instant.wall) else { return }
            isDue.insert(owner)
            due[owner.kind.rawValue].append(owner)
        }
    }

    /// Owners of each kind that a turn looks at. Thousands of sessions that end at once (a switch that loses power) end in as many turns as it
    /// takes: each writes an entry and tells observers, and workers must be answered between.
    private static var turnLimit: Int { 256 }

    /// Owners of a kind that are due, in the order of their deadlines; those beyond the kind's limit are left for the next turn.
    mutating func take(_ kind: Owner.Kind) -> [Owner] {
        var taken: [Owner] = []
        while taken.count < Self.turnLimit, let owner = takeFirst(kind) { taken.append(owner) }
        if !heldUntil.isEmpty { heldUntil[kind] = nil }
        return taken
    }

    /// The first owner of a kind that is due; nil: none is. For who has a limit of its own.
    mutating func takeFirst(_ kind: Owner.Kind) -> Owner? {
        while let owner = due[kind.rawValue].popFirst() { if isDue.remove(owner) != nil { return owner } }
        return nil
    }

    /// A kind may not be looked at now: what is due of it waits until then at least.
    mutating func hold(_ kind: Owner.Kind, until time: MonotonicTime) { heldUntil[kind] = time }
}
