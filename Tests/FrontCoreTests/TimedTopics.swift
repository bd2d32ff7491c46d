//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import FrontCore

/// A table of topics with the deadlines that a loop has for it.
@dynamicMemberLookup
struct TimedTopics {
    private var table: TopicTable
    private var deadlines = Deadlines<LoopDeadline>()

    init(topicLimit: Int, byteLimit: Int = .max, subscriptionLimit: Int) {
        table = TopicTable(topicLimit: topicLimit, byteLimit: byteLimit, subscriptionLimit: subscriptionLimit, age: .seconds(60))
    }

    subscript<Value>(dynamicMember path: KeyPath<TopicTable, Value>) -> Value { table[keyPath: path] }

    /// Items of the heap.
    var dueCount: Int { deadlines.itemCount }

    /// When the loop has to look at topics.
    var nextTime: MonotonicTime? {
        deadlines.next(at: FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: 0)))
    }

    func isLive(_ topic: Topic) -> Bool { table.isLive(topic) }

    mutating func insert(_ live: LiveTopic) { table.insert(live, in: &deadlines) }
    mutating func subscribe(_ topic: Topic) -> Bool { table.subscribe(topic, in: &deadlines) }
    mutating func unsubscribe(_ topic: Topic, at now: MonotonicTime) -> Bool { table.unsubscribe(topic, at: now, in: &deadlines) }

    mutating func update<Result>(_ topic: Topic, _ body: (inout LiveTopic) -> Result) -> Result? {
        table.update(topic, in: &deadlines, body)
    }

    mutating func makeRoom(for topic: Topic, dropped: (Topic) -> Void) -> Bool {
        defer { table.takeDropped().forEach(dropped) }
        return table.makeRoom(for: topic, in: &deadlines)
    }

    mutating func makeRoom(forChanged topic: Topic, dropped: (Topic) -> Void) {
        table.makeRoom(forChanged: topic, in: &deadlines)
        table.takeDropped().forEach(dropped)
    }

    mutating func takeDueBookmark(at now: MonotonicTime) -> Topic? {
        pass(to: now)
        return table.takeDueBookmark(at: now, in: &deadlines)
    }

    /// Drops topics that nobody has used for too long, ten at most.
    mutating func dropIdle(at now: MonotonicTime) -> [Topic] {
        pass(to: now)
        table.dropIdle(at: now, limit: 10, in: &deadlines)
        return table.takeDropped()
    }

    private mutating func pass(to now: MonotonicTime) {
        deadlines.pass(to: FrontTime(monotonic: now, wall: WallTime(milliseconds: 0)))
    }
}
