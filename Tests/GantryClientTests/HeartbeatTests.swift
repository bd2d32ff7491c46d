//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import GantryClient

/// What a client knows of its front by the answers to its heartbeats.
@Suite("Heartbeats of a session")
struct HeartbeatTests {
    /// What was told of the front, in order.
    private func reported(_ world: inout SessionWorld) -> [FrontAvailability] {
        world.takeNotices().compactMap { if case .availability(let availability) = $0 { availability } else { nil } }
    }

    private func answer(isFull: Bool = false, undurable: Duration = .zero) -> FrontMessage {
        .heartbeat(.init(lowestUnanswered: RequestNumber(1), isStorageFull: isFull, undurable: undurable))
    }

    @Test("three heartbeats without an answer lose the front: it is told once, and hello goes over a new socket")
    func lost() {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        _ = world.run(10_000)
        world.answersHeartbeats = false
        _ = world.run(2_900)
        #expect(reported(&world) == [])
        let sent = world.run(1_100)
        #expect(reported(&world) == [.lost])
        #expect(world.actions.filter { $0 == .reconnect }.count == 1)
        #expect(sent.last == world.hello(resumed: world.session))
        _ = world.run(60_000)
        #expect(reported(&world) == [])
    }

    @Test("a front that answers each heartbeat is never lost, however little there is to say")
    func quiet() {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        let sent = world.run(60_000)
        #expect(sent.count == 60)
        #expect(reported(&world) == [])
        #expect(world.machine.isOpen)
    }

    @Test("a client that stood still itself loses nothing when it goes on")
    func stopped() {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        _ = world.run(3_000)
        _ = world.turn(after: 3_600_000)
        _ = world.run(3_000)
        #expect(reported(&world) == [])
    }

    @Test(
        "a client that stood still for longer than the front waits says again what it is attached to, and only then",
        arguments: [1_500, 3_600, 600_000])
    func paused(milliseconds: Int64) throws {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        let key = try #require(FeedKey(text: "things"))
        world.request(.feed(key, .attach(view: "shared")), 1)
        _ = world.run(3_000)
        world.receive(.reply(number: RequestNumber(1), .done(version: 1), feed: nil))
        _ = world.run(3_000)
        let sent = world.turn(after: milliseconds) + world.run(3_000)
        let attached = sent.filter {
            if case .request(let request) = $0 { request.body == .feed(key, .attach(view: "shared")) } else { false }
        }
        #expect(attached.isEmpty == (milliseconds < 2_000), "\(sent)")
    }

    @Test("a welcome brings the front back, after what was opened")
    func back() {
        var world = SessionWorld.opened()
        _ = world.run(5_000)
        world.actions = []
        world.receive(.welcome(.open(session: world.session, isResumed: true)))
        #expect(reported(&world) == [.lost, .answering])
        let opened = world.actions.firstIndex { if case .opened = $0 { true } else { false } }
        let back = world.actions.firstIndex(of: .availability(.answering))
        #expect((opened ?? .max) < (back ?? .min))
    }

    @Test("a disk that is full for over three seconds is told, and that it has room again")
    func fullDisk() {
        var world = SessionWorld.opened()
        for _ in 0..<4 {
            _ = world.turn(after: 1_000)
            world.receive(answer(isFull: true))
        }
        #expect(reported(&world) == [])
        _ = world.turn(after: 1_000)
        world.receive(answer(isFull: true))
        #expect(reported(&world) == [.waitingForDisk])
        _ = world.turn(after: 1_000)
        world.receive(answer())
        #expect(reported(&world) == [.answering])
    }

    @Test("a decision that waits for the disk for over three seconds is told, a shorter wait is not")
    func slowDisk() {
        var world = SessionWorld.opened()
        world.receive(answer(undurable: .milliseconds(3_000)))
        #expect(reported(&world) == [])
        world.receive(answer(undurable: .milliseconds(3_001)))
        #expect(reported(&world) == [.waitingForDisk])
        #expect(FrontAvailability.waitingForDisk.line.hasPrefix("the front waits for its disk"))
    }

    @Test("a session of another connection is resumed first, then repeats")
    func resumeFirst() {
        var world = SessionWorld.opened()
        world.request(.feed(.named("products"), .load), 1)
        let sent = world.turn()
        world.receive(.heartbeat(.init(lowestUnanswered: RequestNumber(1))))
        world.receive(.resumeFirst)
        #expect(world.turn() == [world.hello(resumed: world.session)])
        world.receive(.welcome(.open(session: world.session, isResumed: true)))
        #expect(world.turn().first == sent.first)
    }

    @Test("a front that welcomes and sends away again and again is asked at growing pauses")
    func sentAway() {
        var world = SessionWorld.opened()
        _ = world.turn(after: 10)
        var hellos = 0
        let end = world.now.advanced(by: .milliseconds(10_000))
        while world.now < end {
            world.receive(.resumeFirst)
            for case .hello in world.turn(after: 1) {
                hellos += 1
                world.receive(.welcome(.open(session: world.session, isResumed: true)))
            }
        }
        #expect((2...8).contains(hellos))
    }
}
