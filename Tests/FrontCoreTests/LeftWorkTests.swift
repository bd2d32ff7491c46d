//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Many lists of work at once")
struct LeftWorkTests {
    private static func key(_ number: Int) throws -> FeedKey { try FeedWorld.key("lists?parameter=\(1_000 + number)") }

    /// A front whose turn cancels so many jobs for resets, and lists of a user's own, each with one save that waits, which are all reset at once.
    private static func reset(_ count: Int, budget: Int) throws -> FrontHarness {
        var lists = FeedDefinition(name: "lists", sourceLoader: "http")
        (lists.isEditable, lists.parameters) = (true, [.init(name: "parameter", defaultValue: "sample")])
        var front = FrontHarness {
            $0.bounds.resetJobs = budget
            $0.feeds.append(lists)
        }
        front.open()
        for number in 0..<count { _ = front.ask(.feed(try key(number), .create(item: [123, 125]))) }
        for number in 0..<count { #expect(front.ask(.feed(try key(number), .reset(version: nil))) == .done(version: 0)) }
        #expect(front.machine.state.left.count == count - budget)
        return front
    }

    /// The feeds whose saves are cancelled.
    private static func cancelled(_ count: Int, in front: FrontHarness) throws -> [Int] {
        try (0..<count).filter { front.machine.state.jobs.keyLines.isEmpty(try key($0)) }
    }

    @Test("a turn goes on with some lists, in order, and the next one with those behind them")
    func inTurn() throws {
        var front = try Self.reset(130, budget: 1)
        // The first reset took what its own turn may do, so this one goes past 64 lists.
        #expect(try Self.cancelled(130, in: front) == [0])
        for expected in [[0], [0, 65], [0, 65, 129], [0, 64, 65, 129]] {
            front.settle()
            #expect(try Self.cancelled(130, in: front) == expected)
            #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic } == true && front.machine.neglected.work == nil)
        }
    }

    @Test("the next turn comes at once though all that this one went on with is done")
    func awaited() throws {
        // The resets themselves have taken 70, and the turn that they came in takes no more.
        var front = try Self.reset(200, budget: 70)
        for left in [130, 66, 2] {
            front.settle()
            #expect(front.machine.state.left.count == left)
            #expect(front.machine.nextDeadline.map { $0 <= front.now.monotonic } == true && front.machine.neglected.work == nil)
        }
        front.settle()
        #expect(front.machine.state.left.isEmpty)
    }

    @Test("each list that a turn goes on with is a step")
    func counted() throws {
        var turn = try Self.reset(100, budget: 1).machine.turn
        let before = turn.context.steps
        let work = turn.takeWork(paused: [:])
        #expect(work.count == 64)
        #expect(turn.context.steps - before >= 64)
    }

    @Test("what a turn takes does not depend on how many lists there are, and in the end all is done")
    func steps() throws {
        var most: [UInt64] = []
        for count in [200, 800] {
            var front = try Self.reset(count, budget: 20)
            var (steps, turns): ([UInt64], Int) = ([], 0)
            while !front.machine.state.left.isEmpty, turns < 2 * count {
                let before = front.machine.steps
                front.settle()
                steps.append(front.machine.steps - before)
                turns += 1
            }
            #expect(try Self.cancelled(count, in: front).count == count)
            // Of the last turns some have fewer lists than one may go on with.
            #expect(turns <= count / 20 + 8)
            most.append(try #require(steps.max()))
        }
        #expect(most[1] * 4 <= most[0] * 5, "\(most)")
    }

    @Test("a reset has still to cancel what its feed had then, and nothing that came later")
    func stillReset() throws {
        let left = try Self.reset(3, budget: 1).machine.state.left
        let (done, open) = (try Self.key(0), try Self.key(2))
        #expect(left.isReset(JobID(3), of: open) && !left.isReset(JobID(4), of: open) && !left.isReset(JobID(1), of: done))
    }
}
