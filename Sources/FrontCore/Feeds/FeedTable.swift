//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// All feeds and their views: what of them is shared and durable, who uses them, and which go when there are too many or nobody does.
///
/// Entries make and change what is durable, while serving and at restart alike; who is attached and when something was used is of this life only.
struct FeedTable {
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

    /// All of them, in no order.
    var all: some Collection<FeedRecord> { records.values }

    /// Whether a feed or one of its views names an object; costs a look-up.
    func names(_ digest: ObjectDigest) -> Bool { !objectNames.feeds(naming: digest).isEmpty }

    /// Whether an object is a version of a list of a user's own, which nobody can load again.
    func keeps(_ digest: ObjectDigest) -> Bool {
        objectNames.feeds(naming: digest).contains { key in
            records[key]?.keptVersions.contains { $0.object.digest == digest } ?? false
        }
    }

    /// Whether there is any such version.
    var keepsLists: Bool { all.contains { !$0.keptVersions.isEmpty } }
}

// MARK: Durable changes, made by entries alone

extension FeedTable {
    mutating func apply(_ entry: Fact.FeedChanged, _ turn: EntryTurn) {
        let (key, feed) = (entry.state.key, entry.state)
        var record = records[key] ?? FeedRecord(state: feed)
        guard record.storedTurn < turn.number else { return }
        if records[key] == nil {
            order.append(key)
            sorted.insert(key)
        }
        // Of a feed that comes with its content, as from a checkpoint, nothing is named yet.
        let named = records[key]?.contentNames ?? []
        record.keepOlder(before: feed)
        record.state = feed
        objectNames.replace(named, by: record.contentNames, of: key)
        record.isAskedFor = entry.isAskedFor
        record.nextVersion = max(record.nextVersion, entry.nextVersion.rawValue)
        if let version = feed.content?.version.rawValue { record.nextVersion = max(record.nextVersion, version + 1) }
        if let stored = turn.stored { record.storedTurn = stored }
        records[key] = record
    }

    mutating func apply(_ entry: Fact.FeedForgotten, _ turn: EntryTurn) {
        guard let record = records[entry.key], record.storedTurn < turn.number else { return }
        objectNames.replace(record.contentNames + record.views.values.flatMap(\.objectNames), by: [], of: entry.key)
        viewCount -= record.views.count
        for name in record.viewNames { detailByteCount -= record.views[name]?.detail.byteCount ?? 0 }
        records[entry.key] = nil
        order.remove(entry.key)
        sorted.remove(entry.key)
    }

    mutating func apply(_ entry: Fact.ViewChanged, _ turn: EntryTurn) {
        let (key, view) = (entry.key, entry.view)
        guard records[key].map({ $0.storedTurn < turn.number }) ?? false else { return }
        objectNames.replace(records[key]?.views[view.name]?.objectNames ?? [], by: view.objectNames, of: key)
        records[key]?.selectedAfter[view.name] = entry.selectedAfter == .none ? nil : entry.selectedAfter
        detailByteCount += view.detail.byteCount
        if let old = records[key]?.views.updateValue(view, forKey: view.name) {
            detailByteCount -= old.detail.byteCount
        } else {
            records[key]?.viewNames.append(view.name)
            viewCount += 1
        }
    }

    mutating func apply(_ entry: Fact.ViewForgotten, _ turn: EntryTurn) {
        guard records[entry.key].map({ $0.storedTurn < turn.number }) ?? false else { return }
        guard let old = records[entry.key]?.views.removeValue(forKey: entry.view) else { return }
        objectNames.replace(old.objectNames, by: [], of: entry.key)
        records[entry.key]?.selectedAfter[entry.view] = nil
        records[entry.key]?.viewNames.removeAll { $0 == entry.view }
        records[entry.key]?.viewUsedAt[entry.view] = nil
        detailByteCount -= old.detail.byteCount
        viewCount -= 1
    }

    /// A feed without its views as a checkpoint stores it; nothing: it was forgotten.
    func entries(of key: FeedKey) -> [Fact] {
        guard let feed = records[key] else { return [] }
        var entries: [Fact] = []
        for damaged in feed.damaged {
            var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
            earlier.failure = Failure(id: .none, damaged: damaged.object, at: damaged.foundAt, text: "", retryable: false)
            entries.append(.feedChanged(Fact.FeedChanged(earlier, isAskedFor: false)))
        }
        for content in feed.older {
            var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
            earlier.content = content
            entries.append(.feedChanged(Fact.FeedChanged(earlier, isAskedFor: false)))
        }
        let version = ContentVersion(feed.nextVersion)
        entries.append(.feedChanged(Fact.FeedChanged(feed.state, isAskedFor: feed.isAskedFor, nextVersion: version)))
        return entries
    }

    /// A view of a feed; nil: it was forgotten.
    func entry(ofView name: String, of key: FeedKey) -> Fact? {
        guard let feed = records[key], let view = feed.views[name] else { return nil }
        return .viewChanged(Fact.ViewChanged(key, view, selectedAfter: feed.selectedAfter[name] ?? .none))
    }
}

// MARK: Attachments

extension FeedTable {
    /// A session wishes that a view be kept; `isNew`: it did not wish that before.
    mutating func attach(_ key: FeedKey, _ view: String, isNew: Bool) {
        if isNew { records[key]?.attach(to: view) }
        records[key]?.linger(until: nil)
    }

    /// One attachment less; a load that nobody asked for ends a little after the last.
    mutating func leave(_ key: FeedKey, _ view: String, in turn: inout TurnContext) {
        records[key]?.removeAttachment(to: view)
        noteUse(of: view, of: key, in: turn)
        guard records[key]?.attachmentCount == 0 else { return }
        noteUse(of: key, in: turn)
        let until = turn.now.monotonic.adding(milliseconds: turn.settings.lingerMilliseconds)
        records[key]?.linger(until: until)
        turn.check(.load(key), by: until)
    }

    /// A load that nobody asked for goes on for so long after its time while something of anybody is not heard: a client's words are mostly
    /// handled much earlier, and one that is cut off only has to be loaded again.
    private static var attachPatienceMilliseconds: Int64 { 5_000 }

    /// The time may have come at which a load ends because nobody is attached.
    /// - Returns: whether its jobs are to be cancelled.
    mutating func isAbandoned(_ key: FeedKey, _ reading: TurnReading, in turn: inout TurnContext) -> Bool {
        guard let feed = records[key], let until = feed.lingerUntil else { return false }
        // Somebody may attach again by words that lie unread, or are read and not handled. Who always has some of those keeps no load for ever.
        let isHeard = reading.isClientsDone && reading.waitingClients.isEmpty
        let judgedAt = isHeard ? until : until.adding(milliseconds: Self.attachPatienceMilliseconds)
        guard reading.began >= judgedAt, !reading.isKeptByDisk else {
            let soon = turn.now.monotonic.adding(milliseconds: ClientSessions.unreadMilliseconds)
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

    /// A life of the front begins: of when an earlier one saw something used nothing is known, so it counts from now.
    mutating func begin(in turn: inout TurnContext) {
        for key in order {
            uses.note(key, at: records[key]?.usedAt ?? MonotonicTime(nanoseconds: 0))
            for name in records[key]?.viewNames ?? [] { watchView(name, of: key, in: &turn) }
        }
    }

    /// Somebody has done something with a feed.
    mutating func noteUse(of key: FeedKey, in turn: TurnContext) {
        let now = turn.now.monotonic
        guard let feed = records[key], feed.usedAt != now || uses.count == 0 else { return }
        records[key]?.noteUse(at: now)
        uses.note(key, at: now)
        guard uses.count > 2 * records.count + 1_024 else { return }
        uses.removeAll { [records] in records[$0]?.usedAt != $1 }
    }

    /// Somebody names a view. Of names that are refused as views nothing is kept: there is no end of them.
    mutating func noteUse(of name: String, of key: FeedKey, in turn: TurnContext) {
        if records[key]?.views[name] != nil { records[key]?.viewUsedAt[name] = turn.now.monotonic }
    }

    /// The feed that was not used for longest and may go; nil: all that were looked at are busy.
    ///
    /// A busy one goes to the end, so that the next request looks at others; when it was used stays as it is.
    mutating func takeLongestIdle(in turn: inout TurnContext, where isIdle: (FeedRecord) -> Bool) -> FeedRecord? {
        var looks = 0
        while looks < Self.lookedAtOnce, let use = uses.next() {
            turn.step(1)
            // A use that was followed by a later one is no feed that was looked at: it is met once, whoever made it has paid for that.
            guard let feed = records[use.key], feed.usedAt == use.at else { continue }
            looks += 1
            if feed.isForgettable, isIdle(feed) { return feed }
            uses.note(use.key, at: use.at)
        }
        return nil
    }

    /// A view that its time finds worked for is looked at again so much later: long enough for any order to be made, short beside a day.
    private static let workedForMilliseconds: Int64 = 3_600_000

    /// A view other than `shared` is there: it is forgotten when nobody has named it or been attached to it for a day. Without that, views that
    /// were made once would fill the bound for ever.
    mutating func watchView(_ name: String, of key: FeedKey, in turn: inout TurnContext) {
        guard name != "shared" else { return }
        noteUse(of: name, of: key, in: turn)
        turn.check(.view(key, name), by: turn.now.monotonic.adding(milliseconds: turn.settings.bounds.viewMilliseconds))
    }

    /// A view's time may have come.
    /// - Returns: whether nobody has used it for too long, so that it is to be forgotten.
    mutating func isUnused(_ name: String, of key: FeedKey, in turn: inout TurnContext) -> Bool {
        guard let feed = records[key], let view = feed.views[name] else { return false }
        // Who is attached uses it all the time.
        guard feed.attachedViews[name] == nil else {
            watchView(name, of: key, in: &turn)
            return false
        }
        let now = turn.now.monotonic
        let idleAt = (feed.viewUsedAt[name] ?? now).adding(milliseconds: turn.settings.bounds.viewMilliseconds)
        guard now >= idleAt else {
            turn.check(.view(key, name), by: idleAt)
            return false
        }
        guard view.isWorkedFor else { return true }
        turn.check(.view(key, name), by: now.adding(milliseconds: Self.workedForMilliseconds))
        return false
    }
}
