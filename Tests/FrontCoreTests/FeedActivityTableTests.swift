//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontCore

@Suite("every state of a feed with everything that can happen to it")
struct FeedActivityTableTests {
    /// Where a feed stands before.
    enum Start: CaseIterable {
        case unknown, waiting, loading, stopping, loaded, failed, reloading
    }

    /// What happens then.
    enum Event: CaseIterable {
        case load, cancel, cancelOther, reset, turn, succeeded, failed, workerLost, damaged
    }

    /// What becomes of each start by each event, in the order of `Event`: its activity, `+` with a content, `!` with a failure, and the reply.
    static let table: [Start: [String]] = [
        .unknown: [
            "waiting: accepted", "gone: unknownItem", "gone: unknownItem", "idle: done", "gone", "gone", "gone", "gone", "gone",
        ],
        .waiting: [
            "waiting: joined", "idle: cancelling", "waiting: unknownItem", "idle: done", "loading", "waiting", "waiting", "waiting",
            "waiting",
        ],
        .loading: [
            "loading: joined", "idle: cancelling", "loading: unknownItem", "idle: done", "loading", "idle+", "idle!", "waiting", "loading",
        ],
        .stopping: [
            "waiting: accepted", "idle: cancelling", "idle: unknownItem", "idle: done", "idle", "idle", "idle", "idle", "idle",
        ],
        .loaded: [
            "waiting+: accepted", "idle+: unknownItem", "idle+: unknownItem", "idle: done", "idle+", "idle+", "idle+", "idle+", "idle!",
        ],
        .failed: [
            "waiting!: accepted", "idle!: unknownItem", "idle!: unknownItem", "idle: done", "idle!", "idle!", "idle!", "idle!", "idle!",
        ],
        .reloading: [
            "loading+: joined", "idle+: cancelling", "loading+: unknownItem", "idle: done", "loading+", "idle+", "idle+!", "waiting+",
            "loading!",
        ],
    ]

    /// A feed in that state, and the job that works or has worked for it.
    private func world(_ start: Start, _ key: FeedKey) throws -> (FeedWorld, job: JobID) {
        var world = FeedWorld()
        guard start != .unknown else { return (world, .none) }
        var job = try world.accept(.load(key))
        if start != .waiting { world.grant() }
        switch start {
        case .unknown, .waiting, .loading: break
        case .stopping: _ = world.front.ask(.cancelLoad(key, only: nil))
        case .loaded: world.finish(job.rawValue)
        case .failed: world.fail(job)
        case .reloading:
            world.finish(job.rawValue)
            job = try world.accept(.refresh(key))
            world.grant()
        }
        return (world, job)
    }

    private func meet(_ event: Event, _ world: inout FeedWorld, _ key: FeedKey, _ job: JobID) throws -> Reply? {
        switch event {
        case .load: return world.front.ask(.load(key))
        case .cancel: return world.front.ask(.cancelLoad(key, only: nil))
        case .cancelOther: return world.front.ask(.cancelLoad(key, only: world.front.submit(1, loader: "nobody")))
        case .reset: return world.front.ask(.reset(key, version: nil))
        case .turn: world.grant()
        case .succeeded: world.finish(job.rawValue)
        case .failed: world.fail(job)
        case .workerLost:
            world.front.pass(milliseconds: world.front.settings.leaseMilliseconds + world.front.settings.graceMilliseconds)
            world.front.settle()
        case .damaged:
            if let object = world.front.feed(key)?.content?.object.digest { world.front.handle(.objectDamaged(object)) }
        }
        return nil
    }

    private func text(_ feed: FeedState?, _ reply: Reply?) -> String {
        var stands = "gone"
        if let feed {
            stands =
                switch feed.activity {
                case .idle: "idle"
                case .waiting: "waiting"
                case .loading: "loading"
                }
            if feed.content != nil { stands += "+" }
            if feed.failure != nil { stands += "!" }
        }
        return switch reply {
        case nil: stands
        case .accepted(_, let joined): stands + (joined ? ": joined" : ": accepted")
        case .cancelling: stands + ": cancelling"
        case .done: stands + ": done"
        case .refused(let failure, _): "\(stands): \(failure.code.rawValue)"
        default: stands + ": other"
        }
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let (row, key) = (try #require(Self.table[start]), try FeedWorld.key("items?parameter=sample"))
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var (world, job) = try world(start, key)
            let reply = try meet(event, &world, key, job)
            #expect(text(world.front.feed(key), reply) == expected, "\(start) and \(event)")
            // Whatever happened, the feed can be loaded again to its end.
            world.worker = WorkerHarness(2)
            world.worker.register(with: &world.front, slots: 64)
            world.front.pass(milliseconds: 2 * world.front.settings.leaseMilliseconds + world.front.settings.graceMilliseconds)
            world.worker.take(world.worker.renew(&world.front))
            world.grant()
            if world.front.feed(key)?.activity.job == nil { _ = try world.accept(.load(key)) }
            world.rest()
            #expect(text(world.front.feed(key), nil) == "idle+", "\(start) and \(event), later")
        }
    }
}
