//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Damaged objects that many feeds name")
struct DamageBoundTests {
    private static let lists = (0..<6).map { "items?parameter=\($0)" }

    private static func object(_ number: UInt64) -> ObjectReference {
        ObjectReference(digest: ObjectDigest(words: (number, 0, 0, 0)), byteCount: 10, itemCount: 3)
    }

    private static func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    /// Feeds with the same content, and a bound of so many looks a turn: a feed is two, for it has the view `shared`.
    private static func world(looks: Int = 4, _ texts: [String] = lists, holding number: UInt64 = 1) throws -> (FrontHarness, WorkerHarness)
    {
        var lists = FeedDefinition(name: "lists", sourceLoader: "http")
        (lists.isEditable, lists.parameters) = (true, [.init(name: "parameter", defaultValue: "sample")])
        var front = FrontHarness {
            $0.bounds.damageLooks = looks
            $0.feeds.append(lists)
        }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        for text in texts { try load(text, number, &worker, &front) }
        front.settle()
        return (front, worker)
    }

    private static func load(_ text: String, _ number: UInt64, _ worker: inout WorkerHarness, _ front: inout FrontHarness) throws {
        let isEditable = text.hasPrefix("lists")
        _ = isEditable ? front.ask(.feed(try key(text), .create(item: [123, 125]))) : front.ask(.feed(try key(text), .load))
        worker.take(front.settle())
        var result = FeedResult()
        result.content = object(number)
        for job in worker.held.map(\.job) { worker.take(worker.end(job, feed: result, in: &front)) }
    }

    /// How many of these feeds still have that content.
    private static func holding(_ number: UInt64, in front: FrontHarness, of texts: [String] = lists) throws -> Int {
        try texts.count { front.feed(try key($0))?.content?.object == object(number) }
    }

    private static func left(_ front: FrontHarness) -> [JournalEntry.WorkLeft] { front.machine.state.left.all }

    @Test("a turn looks at so many feeds, says with which one the next goes on, and the front comes back for it at once")
    func turns() throws {
        var (front, _) = try Self.world()
        front.handle(.objectDamaged(Self.object(1).digest))
        #expect(try Self.holding(1, in: front) == 4)
        let rest = JournalEntry.WorkLeft(.damage(Self.object(1).digest), since: front.now.wall, at: .feed(try Self.key(Self.lists[2])))
        #expect(Self.left(front) == [rest])
        for rest in [4, 2, 0] {
            #expect(try Self.holding(1, in: front) == rest)
            #expect(rest == 0 || front.machine.nextDeadline.map { $0 <= front.now.monotonic } == true)
            front.settle()
            front.pass(milliseconds: 1)
            front.settle()
        }
        #expect(Self.left(front).isEmpty)
        #expect(front.machine.nextDeadline.map { $0 > front.now.monotonic } ?? true)
    }

    @Test("what fits one turn needs no entry; a damage that is found in a turn that has looked at enough waits for the next")
    func several() throws {
        var (front, worker) = try Self.world(looks: 12)
        try Self.load("items?parameter=other", 2, &worker, &front)
        front.settle()
        let actions = front.handle(.objectDamaged(Self.object(1).digest))
        #expect(!actions.contains { if case .record(.workLeft) = $0 { true } else { false } })
        #expect(try Self.holding(1, in: front) == 0)
        front.handle(.objectDamaged(Self.object(2).digest))
        #expect(try Self.holding(2, in: front, of: ["items?parameter=other"]) == 1)
        front.settle()
        front.pass(milliseconds: 1)
        front.settle()
        #expect(try Self.holding(2, in: front, of: ["items?parameter=other"]) == 0)
        #expect(Self.left(front).isEmpty)
    }

    @Test("views count as looks too; a feed is looked at as a whole", arguments: [(views: 0, left: 0), (views: 5, left: 1)])
    func views(views: Int, left: Int) throws {
        let two = Array(Self.lists.prefix(2))
        var (front, _) = try Self.world(looks: 5, two)
        for number in 0..<views { _ = front.ask(.feed(try Self.key(two[0]), .filter(view: "v\(number)", text: "x", version: nil))) }
        front.settle()
        front.handle(.objectDamaged(Self.object(1).digest))
        #expect(try Self.holding(1, in: front, of: two) == left)
        #expect(front.feed(try Self.key(two[0]))?.content == nil)
    }

    @Test("a restart goes on where the last life stopped, from the log and from a checkpoint", arguments: [false, true])
    func restarted(fromCheckpoint: Bool) throws {
        var (front, _) = try Self.world()
        front.handle(.objectDamaged(Self.object(1).digest))
        var next = front.restarted()
        if fromCheckpoint {
            var restored = FrontMachine(settings: next.settings, now: front.now)
            restored.restore(front.machine.state.baseEntries(), of: TurnNumber(9), isSlice: true)
            var actions: [FrontAction] = []
            restored.start(at: front.now, into: &actions)
            next.machine = restored
        }
        #expect(try Self.holding(1, in: next) == 4)
        #expect(Self.left(next) == Self.left(front))
        for _ in 0..<3 {
            next.settle()
            next.pass(milliseconds: 1)
        }
        #expect(try Self.holding(1, in: next) == 0)
        #expect(Self.left(next).isEmpty)
    }

    @Test("a list that was stored again meanwhile is whole; one that was not is let go of")
    func storedAgain() throws {
        let lists = (0..<4).map { "lists?parameter=\($0)" }
        var (front, worker) = try Self.world(looks: 1, lists, holding: 7)
        front.handle(.objectDamaged(Self.object(7).digest))
        #expect(try Self.holding(7, in: front, of: lists) == 3)
        front.pass(milliseconds: 5)
        // The file of that name is made anew by whoever stores the same again; of the others nobody knows.
        try Self.load(lists[3], 7, &worker, &front)
        for _ in 0..<4 {
            front.settle()
            front.pass(milliseconds: 1)
        }
        #expect(try Self.holding(7, in: front, of: lists) == 1)
        #expect(try Self.holding(7, in: front, of: [lists[3]]) == 1)
        #expect(front.late == [.storedSince: 1])
    }

    @Test("found again while feeds let go of it: those that did are looked at again")
    func foundAgain() throws {
        var (front, worker) = try Self.world(looks: 6)
        front.handle(.objectDamaged(Self.object(1).digest))
        #expect(try Self.holding(1, in: front) == 3)
        front.settle()
        try Self.load(Self.lists[0], 1, &worker, &front)
        front.handle(.objectDamaged(Self.object(1).digest))
        for _ in 0..<4 {
            front.settle()
            front.pass(milliseconds: 1)
        }
        #expect(try Self.holding(1, in: front) == 0)
    }

    @Test("so many damaged objects are remembered; one beyond them is left for when it is read next")
    func bounded() throws {
        let texts = (0..<70).map { "items?parameter=\(100 + $0)" }
        var (front, worker) = try Self.world(looks: 1, [])
        for (number, text) in texts.enumerated() { try Self.load(text, UInt64(number), &worker, &front) }
        front.settle()
        for number in 0..<70 { front.handle(.objectDamaged(Self.object(UInt64(number)).digest)) }
        #expect(Self.left(front).count == 64)
        #expect(front.late == [.tooManyDamaged: 5])
        #expect(front.feed(try Self.key(texts[69]))?.content != nil)
        for _ in 0..<70 {
            front.settle()
            front.pass(milliseconds: 1)
        }
        #expect(Self.left(front).isEmpty)
        front.handle(.objectDamaged(Self.object(69).digest))
        #expect(front.feed(try Self.key(texts[69]))?.content == nil)
    }
}
