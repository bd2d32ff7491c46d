//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import HeapModule
import Model

/// The topics that are kept, which of them are observed, and when each has its next beat. Each step costs the same however many there are.
struct TopicTable {
    /// A topic whose next beat is looked at.
    private struct Due: Comparable {
        let time: MonotonicTime
        /// Breaks ties by the order of noting, so that nothing depends on how a topic is hashed.
        let order: UInt64
        let topic: Topic

        static func < (left: Due, right: Due) -> Bool { (left.time, left.order) < (right.time, right.order) }
        static func == (left: Due, right: Due) -> Bool { left.order == right.order }
    }

    private struct Entry {
        var live: LiveTopic
        /// When its next beat is looked at; nil: it is not in the heap.
        var dueAt: MonotonicTime?
        /// Whether it stands among the idle ones.
        var isAmongIdle = false
    }

    /// Items of the heap that count for nothing and are kept beside one of each topic, before they are cleared away.
    private static let spareDues = 1_024

    private let topicLimit: Int
    private let byteLimit: Int
    private let subscriptionLimit: Int
    /// Bytes of the items of all topics beside the front's own.
    private(set) var byteCount = 0
    private var entries: [Topic: Entry] = [:]
    /// Topics that somebody subscribes to, kept or not.
    private var observed: Set<Topic> = []
    private var due = Heap<Due>()
    private var nextOrder: UInt64 = 0
    /// Topics that nobody observed when they were looked at last, with the time until which they had been used by then.
    private var idle: Deque<(topic: Topic, usedAt: MonotonicTime)> = []
    /// Topics that were not brought up because of the bound, counted.
    private(set) var refusedCount: UInt64 = 0
    /// Subscriptions that were read, counted: each observer's is read, also of a topic that others observe already.
    private(set) var subscriptionsMade: UInt64 = 0
    /// Beyond the numbers of all topics that were dropped: one that is brought up again begins there, so no number stands for two states.
    private(set) var unusedSequence = Sequence(0)

    /// A table that keeps so many topics or so many bytes of their items, and remembers so many subscriptions; the front's own topics are taken
    /// beyond all that.
    init(topicLimit: Int, byteLimit: Int = .max, subscriptionLimit: Int) {
        self.topicLimit = topicLimit
        self.byteLimit = byteLimit
        self.subscriptionLimit = subscriptionLimit
    }

    /// Topics that are kept.
    var count: Int { entries.count }

    /// Topics that are kept though nobody observes them: asked for a little while ago.
    private var askedCount = 0

    /// Topics that are subscribed or asked for.
    var subscriptionCount: Int { observed.count + askedCount }

    /// Those beside the front's own that are kept, and that are subscribed to. For whoever checks the loop from outside.
    var countsBesideFront: (kept: Int, subscribed: Int) {
        (entries.keys.count { !$0.isOfFront }, observed.count { !$0.isOfFront })
    }

    /// Items of the heap. For whoever checks the loop from outside.
    var dueCount: Int { due.count }

    /// When a beat is due or a topic may be dropped next.
    func nextTime(keepingFor length: Duration) -> MonotonicTime {
        let drop = idle.first?.usedAt.advanced(by: length) ?? .distantFuture
        return min(due.min?.time ?? .distantFuture, drop)
    }

    /// A topic as it is kept; nil: it is not.
    func live(_ topic: Topic) -> LiveTopic? { entries[topic]?.live }

    /// Whether a topic is kept.
    func isLive(_ topic: Topic) -> Bool { entries[topic] != nil }

    /// Changes a kept topic in place.
    mutating func update<Result>(_ topic: Topic, _ body: (inout LiveTopic) -> Result) -> Result? {
        guard var entry = entries.removeValue(forKey: topic) else { return nil }
        let before = entry.live.byteCount
        let result = body(&entry.live)
        count(entry.live, entry.live.byteCount - before)
        if observed.contains(topic) { note(topic, &entry) }
        entries[topic] = entry
        return result
    }

    /// Makes room for a topic: true: it may be brought up. At the bound the longest idle one goes; `dropped` names it.
    mutating func makeRoom(for topic: Topic, dropped: (Topic) -> Void) -> Bool {
        guard !topic.isOfFront else { return true }
        dropIdle(while: { $0.entries.count >= $0.topicLimit || $0.byteCount >= $0.byteLimit }, dropped)
        guard entries.count >= topicLimit || byteCount >= byteLimit else { return true }
        refusedCount += 1
        return false
    }

    /// A topic has changed: if all together have too many bytes by that, the longest idle ones go, and if that is not enough it goes itself, though it
    /// is observed; `dropped` names them. Who observes it misses its beats and asks for it again.
    mutating func makeRoom(forChanged topic: Topic, dropped: (Topic) -> Void) {
        guard byteCount > byteLimit, !topic.isOfFront else { return }
        dropIdle(while: { $0.byteCount > $0.byteLimit }, dropped)
        guard byteCount > byteLimit, isLive(topic) else { return }
        remove(topic)
        dropped(topic)
    }

    /// One that was used since it was looked at goes to the end once, so this ends.
    private mutating func dropIdle(while isFull: (TopicTable) -> Bool, _ dropped: (Topic) -> Void) {
        while isFull(self), !idle.isEmpty {
            guard let first = takeFirstIdle() else { continue }
            remove(first)
            dropped(first)
        }
    }

    private mutating func count(_ live: LiveTopic, _ change: Int) { if !live.topic.isOfFront { byteCount += change } }

    /// Keeps a topic that was brought up.
    mutating func insert(_ live: LiveTopic) {
        var entry = Entry(live: live)
        count(live, live.byteCount)
        if observed.contains(live.topic) {
            note(live.topic, &entry)
        } else {
            askedCount += 1
            rest(live.topic, &entry)
        }
        entries[live.topic] = entry
    }

    /// Drops a topic.
    private mutating func remove(_ topic: Topic) {
        guard let entry = entries.removeValue(forKey: topic) else { return }
        count(entry.live, -entry.live.byteCount)
        if !observed.contains(topic) { askedCount -= 1 }
        unusedSequence = max(unusedSequence, entry.live.sequence.advanced())
    }

    /// Somebody subscribes; false: too many do, and the topic is not brought up.
    mutating func subscribe(_ topic: Topic) -> Bool {
        subscriptionsMade += 1
        guard topic.isOfFront || observed.contains(topic) || observed.count < subscriptionLimit else {
            refusedCount += 1
            return false
        }
        let isNew = observed.insert(topic).inserted
        guard var entry = entries.removeValue(forKey: topic) else { return true }
        if isNew { askedCount -= 1 }
        note(topic, &entry)
        entries[topic] = entry
        return true
    }

    /// Nobody subscribes any more; false: nobody did.
    mutating func unsubscribe(_ topic: Topic, at now: MonotonicTime) -> Bool {
        guard observed.remove(topic) != nil else { return false }
        guard var entry = entries.removeValue(forKey: topic) else { return true }
        entry.live.usedAt = now
        // What is noted of its beat stays, and is used again if somebody subscribes by then: who comes and goes leaves nothing behind.
        askedCount += 1
        rest(topic, &entry)
        entries[topic] = entry
        return true
    }

    /// The next observed topic whose beat is due; its following beat is noted.
    mutating func takeDueBeat(at now: MonotonicTime) -> Topic? {
        while let first = due.min, first.time <= now {
            due.removeMin()
            guard var entry = entries[first.topic], entry.dueAt == first.time else { continue }
            entry.dueAt = nil
            let isDue = observed.contains(first.topic) && entry.live.nextBeat <= now
            if isDue { entry.live.beat(at: now) }
            if observed.contains(first.topic) { note(first.topic, &entry) }
            entries[first.topic] = entry
            if isDue { return first.topic }
        }
        return nil
    }

    /// Drops the next topic that nobody has used for so long; nil: there is none.
    mutating func dropIdle(at now: MonotonicTime, keepingFor length: Duration) -> Topic? {
        while let first = idle.first, now >= first.usedAt.advanced(by: length) {
            guard let topic = takeFirstIdle() else { continue }
            remove(topic)
            return topic
        }
        return nil
    }

    /// Looks at the topic that has stood longest among the idle ones: nil if it is none of them any more, or was used since and goes to the end.
    private mutating func takeFirstIdle() -> Topic? {
        guard let first = idle.popFirst(), var entry = entries[first.topic], entry.isAmongIdle else { return nil }
        entry.isAmongIdle = false
        let isObserved = observed.contains(first.topic)
        let wasUsed = entry.live.usedAt > first.usedAt
        if wasUsed, !isObserved { rest(first.topic, &entry) }
        entries[first.topic] = entry
        return isObserved || wasUsed ? nil : first.topic
    }

    private mutating func rest(_ topic: Topic, _ entry: inout Entry) {
        guard !entry.isAmongIdle else { return }
        entry.isAmongIdle = true
        idle.append((topic, entry.live.usedAt))
    }

    /// Notes when the topic's next beat is due, unless that is looked at earlier anyway.
    private mutating func note(_ topic: Topic, _ entry: inout Entry) {
        if let dueAt = entry.dueAt, dueAt <= entry.live.nextBeat { return }
        if due.count > 2 * entries.count + Self.spareDues {
            due = Heap(due.unordered.filter { [entries] in entries[$0.topic]?.dueAt == $0.time })
        }
        entry.dueAt = entry.live.nextBeat
        nextOrder += 1
        due.insert(Due(time: entry.live.nextBeat, order: nextOrder, topic: topic))
    }
}
