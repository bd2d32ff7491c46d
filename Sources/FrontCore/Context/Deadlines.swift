//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import HeapModule

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

    /// How often the wall clock is read while a point of it is waited for: nothing reports that it was set.
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

    /// An owner no longer exists: its deadline is removed.
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

    /// Owners of each kind that a turn looks at. Thousands of sessions that end at once (a switch that loses power) end in as many turns as
    /// it takes: each writes an entry and a change for observers, and workers must be answered between.
    private static var turnLimit: Int { 256 }

    /// Owners of a kind that are due, in the order of their deadlines; those beyond the kind's limit are left for the next turn.
    mutating func take(_ kind: Owner.Kind) -> [Owner] {
        var taken: [Owner] = []
        while taken.count < Self.turnLimit, let owner = takeFirst(kind) { taken.append(owner) }
        if !heldUntil.isEmpty { heldUntil[kind] = nil }
        return taken
    }

    /// The first owner of a kind that is due; nil: none is. For callers with a limit of their own.
    mutating func takeFirst(_ kind: Owner.Kind) -> Owner? {
        // One that was removed, or comes twice, stays in the line and counts only while the set has it.
        while let owner = due[kind.rawValue].popFirst() { if isDue.remove(owner) != nil { return owner } }
        return nil
    }

    /// A kind may not be looked at now: what is due of it waits until then at least.
    mutating func hold(_ kind: Owner.Kind, until time: MonotonicTime) { heldUntil[kind] = time }
}

/// What has a deadline. Those at the same instant go by their order, never by that of a table.
protocol DeadlineHolder: Hashable, Comparable, Sendable {
    /// What is looked at together, in its order.
    associatedtype Kind: CaseIterable, RawRepresentable<Int>, Hashable, Sendable

    /// The kind it is of.
    var kind: Kind { get }
}

/// Owners by the time at which each is looked at next: one time for each, found and moved in logarithmic time.
///
/// A time that is brought forward or dropped leaves its item where it is; such items are skipped, and cleared away before they are as many
/// as those that count. So the heap never has more than twice as many items as owners, however often they move.
private struct DeadlineHeap<Owner: DeadlineHolder, Time: Comparable & Sendable>: Sendable {
    private struct Item: Comparable, Sendable {
        let time: Time
        let owner: Owner

        static func < (left: Self, right: Self) -> Bool {
            left.time != right.time ? left.time < right.time : left.owner < right.owner
        }
    }

    /// Items that count for nothing and are not worth clearing away yet.
    private static var spareItems: Int { 64 }

    private var items = Heap<Item>()
    private var times: [Owner: Time] = [:]
    /// Items that were put in, taken out or cleared away since the start: what it has cost.
    private(set) var moves: UInt64 = 0

    /// Owners that are looked at some time.
    var count: Int { times.count }

    /// Items that it holds, those that count for nothing included.
    var itemCount: Int { items.count }

    /// The earliest time, or an earlier one that counts for nothing any more; nil: there is none.
    ///
    /// It is stored: each turn asks several times, and to look at the first item would copy its owner.
    private(set) var next: Time?

    /// Whether an owner is looked at some time.
    func contains(_ owner: Owner) -> Bool { times[owner] != nil }

    /// An owner is looked at by then, or earlier if that was said before.
    mutating func insert(_ owner: Owner, by time: Time) {
        if let known = times[owner], known <= time { return }
        times[owner] = time
        items.insert(Item(time: time, owner: owner))
        next = min(next ?? time, time)
        moves &+= 1
        clear()
    }

    /// An owner is looked at no more.
    mutating func remove(_ owner: Owner) {
        guard times.removeValue(forKey: owner) != nil else { return }
        clear()
    }

    /// The next owner whose time has come, which then has none; nil: there is none. Ties go by the order of owners.
    mutating func takeFirst(upTo time: Time) -> Owner? {
        while let next, next <= time {
            let first = items.removeMin()
            self.next = items.min?.time
            moves &+= 1
            guard times[first.owner] == first.time else { continue }
            times[first.owner] = nil
            return first.owner
        }
        return nil
    }

    private mutating func clear() {
        guard items.count > 2 * times.count + Self.spareItems else { return }
        moves &+= UInt64(items.count)
        items = Heap(times.map { Item(time: $0.value, owner: $0.key) })
        next = items.min?.time
    }
}

/// What has a deadline.
enum DeadlineOwner: DeadlineHolder {
    /// A worker whose reports are to be acknowledged.
    case reports(worker: Int)
    /// A worker whose lease ends.
    case lease(worker: Int)
    /// A session whose attachments lapse, or that ends.
    case session(SessionID)
    /// A feed whose load ends unless somebody attaches again.
    case load(FeedKey)
    /// A view that nobody uses.
    case view(FeedKey, String)
    /// The counts of `jobs`, which are published now and then.
    case counts
    /// The end of the time in which nothing is granted, and the next token of a limit that a job waits for.
    case grants
    /// Ended jobs that are forgotten for their age.
    case endedJobs
    /// Questions for ended jobs that were read, of which more can be answered than one turn may.
    case readings
    /// Work of which earlier turns, or epochs, have left some.
    case work
    /// A feed with damaged versions that are kept for a day.
    case damaged(FeedKey)
    /// Scheduled jobs whose delay ends.
    case delays
    /// Scheduled jobs whose point of the wall clock comes.
    case points
    /// Feeds that wait, of which more may have another reason than one turn looks at.
    case waits

    /// What is looked at together, in this order.
    enum Kind: Int, CaseIterable, Sendable {
        case reports
        case lease
        case session
        case load
        case view
        case counts
        case grants
        case endedJobs
        case readings
        case work
        case damaged
        case delays
        case points
        case waits
    }

    /// The kind it is of.
    var kind: Kind {
        switch self {
        case .reports: .reports
        case .lease: .lease
        case .session: .session
        case .load: .load
        case .view: .view
        case .counts: .counts
        case .grants: .grants
        case .endedJobs: .endedJobs
        case .readings: .readings
        case .work: .work
        case .damaged: .damaged
        case .delays: .delays
        case .points: .points
        case .waits: .waits
        }
    }

    private var number: UInt64 {
        switch self {
        case .reports(let worker), .lease(let worker): UInt64(worker)
        case .session(let id): id.rawValue
        case .load, .view, .counts, .grants, .endedJobs, .readings, .work, .damaged, .delays, .points, .waits: 0
        }
    }

    private var name: (key: String, view: String) {
        switch self {
        case .load(let key), .damaged(let key): (key.text, "")
        case .view(let key, let view): (key.text, view)
        case .reports, .lease, .session, .counts, .grants, .endedJobs, .readings, .work, .delays, .points, .waits: ("", "")
        }
    }
}

extension DeadlineOwner {
    /// Deadlines at the same instant go by kind, then by the owner's number or name: never by the order of a table.
    static func < (left: Self, right: Self) -> Bool {
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        return left.number != right.number ? left.number < right.number : left.name < right.name
    }
}
