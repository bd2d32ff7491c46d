//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("Reasons of feeds that wait")
struct WaitReasonTests {
    /// A front with so many feeds that wait for a load; nobody offers the loader.
    private func front(waiting count: Int) throws -> FrontHarness {
        var front = FrontHarness()
        front.open()
        for number in 0..<count { _ = front.ask(.feed(try Self.key(number), .load)) }
        #expect(front.machine.feeds.waiting.count == count)
        while front.machine.feeds.waiting.hasDue { front.settle() }
        return front
    }

    private static func key(_ number: Int) throws -> FeedKey { try FeedWorld.key("items?parameter=\(number)") }

    private func reason(_ key: FeedKey, _ front: FrontHarness) -> WaitReason? {
        if case .waiting(_, let reason)? = front.feed(key)?.activity { reason } else { nil }
    }

    @Test("a submit and what a worker does with it cost the same however many feeds wait")
    func cost() async throws {
        try await onOwnThread {
            func steps(_ count: Int) throws -> UInt64 {
                var front = try front(waiting: count)
                var worker = WorkerHarness(1)
                // It offers the feeds' loader too, and has no slot for it.
                worker.register(with: &front, slots: 1)
                _ = front.submit(1, loader: "slow", priority: 9)
                worker.take(front.settle())
                while front.machine.feeds.waiting.hasDue { front.settle() }
                let before = front.machine.steps
                _ = front.submit(1)
                worker.take(front.settle())
                _ = worker.renew(&front)
                front.settle()
                return front.machine.steps - before
            }
            let (one, two) = (try steps(2_000), try steps(4_000))
            #expect(two < 100 && two <= one + 8, "\(one) and \(two) steps")
        }
    }

    @Test("when a worker comes, goes, or the disk is full, each feed that waits says so, some of them in each turn")
    func changes() throws {
        let count = 600
        var front = try front(waiting: count)
        let keys = try (0..<count).map(Self.key)
        #expect(keys.allSatisfy { reason($0, front) == .noWorker(loader: "http") })
        func turns(until expected: WaitReason, _ front: inout FrontHarness) -> [Int] {
            var reported: [Int] = []
            repeat {
                let actions = front.settle()
                reported.append(actions.count { if case .changed(.feed, "feed") = $0 { true } else { false } })
                #expect(front.machine.feeds.waiting.hasDue == (front.machine.nextDeadline.map { $0 <= front.now.monotonic } ?? false))
            } while front.machine.feeds.waiting.hasDue
            #expect(keys.filter { reason($0, front) == expected }.count == front.machine.feeds.waiting.count)
            #expect(front.machine.neglected.wait == nil)
            return reported
        }
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 1)
        let reported = turns(until: .slotsTaken, &front)
        // One of them runs.
        #expect(reported.count == 3 && reported.reduce(0, +) == count && reported.allSatisfy { $0 <= 257 }, "\(reported)")
        front.handle(.storageFull(true))
        #expect(turns(until: .storageFull, &front).count == 3)
        front.handle(.storageFull(false))
        #expect(turns(until: .slotsTaken, &front).count == 3)
        _ = worker.send(.close(), to: &front)
        #expect(turns(until: .noWorker(loader: "http"), &front).count == 3)
        #expect(front.machine.feeds.waiting.count == count)
    }

    @Test("after a restart a feed says why it waits now, whatever it waited for in the life before")
    func restarted() throws {
        var front = try front(waiting: 3)
        let keys = try (0..<3).map(Self.key)
        front.handle(.storageFull(true))
        front.settle()
        #expect(keys.allSatisfy { reason($0, front) == .storageFull })
        var next = front.restarted()
        #expect(next.machine.neglected.wait == nil)
        next.settle()
        #expect(keys.allSatisfy { reason($0, next) == .noWorker(loader: "http") })
    }

    @Test("a feed that waits behind another job of its key says which, that it is to stop, and when it has gone")
    func keys() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        let create = try world.accept(.feed(key, .create(item: Array("{}".utf8))))
        let load = try world.accept(.feed(key, .load))
        world.grant()
        world.finish(load.rawValue)
        world.grant()
        #expect(reason(key, world.front) == .keyTaken(by: create))
        _ = world.front.ask(.job(.cancel(create)))
        world.grant()
        #expect(reason(key, world.front) == .cancelledRunStopping(create))
        world.worker.take(world.worker.end(create.rawValue, .cancelled, in: &world.front))
        world.grant()
        #expect(reason(key, world.front) == nil)
        #expect(world.front.machine.neglected.wait == nil)
    }

    /// What observers of a job see of its wait, told by these actions; nil: nothing.
    private func reported(_ job: JobID, _ actions: [FrontAction], _ front: FrontHarness) -> WaitReason? {
        actions.contains(.changed(.job(job), key: "job")) ? front.job(job)?.waitReason : nil
    }

    @Test("who observes a job that waits is told when its reason becomes another: a worker, the disk, the job before it")
    func observedJobs() throws {
        var world = FeedWorld()
        let plain = world.front.submit(1, loader: "other")
        let key = try FeedWorld.key("todos")
        let edits = try (0..<3).map { try world.accept(.feed(key, .create(item: Array("\($0)".utf8)))) }
        world.grant()
        for job in [plain, edits[2]] { world.front.handle(.topicObserved(.job(job), true)) }
        #expect(world.front.job(edits[2])?.waitReason == .keyTaken(by: edits[0]))
        let work = try #require(world.worker.held.first { $0.job == edits[0].rawValue }?.work)
        let made = world.result(of: work)
        var actions = world.worker.end(edits[0].rawValue, feed: made, in: &world.front)
        world.worker.take(actions + world.front.settle())
        #expect(reported(edits[2], actions, world.front) == .keyTaken(by: edits[1]))
        world.front.handle(.storageFull(true))
        actions = world.front.settle()
        #expect(reported(plain, actions, world.front) == .storageFull)
        world.front.handle(.storageFull(false))
        actions = world.front.settle()
        #expect(reported(plain, actions, world.front) == .noWorker(loader: "other"))
        var other = WorkerHarness(2)
        other.register(with: &world.front, slots: 1, loaders: [LoaderDeclaration(name: "other")])
        world.front.handle(.topicObserved(.job(plain), false))
        #expect(reported(plain, world.front.settle(), world.front) == nil)
    }

    @Test("observed jobs are found by their feed until nobody observes them, also those that were observed before they were known as its")
    func ofFeeds() throws {
        let (one, two) = (try FeedWorld.key("todos"), try Self.key(1))
        var observed = ObservedJobs()
        for (job, key) in [(7, one), (3, one), (5, nil), (5, two)] as [(UInt64, FeedKey?)] { observed.insert(job, of: key) }
        #expect(observed.all == [3, 5, 7] && observed.all(of: one) == [3, 7] && observed.all(of: two) == [5])
        observed.remove(3)
        #expect(observed.all == [5, 7] && observed.all(of: one) == [7])
        observed.insert(7, of: two)
        #expect(observed.all(of: one).isEmpty && observed.all(of: two) == [5, 7])
        for job in [5, 7] as [UInt64] { observed.remove(job) }
        #expect(observed.isEmpty && observed.all(of: two).isEmpty)
    }

    @Test("who observes a job that waits behind another one is told when that one is cancelled and has not stopped")
    func observedBehindCancelled() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        let edits = try (0..<2).map { try world.accept(.feed(key, .create(item: Array("\($0)".utf8)))) }
        world.grant()
        world.front.handle(.topicObserved(.job(edits[1]), true))
        _ = world.front.settle()
        _ = world.front.ask(.job(.cancel(edits[0])))
        #expect(world.front.decided.contains("changed job/\(edits[1]) job"))
        #expect(world.front.job(edits[1])?.waitReason == .cancelledRunStopping(edits[0]))
    }
}
