//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// The topics that are kept, which of them are observed, and when each has its next bookmark. Each step costs next to the same however many there
/// are.
///
/// When one is to be looked at stands among the deadlines of the loop, which are handed to whatever may change that.
struct TopicTable {
    private struct Entry {
        var live: LiveTopic
        /// What its deadline is found by.
        let number: UInt64
        /// Whether it stands among the idle ones.
        var isAmongIdle = false
    }

    private let topicLimit: Int
    private let byteLimit: Int
    private let subscriptionLimit: Int
    private let age: Duration
    /// Bytes of the items of all topics beside the front's own.
    private(set) var byteCount = 0
    private var entries: [Topic: Entry] = [:]
    /// Topics that somebody subscribes to, kept or not.
    private var observed: Set<Topic> = []
    /// Kept topics by the numbers of their deadlines.
    private var numbered: [UInt64: Topic] = [:]
    private var lastNumber: UInt64 = 0
    /// Topics that nobody observed when they were looked at last, with the time until which they had been used by then.
    private var idle: Deque<(topic: Topic, usedAt: MonotonicTime)> = []
    /// Topics that were dropped and that `takeDropped` has not returned yet.
    private var dropped: [Topic] = []
    /// Topics that were not brought up because of the bound, counted.
    private(set) var refusedCount: UInt64 = 0
    /// Subscriptions that were read, counted: each observer's is read, also of a topic that others observe already.
    private(set) var subscriptionsMade: UInt64 = 0
    /// Beyond the numbers of all topics that were dropped: one that is brought up again begins there, so no number stands for two states.
    private(set) var unusedSequence = SequenceNumber(0)

    /// A table that keeps so many topics or so many bytes of their items, remembers so many subscriptions, and keeps what nobody uses for so long;
    /// the front's own topics are taken beyond the first three.
    init(topicLimit: Int, byteLimit: Int = .max, subscriptionLimit: Int, age: Duration) {
        self.topicLimit = topicLimit
        self.byteLimit = byteLimit
        self.subscriptionLimit = subscriptionLimit
        self.age = age
    }

    /// Topics that are kept.
    var count: Int { entries.count }

    /// Topics that are kept though nobody observes them: asked for a little while ago.
    private var askedCount = 0

    /// Topics that are subscribed or asked for.
    var subscriptionCount: Int { observed.count + askedCount }

    /// Those beside the front's own that are kept, and that are subscribed to. For checks from outside.
    var countsBesideFront: (kept: Int, subscribed: Int) {
        (entries.keys.count { !$0.isOfFront }, observed.count { !$0.isOfFront })
    }

    /// A topic as it is kept; nil: it is not.
    func live(_ topic: Topic) -> LiveTopic? { entries[topic]?.live }

    /// Whether a topic is kept.
    func isLive(_ topic: Topic) -> Bool { entries[topic] != nil }

    /// Changes a kept topic in place.
    mutating func update<Result>(
        _ topic: Topic, in deadlines: inout Deadlines<LoopDeadline>, _ body: (inout LiveTopic) -> Result
    ) -> Result? {
        guard var entry = entries.removeValue(forKey: topic) else { return nil }
        let before = entry.live.byteCount
        let result = body(&entry.live)
        count(entry.live, entry.live.byteCount - before)
        if observed.contains(topic) { note(entry, in: &deadlines) }
        entries[topic] = entry
        return result
    }

    /// Makes room for a topic: true: it may be brought up. At the bound the longest idle one goes.
    mutating func makeRoom(for topic: Topic, in deadlines: inout Deadlines<LoopDeadline>) -> Bool {
        guard !topic.isOfFront else { return true }
        dropIdle(while: { $0.entries.count >= $0.topicLimit || $0.byteCount >= $0.byteLimit }, in: &deadlines)
        guard entries.count >= topicLimit || byteCount >= byteLimit else { return true }
        refusedCount += 1
        return false
    }

    /// A topic has changed: if all together have too many bytes by that, the longest idle ones are dropped, and if that is not enough this
    /// one too, though it is observed: its observers miss its bookmarks and ask for it again.
    mutating func makeRoom(forChanged topic: Topic, in deadlines: inout Deadlines<LoopDeadline>) {
        guard !topic.isOfFront else { return }
        dropIdle(while: { $0.byteCount > $0.byteLimit }, in: &deadlines)
        if byteCount > byteLimit { remove(topic, in: &deadlines) }
    }

    /// One that was used since it was looked at goes to the end once, so this ends.
    private mutating func dropIdle(while isFull: (TopicTable) -> Bool, in deadlines: inout Deadlines<LoopDeadline>) {
        while isFull(self), !idle.isEmpty {
            guard let first = takeFirstIdle(in: &deadlines) else { continue }
            remove(first, in: &deadlines)
        }
    }

    private mutating func count(_ live: LiveTopic, _ change: Int) { if !live.topic.isOfFront { byteCount += change } }

    /// Keeps a topic that was brought up.
    mutating func insert(_ live: LiveTopic, in deadlines: inout Deadlines<LoopDeadline>) {
        lastNumber += 1
        numbered[lastNumber] = live.topic
        var entry = Entry(live: live, number: lastNumber)
        count(live, live.byteCount)
        if observed.contains(live.topic) {
            note(entry, in: &deadlines)
        } else {
            askedCount += 1
            rest(live.topic, &entry, in: &deadlines)
        }
        entries[live.topic] = entry
    }

    /// The topics that were dropped since this was asked last.
    mutating func takeDropped() -> [Topic] { dropped.isEmpty ? [] : exchange(&dropped, with: []) }

    /// Drops a topic.
    private mutating func remove(_ topic: Topic, in deadlines: inout Deadlines<LoopDeadline>) {
        guard let entry = entries.removeValue(forKey: topic) else { return }
        numbered[entry.number] = nil
        deadlines.remove(.topic(entry.number))
        count(entry.live, -entry.live.byteCount)
        if !observed.contains(topic) { askedCount -= 1 }
        unusedSequence = max(unusedSequence, entry.live.sequence.advanced())
        dropped.append(topic)
    }

    /// Adds a subscription; false: there are too many, and the topic is not kept.
    mutating func subscribe(_ topic: Topic, in deadlines: inout Deadlines<LoopDeadline>) -> Bool {
        subscriptionsMade += 1
        // The front's own are few, and must be seen when others have taken all room.
        guard topic.isOfFront || observed.contains(topic) || observed.count < subscriptionLimit else {
            refusedCount += 1
            return false
        }
        let isNew = observed.insert(topic).inserted
        guard let entry = entries[topic] else { return true }
        if isNew { askedCount -= 1 }
        note(entry, in: &deadlines)
        return true
    }

    /// Nobody subscribes any more; false: nobody did.
    mutating func unsubscribe(_ topic: Topic, at now: MonotonicTime, in deadlines: inout Deadlines<LoopDeadline>) -> Bool {
        guard observed.remove(topic) != nil else { return false }
        guard var entry = entries.removeValue(forKey: topic) else { return true }
        entry.live.usedAt = now
        // What is noted of its bookmark stays, and is used again if somebody subscribes by then, so that a client that comes and goes
        // costs no memory.
        askedCount += 1
        rest(topic, &entry, in: &deadlines)
        entries[topic] = entry
        return true
    }

    /// The next observed topic whose bookmark is due; its following bookmark is noted.
    mutating func takeDueBookmark(at now: MonotonicTime, in deadlines: inout Deadlines<LoopDeadline>) -> Topic? {
        while case .topic(let number)? = deadlines.takeFirst(.topic) {
            // Of one that nobody observes by now it is noted when somebody does.
            guard let topic = numbered[number], observed.contains(topic), var entry = entries.removeValue(forKey: topic) else { continue }
            let isDue = entry.live.nextBookmark <= now
            if isDue { entry.live.bookmark(at: now) }
            note(entry, in: &deadlines)
            entries[topic] = entry
            if isDue { return topic }
        }
        return nil
    }

    /// Drops topics that nobody has used for too long, so many at most, if the time of one may have come.
    mutating func dropIdle(at now: MonotonicTime, limit: Int, in deadlines: inout Deadlines<LoopDeadline>) {
        guard deadlines.takeFirst(.idleTopics) != nil else { return }
        for _ in 0..<limit {
            guard let first = idle.first, now >= first.usedAt.advanced(by: age) else { break }
            guard let topic = takeFirstIdle(in: &deadlines) else { continue }
            remove(topic, in: &deadlines)
        }
        // One deadline stands for all of them, and it was taken above.
        if let first = idle.first { deadlines.insert(.idleTopics, by: first.usedAt.advanced(by: age)) }
    }

    /// Looks at the topic that has stood longest among the idle ones: nil if it is none of them any more, or was used since and goes to the end.
    private mutating func takeFirstIdle(in deadlines: inout Deadlines<LoopDeadline>) -> Topic? {
        guard let first = idle.popFirst(), var entry = entries[first.topic], entry.isAmongIdle else { return nil }
        entry.isAmongIdle = false
        let isObserved = observed.contains(first.topic)
        let wasUsed = entry.live.usedAt > first.usedAt
        if wasUsed, !isObserved { rest(first.topic, &entry, in: &deadlines) }
        entries[first.topic] = entry
        return isObserved || wasUsed ? nil : first.topic
    }

    private mutating func rest(_ topic: Topic, _ entry: inout Entry, in deadlines: inout Deadlines<LoopDeadline>) {
        guard !entry.isAmongIdle else { return }
        entry.isAmongIdle = true
        idle.append((topic, entry.live.usedAt))
        deadlines.insert(.idleTopics, by: entry.live.usedAt.advanced(by: age))
    }

    /// Notes when the topic's next bookmark is due, unless that is looked at earlier anyway.
    private func note(_ entry: Entry, in deadlines: inout Deadlines<LoopDeadline>) {
        deadlines.insert(.topic(entry.number), by: entry.live.nextBookmark)
    }
}

/// A topic that somebody observes: its items as sent, their checksum, and when its next bookmark is due.
struct LiveTopic {
    let topic: Topic
    let frame: [UInt8]
    var sequence: SequenceNumber
    var checksum = TopicChecksum()
    /// Items in the order in which they came.
    private(set) var items: [TopicItem] = []
    /// Bytes of them, about.
    private(set) var byteCount = 0
    /// When it was asked for or observed last.
    var usedAt: MonotonicTime
    fileprivate var nextBookmark: MonotonicTime
    private var bookmarksSinceChange = 0

    /// Bookmarks come 1, 2, 4 and 8 s after a change, so that a client that has missed it notices soon, and then each 10 s: two of them may
    /// be lost before a client, which waits 25 s for any message of its topic, asks for a snapshot.
    private static var firstBookmark: Duration { .seconds(1) }
    private static var doublingBookmarks: Int { 3 }
    private static var idleBookmark: Duration { .seconds(10) }

    init(_ topic: Topic, sequence: SequenceNumber, now: MonotonicTime) {
        self.topic = topic
        self.frame = topic.frame
        self.sequence = sequence
        self.usedAt = now
        self.nextBookmark = now.advanced(by: Self.firstBookmark)
    }

    /// Puts or removes an item; false if nothing is different.
    mutating func set(_ key: [UInt8], _ value: [UInt8]?) -> Bool {
        let index = items.firstIndex { $0.key == key }
        if let index, let value {
            guard items[index].value != value else { return false }
            checksum.remove(key: key, value: items[index].value)
            byteCount += value.count - items[index].value.count
            items[index].value = value
            checksum.add(key: key, value: value)
        } else if let value {
            items.append(TopicItem(key: key, value: value))
            byteCount += items[items.count - 1].roughByteCount
            checksum.add(key: key, value: value)
        } else if let index {
            checksum.remove(key: key, value: items[index].value)
            byteCount -= items[index].roughByteCount
            items.remove(at: index)
        } else {
            return false
        }
        return true
    }

    /// One more change; bookmarks begin anew.
    mutating func count(at now: MonotonicTime) {
        sequence = sequence.advanced()
        bookmarksSinceChange = 0
        nextBookmark = now.advanced(by: Self.firstBookmark)
    }

    /// A bookmark goes out: when the next one is due.
    mutating func bookmark(at now: MonotonicTime) {
        bookmarksSinceChange += 1
        let isSoon = bookmarksSinceChange <= Self.doublingBookmarks
        nextBookmark = now.advanced(by: isSoon ? Self.firstBookmark * (1 << Int(bookmarksSinceChange - 1)) : Self.idleBookmark)
    }

    func bookmark(front: FrontID, epoch: Epoch) -> Publication.Bookmark {
        Publication.Bookmark(front: front, epoch: epoch, sequence: sequence, checksum: checksum)
    }
}

extension TopicItem {
    /// Bytes of its key and value, and what it takes beside them.
    var roughByteCount: Int { key.count + value.count + RoughSize.item }
}
