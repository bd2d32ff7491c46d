//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import GantryClient

/// What a client asks again, when and how much of it at once.
@Suite("Repeats of a session")
struct RepeatTests {
    let feed = FeedKey.named("products")

    /// A session with so many open requests of one kind, none of them answered.
    private func world(open count: Int, _ body: RequestBody, seed: UInt64 = 1) -> SessionWorld {
        var world = SessionWorld.opened { $0.seed = seed }
        world.answersHeartbeats = true
        for callID in 1...count { world.request(body, UInt64(callID)) }
        _ = world.turn()
        return world
    }

    /// The numbers that a turn repeats.
    private func repeated(_ messages: [ClientMessage]) -> [UInt64] { messages.compactMap(\.number) }

    @Test("two clients repeat at different times")
    func jitter() {
        func firstRepeats(_ seed: UInt64) -> [MonotonicTime] {
            var world = world(open: 8, .feed(feed, .load), seed: seed)
            var times: [MonotonicTime] = []
            while times.count < 8 {
                world.now = world.machine.nextDeadline()
                for _ in repeated(world.turn()) { times.append(world.now) }
            }
            return times
        }
        let (one, two) = (firstRepeats(1), firstRepeats(2))
        #expect(Set(one).count > 4)
        #expect(one != two)
        #expect(one == firstRepeats(1))
    }

    @Test("a front that answers nothing is asked again for 64 requests at once and for 16 more a second")
    func budget() {
        var world = world(open: 1_000, .feed(feed, .load))
        var count = 0
        let end = world.now.advanced(by: .milliseconds(1_900))
        while world.now < end {
            count += repeated(world.turn(after: 10)).count
        }
        #expect(count == RepeatBudget.first + RepeatBudget.refill)
    }

    @Test("a front that answers is asked again for the whole window in a few rounds")
    func growingBudget() {
        var world = world(open: 1_000, .feed(feed, .load))
        world.reconnect()
        var rounds = 0
        var answered: Set<UInt64> = []
        while answered.count < 1_000, rounds < 20 {
            rounds += 1
            for number in repeated(world.turn()) {
                answered.insert(number)
                world.receive(.reply(number: RequestNumber(number), .done(version: 0)))
            }
        }
        #expect(rounds <= 5)
    }

    @Test("nothing is repeated over a new connection before the front has welcomed it")
    func notBeforeWelcome() {
        var world = world(open: 5, .feed(feed, .load))
        world.answersHeartbeats = false
        let sent = world.run(30_000)
        let lost = sent.firstIndex { if case .hello = $0 { true } else { false } }
        #expect(lost != nil)
        #expect(repeated(Array(sent[(lost ?? 0)...])) == [])
        world.receive(.welcome(.open(session: world.session, isResumed: true)))
        #expect(repeated(world.turn()) == [1, 2, 3, 4, 5])
    }

    @Test("after a reconnect what changes something is repeated first, and of what only reads eight are under way again at once")
    func readingAfterReconnect() {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        for callID in 1...60 { world.request(.job(.list(JobQuery())), UInt64(callID)) }
        world.request(.feed(feed, .load), 61)
        _ = world.turn()
        world.reconnect()
        #expect(repeated(world.turn()) == [61] + Array(1...8))
        // The front works on them: nothing is asked a third time while the others wait.
        #expect(repeated(world.turn(after: 3_000)).filter { $0 != 61 } == [])
        world.receive(.reply(number: RequestNumber(3), .jobs([], next: nil)))
        #expect(repeated(world.turn()) == [9])
    }

    @Test("what is held back is repeated as soon as another one is answered, however late")
    func heldBack() {
        var world = world(open: 10, .job(.list(JobQuery())))
        world.reconnect()
        var seen = repeated(world.turn())
        for number in UInt64(1)...10 {
            world.receive(.reply(number: RequestNumber(number), .jobs([], next: nil)))
            seen += repeated(world.turn())
        }
        #expect(seen.sorted() == Array(1...10))
        #expect(world.machine.inFlight.isEmpty)
    }

    @Test("repeats of large batches take no more than a frame's worth of each turn")
    func repeatedBytes() {
        var world = SessionWorld.opened()
        let batch = JobBatch(loader: "noop", PackedBytes(repeating: Array(repeating: 1, count: 60_000), count: 4))
        for callID in 1...20 {
            var other = batch
            other.options = JobOptionsColumn(JobOptions(priority: UInt8(callID % 10)))
            world.submit(other, UInt64(callID))
        }
        while !world.turn().isEmpty {}
        world.reconnect()
        #expect(repeated(world.turn()).count == 5)
    }
}

extension SessionWorld {
    /// The connection is lost and taken up again: nothing is repeated before the welcome.
    mutating func reconnect() {
        machine.greetAgain(at: now)
        _ = turn()
        receive(.welcome(.open(session: session, isResumed: true)))
    }
}
