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

    private let topicLimit: Int
    private let subscriptionLimit: Int
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

    /// A table that keeps so many topics and remembers so many subscriptions; the front's own topics are taken beyond both.
    init(topicLimit: Int, subscriptionLimit: Int) {
        self.topicLimit = topicLimit
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

    /// When a beat is due or a topic may be dropped next.
    func nextTime(keepingMilliseconds: Int64) -> MonotonicTime {
        let drop = idle.first?.usedAt.adding(milliseconds: keepingMilliseconds) ?? .distantFuture
        return min(due.min?.time ?? .distantFuture, drop)
    }

    /// A topic as it is kept; nil: it is not.
    func live(_ topic: Topic) -> LiveTopic? { entries[topic]?.live }

    /// Whether a topic is kept.
    func isLive(_ topic: Topic) -> Bool { entries[topic] != nil }

    /// Changes a kept topic in place.
    mutating func update<Result>(_ topic: Topic, _ body: (inout LiveTopic) -> Result) -> Result? {
        guard var entry = entries.removeValue(forKey: topic) else { return nil }
        let result = body(&entry.live)
        if observed.contains(topic) { note(topic, &entry) }
        entries[topic] = entry
        return result
    }

    /// Makes room for a topic: true: it may be brought up. At the bound the longest idle one goes; `dropped` names it.
    mutating func makeRoom(for topic: Topic, dropped: (Topic) -> Void) -> Bool {
        guard !topic.isOfFront, entries.count >= topicLimit else { return true }
        // One that was used since it was looked at goes to the end once, so this ends.
        while !idle.isEmpty {
            guard let first = takeFirstIdle() else { continue }
            remove(first)
            dropped(first)
            if entries.count < topicLimit { return true }
        }
        refusedCount += 1
        return false
    }

    /// Keeps a topic that was brought up.
    mutating func insert(_ live: LiveTopic) {
        var entry = Entry(live: live)
        if observed.contains(live.topic) {
            note(live.topic, &entry)
        } else {
            askedCount += 1
            rest(live.topic, &entry)
        }
        entries[live.topic] = entry
    }

    /// Drops a topic that nobody observes.
    private mutating func remove(_ topic: Topic) {
        guard let entry = entries.removeValue(forKey: topic) else { return }
        askedCount -= 1
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
        entry.dueAt = nil
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
            let isDue = entry.live.nextBeat <= now
            if isDue { entry.live.beat(at: now) }
            note(first.topic, &entry)
            entries[first.topic] = entry
            if isDue { return first.topic }
        }
        return nil
    }

    /// Drops the next topic that nobody has used for so long; nil: there is none.
    mutating func dropIdle(at now: MonotonicTime, keepingMilliseconds: Int64) -> Topic? {
        while let first = idle.first, now >= first.usedAt.adding(milliseconds: keepingMilliseconds) {
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
        entry.dueAt = entry.live.nextBeat
        nextOrder += 1
        due.insert(Due(time: entry.live.nextBeat, order: nextOrder, topic: topic))
    }
}
