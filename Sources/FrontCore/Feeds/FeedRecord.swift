//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// A feed: its shared state, its views, and the sessions that use them.
struct FeedRecord {
    var state: FeedState
    /// Kept contents before this one, oldest first: restored when the newest is damaged.
    var older: [FeedContent] = []
    /// Versions that turned out damaged, oldest first.
    var damaged: [DamagedVersion] = []
    /// Whether some session asked for it with `load`: it then goes on without attachments.
    var isAskedFor = false
    /// Its views; each also knows the sessions that use it.
    var views = FeedViews()
    /// The turn at which a checkpoint stored it.
    var storedTurn: UInt64 = 0

    // What follows is not durable.

    /// When a load that nobody asked for ends because nobody is attached.
    private(set) var lingerUntil: MonotonicTime?
    /// When somebody last did something with it.
    private(set) var usedAt = MonotonicTime(nanoseconds: 0)
    /// Version of the next content.
    var nextVersion: UInt64 = 1

    init(state: FeedState) { self.state = state }

    /// Its views in the order in which they came.
    var viewNames: [String] { views.names }

    /// How many sessions are attached to its views.
    var attachmentCount: Int { views.attachmentCount }

    /// Nobody is attached any more, and a load that nobody asked for ends then; nil: somebody is.
    mutating func linger(until time: MonotonicTime?) { lingerUntil = time }

    /// Somebody has done something with it.
    mutating func noteUse(at time: MonotonicTime) { usedAt = time }

    /// Whether nobody is attached, no view is worked for, and what it has can be loaded again.
    var isForgettable: Bool { attachmentCount == 0 && !state.isEditable && !views.states.contains { $0.isWorkedFor } }
}

/// A version of a user's list that turned out damaged: its file is spared for a day, so that somebody can look whether it can be saved.
extension DamagedVersion {
    /// How long it is spared: a night and a working day.
    private static let sparedFor = Duration.seconds(86_400)

    /// When it is spared no more, by the wall clock.
    var until: WallTime { foundAt.advanced(by: Self.sparedFor) }

    /// Whether its file is spared still.
    func isNamed(at now: WallTime) -> Bool { now < until }
}

extension FeedRecord {
    /// Versions of a kept content that are kept beside the newest: two, for the one that takes a damaged one's place may turn out damaged as well.
    private static let olderLimit = 2
    /// Damaged versions that are remembered.
    private static let damagedLimit = 8

    /// Its content and those before it, as far as they are kept.
    var persistentVersions: [FeedContent] { older + (state.content.map { $0.isPersistent ? [$0] : [] } ?? []) }

    /// What is kept beside the content of `next` once that takes the place of this one: this one too, unless it turned out damaged. A reset
    /// forgets them all.
    func older(before next: FeedState, _ damaged: [DamagedVersion]) -> [FeedContent] {
        guard let content = next.content, content.isPersistent else { return [] }
        var older = older
        if let last = state.content, last.isPersistent, last.object != content.object { older.append(last) }
        // A version that comes back is no older one, and one that was found damaged must never be gone back to.
        older.removeAll { old in old.object == content.object || damaged.contains { $0.object == old.object.digest } }
        older.removeFirst(max(0, older.count - Self.olderLimit))
        return older
    }

    /// The versions that are known as damaged once it is as `next` says.
    /// - Parameter found: The one that was found just now.
    func damaged(before next: FeedState, _ found: DamagedVersion?) -> [DamagedVersion] {
        // What can be loaded again is only missed for as long as the feed says so, and its file is nobody's.
        guard next.isEditable else {
            return found.map { [$0] } ?? (next.content == nil && next.failure == state.failure ? damaged : [])
        }
        guard let found else { return damaged }
        var damaged = damaged
        damaged.removeAll { $0.object == found.object || !$0.isNamed(at: found.foundAt) }
        damaged.append(found)
        damaged.removeFirst(max(0, damaged.count - Self.damagedLimit))
        return damaged
    }

    /// Whether its content was dropped because it was damaged: the next attachment loads it again.
    var isMissed: Bool { state.content == nil && state.activity == .idle && state.failure?.code == .storageFailed && !damaged.isEmpty }

    /// Damaged versions whose files are spared.
    func sparedVersions(at now: WallTime) -> [DamagedVersion] { state.isEditable ? damaged.filter { $0.isNamed(at: now) } : [] }
}

extension Failure {
    /// The failure of a feed whose content turned out damaged.
    init(id: FailureID, _ damaged: DamagedVersion, text: String, retryable: Bool) {
        let arguments = [Failure.damagedArgument, damaged.object.description, "foundAt", String(damaged.foundAt.milliseconds)]
        self.init(id: id, code: .storageFailed, text: text, arguments: arguments, retryable: retryable)
    }
}

/// The views of one feed.
struct FeedViews {
    private var machines: [String: ViewMachine] = [:]
    /// Their names in the order in which they came, so that no hash order reaches an action.
    private(set) var names: [String] = []
    /// How many sessions are attached to any of them.
    private(set) var attachmentCount = 0
}

// MARK: Questions

extension FeedViews {
    var count: Int { names.count }

    /// A view as observers see it; nil: it is not there.
    subscript(name: String) -> ViewState? { machines[name]?.state }

    /// A view, to decide what becomes of it; nil: it is not there.
    func machine(_ name: String) -> ViewMachine? { machines[name] }

    /// All of them as observers see them, in no order.
    var states: some Collection<ViewState> { machines.values.lazy.map(\.state) }
}

// MARK: Durable changes, made by entries alone

extension FeedViews {
    /// A view has become another, or is new.
    /// - Returns: what it was; nil: it is new.
    mutating func apply(_ entry: JournalEntry.ViewChanged, _ turn: EntryTurn) -> ViewState? {
        let name = entry.view.name
        guard let old = machines[name]?.state else {
            machines[name] = ViewMachine(entry, turn)
            names.append(name)
            return nil
        }
        machines[name]?.apply(entry, turn)
        return old
    }

    /// A view is forgotten.
    /// - Returns: what it was; nil: there was none.
    mutating func apply(_ entry: JournalEntry.ViewForgotten, _ turn: EntryTurn) -> ViewState? {
        guard let old = machines.removeValue(forKey: entry.view) else { return nil }
        names.removeAll { $0 == entry.view }
        attachmentCount -= old.attachmentCount
        return old.state
    }
}

// MARK: Use

extension FeedViews {
    /// A session is attached to a view.
    mutating func attach(to name: String) {
        guard machines[name] != nil else { return }
        machines[name]?.attach()
        attachmentCount += 1
    }

    /// A session is attached to a view no longer.
    /// - Returns: whether one was.
    mutating func detach(from name: String) -> Bool {
        guard machines[name]?.detach() == true else { return false }
        attachmentCount -= 1
        return true
    }

    /// Somebody names a view. Of names that are refused as views nothing is kept: there is no end of them.
    mutating func noteUse(of name: String, at time: MonotonicTime) { machines[name]?.noteUse(at: time) }
}

/// Which feeds name an object: one that turns out damaged is found without a look at every feed and view.
struct ObjectNames {
    /// The feeds that name one object, and how often each does.
    private struct Naming {
        var counts: [FeedKey: Int] = [:]
        /// The same feeds by key: taking a few of many costs nothing for the others.
        var order = SortedKeys<FeedKey>()
    }

    private var namings: [ObjectDigest: Naming] = [:]

    /// Whether some feed names an object.
    func isNamed(_ object: ObjectDigest) -> Bool { namings[object] != nil }

    /// Whether a feed that names an object is one of these.
    func isNamed(_ object: ObjectDigest, where isOne: (FeedKey) -> Bool) -> Bool {
        namings[object]?.counts.keys.contains(where: isOne) ?? false
    }

    /// The first feed that names an object, of those from a key on; nil: of all.
    func firstFeed(naming object: ObjectDigest, from key: FeedKey?) -> FeedKey? {
        guard let key else { return firstFeed(naming: object, after: nil) }
        return namings[object]?.counts[key] == nil ? firstFeed(naming: object, after: key) : key
    }

    /// The first feed that names an object, of those behind a key; nil: of all.
    func firstFeed(naming object: ObjectDigest, after key: FeedKey?) -> FeedKey? {
        var feeds = namings[object]?.order.keys(after: key).makeIterator()
        return feeds?.next()
    }

    /// Every object that some feed names.
    var objects: Set<ObjectDigest> { Set(namings.keys) }

    /// What a feed named before gives way to what it names now.
    mutating func replace(_ old: [ObjectDigest], by new: [ObjectDigest], of key: FeedKey) {
        guard old != new else { return }
        // New ones first, so that what stays is not forgotten in between.
        for object in new { count(object, of: key, 1) }
        for object in old { count(object, of: key, -1) }
    }

    private mutating func count(_ object: ObjectDigest, of key: FeedKey, _ change: Int) {
        let before = namings[object]?.counts[key] ?? 0
        guard before + change >= 0 else { return }
        if before == 0 { namings[object, default: Naming()].order.insert(key) }
        namings[object]?.counts[key] = before + change > 0 ? before + change : nil
        guard before + change == 0 else { return }
        namings[object]?.order.remove(key)
        if namings[object]?.counts.isEmpty == true { namings[object] = nil }
    }
}

extension FeedRecord {
    /// The objects of its content and of the versions before it.
    var contentNames: [ObjectDigest] { (state.content.map { [$0] } ?? []).map(\.object.digest) + older.map(\.object.digest) }
}

extension ViewState {
    /// The objects that it is read by.
    var objectNames: [ObjectDigest] {
        var names: [ObjectDigest] = []
        if let revision {
            names.append(revision.content.digest)
            if let order = revision.order { names.append(order.digest) }
        }
        if case .stored(let object) = detail { names.append(object.digest) }
        return names
    }
}
