//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Topics that are kept")
struct TopicTableTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func job(_ number: Int) -> Topic { .job(JobID(UInt64(number))) }

    private func bringUp(_ topic: Topic, in table: inout TimedTopics, at now: MonotonicTime) -> [Topic]? {
        var dropped: [Topic] = []
        guard table.makeRoom(for: topic, dropped: { dropped.append($0) }) else { return nil }
        table.insert(LiveTopic(topic, sequence: SequenceNumber(1), now: now))
        return dropped
    }

    @Test("at the bound the one goes that nobody has asked for longest, then nothing is brought up, save the front's own")
    func bound() {
        var table = TimedTopics(topicLimit: 3, subscriptionLimit: 10)
        for number in 1...3 { #expect(bringUp(job(number), in: &table, at: start) == []) }
        _ = table.update(job(1)) { $0.usedAt = start.advanced(by: .milliseconds(5)) }
        #expect(bringUp(job(4), in: &table, at: start) == [job(2)])
        let subscribed = [1, 3, 4].map { table.subscribe(job($0)) }
        #expect(subscribed == [true, true, true])
        #expect(bringUp(job(5), in: &table, at: start) == nil)
        #expect(table.refusedCount == 1)
        #expect(bringUp(.front, in: &table, at: start) == [])
        #expect(table.subscriptionCount == 4)
    }

    @Test("more subscriptions than the bound are not remembered, and their end is no end of anything")
    func subscriptions() {
        var table = TimedTopics(topicLimit: 3, subscriptionLimit: 2)
        #expect(table.subscribe(job(1)) && table.subscribe(job(2)))
        #expect(table.subscribe(job(3)) == false)
        #expect(table.subscribe(.jobs) && table.subscribe(job(2)))
        #expect(table.unsubscribe(job(3), at: start) == false)
        #expect(table.unsubscribe(job(2), at: start) && table.unsubscribe(job(1), at: start))
        #expect(table.subscribe(job(3)) == true)
        #expect(table.subscriptionCount == 2)
        #expect(table.refusedCount == 1)
    }

    @Test("who comes and goes leaves nothing behind, and the bookmarks stay those of the topic")
    func comingAndGoing() {
        var table = TimedTopics(topicLimit: 10, subscriptionLimit: 10)
        _ = bringUp(job(1), in: &table, at: start)
        for _ in 0..<10_000 {
            _ = table.subscribe(job(1))
            _ = table.unsubscribe(job(1), at: start)
        }
        #expect(table.dueCount == 2, "one of the topic, one of those that are idle")
        #expect(table.takeDueBookmark(at: start.advanced(by: .seconds(60))) == nil && table.dueCount == 0)
        // Topics that are dropped and brought up again are cleared away now and then.
        for _ in 0..<10_000 {
            for number in 1...11 {
                _ = bringUp(job(number), in: &table, at: start)
                _ = table.subscribe(job(number))
                _ = table.unsubscribe(job(number), at: start)
            }
        }
        #expect(table.dueCount < 100)
        _ = table.subscribe(job(11))
        #expect(table.takeDueBookmark(at: start.advanced(by: .seconds(1))) == job(11))
    }

    @Test("bookmarks come at 1, 2, 4, 8 s after the last change and then each 10 s, of observed topics only, in order")
    func bookmarks() {
        var table = TimedTopics(topicLimit: 10, subscriptionLimit: 10)
        _ = bringUp(job(1), in: &table, at: start)
        _ = bringUp(job(2), in: &table, at: start)
        #expect(table.takeDueBookmark(at: start.advanced(by: .milliseconds(5_000))) == nil)
        _ = table.subscribe(job(2))
        _ = table.subscribe(job(1))
        var seconds: [Int64] = []
        for second in Int64(0)...30 {
            while let topic = table.takeDueBookmark(at: start.advanced(by: .milliseconds(second * 1_000))) {
                if topic == job(1) { seconds.append(second) }
            }
        }
        #expect(seconds == [1, 2, 4, 8, 18, 28])
        // A change begins anew.
        _ = table.update(job(1)) { $0.count(at: start.advanced(by: .milliseconds(30_000))) }
        #expect(table.nextTime == start.advanced(by: .milliseconds(31_000)))
        #expect(table.takeDueBookmark(at: start.advanced(by: .milliseconds(31_000))) == job(1))
        _ = table.unsubscribe(job(1), at: start)
        #expect(table.takeDueBookmark(at: start.advanced(by: .milliseconds(37_999))) == nil)
        #expect(table.takeDueBookmark(at: start.advanced(by: .milliseconds(38_000))) == job(2))
    }

    @Test("whatever was put, changed and removed, the checksum and the bytes are those of the items that are there", arguments: 0..<8)
    func items(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var (live, plain) = (LiveTopic(.jobs, sequence: SequenceNumber(1), now: start), [[UInt8]: [UInt8]]())
        let values: [[UInt8]?] = [nil, [], [1], [1, 2], [2, 1]]
        for _ in 0..<200 {
            let key = [UInt8.random(in: 0..<4, using: &numbers)]
            let value = values.randomElement(using: &numbers) ?? nil
            #expect(live.set(key, value) == (plain[key] != value))
            plain[key] = value
            var checksum = TopicChecksum()
            for item in live.items { checksum.add(key: item.key, value: item.value) }
            #expect(Dictionary(uniqueKeysWithValues: live.items.map { ($0.key, $0.value) }) == plain)
            #expect(live.checksum == checksum && live.byteCount == live.items.reduce(0) { $0 + $1.roughByteCount })
        }
    }

    @Test("idle topics that came one after the other go one after the other, and the loop wakes for each")
    func idleInTurn() {
        var table = TimedTopics(topicLimit: 10, subscriptionLimit: 10)
        for number in 1...2 { _ = bringUp(job(number), in: &table, at: start.advanced(by: .seconds(Int64(number) * 30))) }
        #expect(table.nextTime == start.advanced(by: .seconds(90)))
        #expect(table.dropIdle(at: start.advanced(by: .seconds(90))) == [job(1)])
        #expect(table.nextTime == start.advanced(by: .seconds(120)))
        #expect(table.dropIdle(at: start.advanced(by: .seconds(120))) == [job(2)])
        #expect(table.nextTime == nil)
    }

    @Test("a topic that somebody observes is not dropped when its time is over, but as long after nobody does any more")
    func observedMeanwhile() {
        var table = TimedTopics(topicLimit: 10, subscriptionLimit: 10)
        _ = bringUp(job(1), in: &table, at: start)
        _ = table.subscribe(job(1))
        #expect(table.dropIdle(at: start.advanced(by: .seconds(60))) == [])
        _ = table.unsubscribe(job(1), at: start.advanced(by: .seconds(70)))
        #expect(table.dropIdle(at: start.advanced(by: .milliseconds(129_999))) == [] && table.isLive(job(1)))
        #expect(table.dropIdle(at: start.advanced(by: .seconds(130))) == [job(1)])
    }

    @Test("a topic that nobody observes is dropped after its time, one that is used again later")
    func idle() {
        var table = TimedTopics(topicLimit: 10, subscriptionLimit: 10)
        for number in 1...3 { _ = bringUp(job(number), in: &table, at: start) }
        _ = table.subscribe(job(3))
        _ = table.update(job(1)) { $0.usedAt = start.advanced(by: .milliseconds(30_000)) }
        let end = start.advanced(by: .milliseconds(60_000))
        #expect(table.dropIdle(at: start.advanced(by: .milliseconds(59_999))) == [])
        #expect(table.dropIdle(at: end) == [job(2)])
        #expect(table.dropIdle(at: end) == [])
        #expect(table.isLive(job(1)) && table.isLive(job(3)))
        #expect(table.dropIdle(at: start.advanced(by: .milliseconds(90_000))) == [job(1)])
        #expect(table.count == 1)
    }
}
