//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import FrontCore

@Suite("Steps of walks over feeds, views, workers and loaders")
struct WalkStepTests {
    private static let items = FeedKey.named("items?parameter=sample")

    /// A feed with so many views beside the shared one, whose load runs.
    private func loading(views count: Int) throws -> (world: FeedWorld, load: JobID) {
        var world = FeedWorld()
        for view in 0..<count { _ = world.front.ask(.feed(Self.items, .select(view: "v\(view)", itemID: nil, version: nil))) }
        let load = try world.accept(.feed(Self.items, .load))
        world.grant()
        return (world, load)
    }

    @Test("of each view of a feed that has another content a row is made, and its detail is looked at")
    func views() throws {
        func loaded(views count: Int) throws -> UInt64 {
            var (world, load) = try loading(views: count)
            let held = try #require(world.worker.held.first)
            var ended = WorkerMessage.Ended(report: 1)
            (ended.jobs, ended.leases, ended.outcomes, ended.results) = ([load.rawValue], [held.lease], [.succeeded], [[]])
            ended.feedResults = [Indexed(index: 0, value: world.result(of: try #require(held.work)))]
            var (front, worker) = (world.front, world.worker)
            return front.steps { _ = worker.send(.ended(ended), to: &$0) }
        }
        #expect(try loaded(views: 60) >= loaded(views: 10) + UInt64(50 * (TurnContext.rowSteps + 1)))
    }

    @Test("each view of a feed whose content is damaged is one, and a damaged object that no feed names is one, too")
    func damaged() throws {
        func damaged(views count: Int) throws -> UInt64 {
            var (world, load) = try loading(views: count)
            world.finish(load.rawValue)
            world.rest()
            let content = try #require(world.front.feed(Self.items)?.content?.object.digest)
            return world.front.steps { $0.handle(.objectDamaged(content)) }
        }
        #expect(try damaged(views: 60) >= damaged(views: 10) + 50)
        var front = FrontHarness()
        #expect(front.steps { $0.handle(.objectDamaged(ObjectDigest(words: (1, 2, 3, 4)))) } >= 1)
    }

    @Test("each feed of a page is a row")
    func page() {
        func listed(feeds count: Int) -> UInt64 {
            var front = FrontHarness()
            front.open()
            for number in 0..<count { _ = front.ask(.feed(.named("items?parameter=\(number)"), .load)) }
            return front.steps { _ = $0.ask(.listFeeds()) }
        }
        #expect(listed(feeds: 40) >= listed(feeds: 10) + UInt64(30 * TurnContext.rowSteps))
    }

    /// A front whose worker runs one load, with so many feeds more that wait for another one.
    private func waiting(feeds count: Int) -> (FrontHarness, WorkerHarness) {
        var (front, worker) = FrontHarness.serving(slots: 1)
        for number in 0...count { _ = front.ask(.feed(.named("items?parameter=\(number)"), .load)) }
        worker.take(front.settle())
        front.settle()
        return (front, worker)
    }

    @Test("each feed that waits is one where all may do so for another reason, or those of a loader, and one more when it is looked at")
    func waits() {
        func full(feeds count: Int) -> UInt64 {
            var (front, _) = waiting(feeds: count)
            front.handle(.storageFull(true))
            return front.steps { $0.settle() }
        }
        #expect(full(feeds: 200) >= full(feeds: 100) + 200)
        func closed(feeds count: Int) -> UInt64 {
            var (front, worker) = waiting(feeds: count)
            _ = worker.send(.close(), to: &front)
            return front.steps { $0.settle() }
        }
        #expect(closed(feeds: 200) >= closed(feeds: 100) + 200)
    }

    @Test("a loader that nobody knows is looked for at each worker, and each known one is compared with it")
    func unknownLoader() {
        func refused(workers count: Int) -> UInt64 {
            var front = FrontHarness { $0.refusesUnknownLoaders = true }
            for number in 1...count {
                var worker = WorkerHarness(UInt64(number))
                worker.register(with: &front)
            }
            front.open()
            return front.steps { _ = $0.askSubmit(1, loader: "x") }
        }
        #expect(refused(workers: 40) >= refused(workers: 10) + 30)
        func refused(known count: Int) -> UInt64 {
            var front = FrontHarness {
                $0.refusesUnknownLoaders = true
                $0.flow.loaders = Set((0..<count).map { "loader-\($0)" })
            }
            front.open()
            return front.steps { _ = $0.askSubmit(1, loader: "x") }
        }
        #expect(refused(known: 400) >= refused(known: 100) + 300)
    }

    @Test("a message that is not known is answered by a row, and each one of a frame that has to wait is one")
    func messages() {
        var front = FrontHarness()
        front.open()
        #expect(front.steps { _ = $0.send(.unknown) } >= UInt64(1 + TurnContext.rowSteps))
        let envelope = ClientEnvelope(
            session: front.session, messages: Array(repeating: .heartbeat(lowestUnanswered: RequestNumber(1)), count: 500))
        let client = front.client
        #expect(front.steps { $0.handle(.clientWaits(client, envelope)) } >= 500)
    }
}
