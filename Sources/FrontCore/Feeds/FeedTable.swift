//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// All feeds and their views: their shared durable state, the sessions that use them, and which are dropped when there are too many
/// or they are unused.
///
/// Entries make and change what is durable, while serving and at restart alike; who is attached and when something was used is of this epoch only.
struct FeedTable: EntryState {
    private var records: [FeedKey: FeedRecord] = [:]
    /// In order of first use.
    private(set) var order = ArrivalOrder<FeedKey>()
    /// By key, for pages.
    private(set) var sorted = SortedKeys<FeedKey>()
    /// Which feeds name an object.
    private(set) var objectNames = ObjectNames()
    /// Views of all feeds.
    private(set) var viewCount = 0
    /// Bytes of details in views.
    private(set) var detailByteCount = 0

    // What follows is not durable.

    /// When feeds were used, oldest first.
    private var uses = FeedUses()
}

// MARK: Questions

extension FeedTable {
    var count: Int { records.count }

    /// What is known of a feed; nil: it is not there.
    subscript(key: FeedKey) -> FeedRecord? { records[key] }

    /// A view of a feed, to decide what becomes of it; nil: it is not there.
    func view(_ name: String, of key: FeedKey) -> ViewMachine? { records[key]?.views.machine(name) }

    /// All of them, in no order.
    var all: some Collection<FeedRecord> { records.values }

    /// Whether a feed or one of its views names an object; costs a look-up.
    func names(_ digest: ObjectDigest) -> Bool { objectNames.isNamed(digest) }

    /// Whether an object is a version of a list of a user's own, which nobody can load again.
    func keeps(_ digest: ObjectDigest) -> Bool {
        objectNames.isNamed(digest) { key in
            records[key]?.persistentVersions.contains { $0.object.digest == digest } ?? false
        }
    }

    /// Whether there is any such version.
    var keepsLists: Bool { all.contains { !$0.persistentVersions.isEmpty } }
}

// MARK: Durable changes, made by entries alone

extension FeedTable {
    mutating func apply(_ entry: JournalEntry.FeedChanged, _ turn: EntryTurn) {
        let (key, feed) = (entry.state.key, entry.state)
        var record = records[key] ?? FeedRecord(state: feed)
        guard record.storedTurn < turn.number else { return }
        if records[key] == nil {
            order.append(key)
            sorted.insert(key)
        }
        // Of a feed that comes with its content, as from a checkpoint, nothing is named yet.
        let named = records[key]?.contentNames ?? []
        (record.state, record.older, record.damaged) = (feed, entry.older, entry.damaged)
        objectNames.replace(named, by: record.contentNames, of: key)
        record.isAskedFor = entry.isAskedFor
        record.nextVersion = max(record.nextVersion, entry.nextVersion.rawValue)
        // A version is never used twice, also after a reset: a client that saw one must not take another content for it.
        if let version = feed.content?.version.rawValue { record.nextVersion = max(record.nextVersion, version + 1) }
        if let stored = turn.stored { record.storedTurn = stored }
        records[key] = record
    }

    mutating func apply(_ entry: JournalEntry.FeedForgotten, _ turn: EntryTurn) {
        guard let record = records[entry.key], record.storedTurn < turn.number else { return }
        objectNames.replace(record.contentNames + record.views.states.flatMap(\.objectNames), by: [], of: entry.key)
        viewCount -= record.views.count
        detailByteCount -= record.views.states.reduce(0) { $0 + $1.detail.byteCount }
        records[entry.key] = nil
        order.remove(entry.key)
        sorted.remove(entry.key)
    }

    mutating func apply(_ entry: JournalEntry.ViewChanged, _ turn: EntryTurn) {
        let (key, view) = (entry.key, entry.view)
        guard records[key].map({ $0.storedTurn < turn.number }) ?? false else { return }
        let old = records[key]?.views.apply(entry, turn)
        objectNames.replace(old?.objectNames ?? [], by: view.objectNames, of: key)
        detailByteCount += view.detail.byteCount - (old?.detail.byteCount ?? 0)
        if old == nil { viewCount += 1 }
    }

    mutating func apply(_ entry: JournalEntry.ViewForgotten, _ turn: EntryTurn) {
        guard records[entry.key].map({ $0.storedTurn < turn.number }) ?? false else { return }
        guard let old = records[entry.key]?.views.apply(entry, turn) else { return }
        objectNames.replace(old.objectNames, by: [], of: entry.key)
        detailByteCount -= old.detail.byteCount
        viewCount -= 1
    }

    /// A feed without its views as a checkpoint stores it; nil: it was forgotten.
    func entry(of key: FeedKey) -> JournalEntry? {
        guard let feed = records[key] else { return nil }
        var entry = JournalEntry.FeedChanged(feed.state, isAskedFor: feed.isAskedFor, nextVersion: ContentVersion(feed.nextVersion))
        (entry.older, entry.damaged) = (feed.older, feed.damaged)
        return .feedChanged(entry)
    }

    /// A view of a feed; nil: it was forgotten.
    func entry(ofView name: String, of key: FeedKey) -> JournalEntry? {
        view(name, of: key).map { .viewChanged(JournalEntry.ViewChanged(key, $0.state, selectedAfter: $0.selectedAfter)) }
    }
}

// MARK: Attachments

extension FeedTable {
    /// A session attaches to a view; `isNew`: it was not attached before.
    mutating func attach(_ key: FeedKey, _ view: String, isNew: Bool) {
        if isNew { records[key]?.views.attach(to: view) }
        records[key]?.linger(until: nil)
    }

    /// One attachment less; a load that nobody asked for ends a little after the last.
    mutating func leave(_ key: FeedKey, _ view: String, in turn: inout TurnContext) {
        if records[key]?.views.detach(from: view) != true { turn.noteIgnored(.viewForgotten) }
        noteUse(of: view, of: key, in: turn)
        guard records[key]?.attachmentCount == 0 else { return }
        noteUse(of: key, in: turn)
        let until = turn.now.monotonic.advanced(by: turn.settings.linger)
        records[key]?.linger(until: until)
        turn.check(.load(key), by: until)
    }

    /// An epoch begins, and nobody is attached yet: sessions attach again by then, or the load ends.
    mutating func awaitAttachments(of key: FeedKey, in turn: inout TurnContext) {
        let until = turn.now.monotonic.advanced(by: turn.settings.attachmentGracePeriod + turn.settings.linger)
        records[key]?.linger(until: until)
        turn.check(.load(key), by: until)
    }

    /// A load that nobody asked for goes on for so long after its time while messages of clients are unread: they are mostly handled much
    /// earlier, and a load that is cut off only has to be repeated.
    private static var attachGracePeriod: Duration { .seconds(5) }

    /// The time may have come at which a load ends because nobody is attached.
    /// - Returns: whether its jobs are to be cancelled.
    mutating func isAbandoned(_ key: FeedKey, _ reading: TurnReading, in turn: inout TurnContext) -> Bool {
        // The time of a feed that was forgotten went with it.
        guard let feed = records[key], let until = feed.lingerUntil else { return false }
        // Somebody may attach again by words that lie unread, or are read and not handled. Who always has some of those keeps no load for ever.
        let isReceived = reading.isClientsDone && reading.waitingClients.isEmpty
        let judgedAt = isReceived ? until : until.advanced(by: Self.attachGracePeriod)
        guard reading.began >= judgedAt, !reading.isKeptByDisk else {
            let soon = turn.now.monotonic.advanced(by: ClientSessions.unreadPause)
            turn.check(.load(key), by: max(until, soon))
            return false
        }
        records[key]?.linger(until: nil)
        return feed.attachmentCount == 0 && !feed.isAskedFor
    }
}

// MARK: Use

extension FeedTable {
    /// Feeds that are looked at for one new feed: more would let one request wait for all that are busy.
    private static let lookedAtOnce = 64

    /// Uses that are kept beside two of each feed before those that were followed by later ones go: so many that a front with few feeds does not look
    /// through all of them at every request.
    private static let spareUses = 1_024

    /// An epoch begins: of when an earlier one saw something used nothing is known, so it counts from now.
    mutating func begin(in turn: inout TurnContext) {
        for key in order {
            uses.note(key, at: records[key]?.usedAt ?? MonotonicTime(nanoseconds: 0))
            for name in records[key]?.viewNames ?? [] { watchView(name, of: key, in: &turn) }
        }
    }

    /// Somebody has done something with a feed.
    mutating func noteUse(of key: FeedKey, in turn: TurnContext) {
        let now = turn.now.monotonic
        // Many uses of one event are one.
        guard let feed = records[key], feed.usedAt != now || uses.count == 0 else { return }
        records[key]?.noteUse(at: now)
        uses.note(key, at: now)
        guard uses.count > 2 * records.count + Self.spareUses else { return }
        uses.removeAll { [records] in records[$0]?.usedAt != $1 }
    }

    /// Somebody names a view.
    mutating func noteUse(of name: String, of key: FeedKey, in turn: TurnContext) {
        records[key]?.views.noteUse(of: name, at: turn.now.monotonic)
    }

    /// The feed that was not used for longest and may go; nil: all that were looked at are busy.
    ///
    /// A busy one goes to the end, so that the next request looks at others; when it was used stays as it is.
    mutating func takeLongestIdle(in turn: inout TurnContext, where isIdle: (FeedRecord) -> Bool) -> FeedRecord? {
        var looks = 0
        while looks < Self.lookedAtOnce, let use = uses.next() {
            turn.step(1)
            // A use that was followed by a later one is no feed that was looked at: it is met once, and its cost was counted when it was made.
            guard let feed = records[use.key], feed.usedAt == use.at else { continue }
            looks += 1
            if feed.isForgettable, isIdle(feed) { return feed }
            uses.note(use.key, at: use.at)
        }
        return nil
    }

    /// A view that its time finds worked for is looked at again so much later: long enough for any order to be made, short beside a day.
    private static let workedFor = Duration.seconds(3_600)

    /// A view other than `shared` is there: it is forgotten when nobody has named it or been attached to it for a day. Without that, views that
    /// were made once would fill the bound for ever.
    mutating func watchView(_ name: String, of key: FeedKey, in turn: inout TurnContext) {
        guard name != ViewName.shared else { return }
        noteUse(of: name, of: key, in: turn)
        turn.check(.view(key, name), by: turn.now.monotonic.advanced(by: turn.settings.bounds.viewAge))
    }

    /// A view's time may have come.
    /// - Returns: whether nobody has used it for too long, so that it is to be forgotten.
    mutating func isUnused(_ name: String, of key: FeedKey, in turn: inout TurnContext) -> Bool {
        let now = turn.now.monotonic
        switch view(name, of: key)?.use(at: now, keptFor: turn.settings.bounds.viewAge) {
        case nil: turn.noteIgnored(.viewForgotten)
        // Who is attached uses it all the time.
        case .attached: watchView(name, of: key, in: &turn)
        case .kept(let until): turn.check(.view(key, name), by: until)
        case .workedFor: turn.check(.view(key, name), by: now.advanced(by: Self.workedFor))
        case .unused: return true
        }
        return false
    }
}

/// Feeds by their last use, the longest unused first: to find one that may be forgotten costs the same however many there are.
private struct FeedUses {
    private var uses: Deque<(key: FeedKey, at: MonotonicTime)> = []

    var count: Int { uses.count }

    mutating func note(_ key: FeedKey, at time: MonotonicTime) { uses.append((key, time)) }

    /// The oldest use, which is given once; later ones of the same feed may follow it.
    mutating func next() -> (key: FeedKey, at: MonotonicTime)? { uses.popFirst() }

    /// Forgets uses that were followed by later ones.
    mutating func removeAll(where isPast: (FeedKey, MonotonicTime) -> Bool) { uses.removeAll { isPast($0.key, $0.at) } }
}
