//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("every state of a feed with everything that can happen to it")
struct FeedActivityTableTests {
    /// Where a feed stands before. `attached`: it loads because somebody is attached. `merging`: what was fetched is joined into a user's list.
    enum Start: CaseIterable {
        case unknown, waiting, loading, stopping, loaded, failed, reloading, attached, merging
    }

    /// What happens then. `…Other`: it is about another job. `left`: nobody has been attached for a while. `otherFeed`: another feed is asked for,
    /// and there is room for one. `stopped`: the worker says that it has stopped the job; where nobody has asked for that, the job waits again,
    /// and the worker gets it with its next renewal at the earliest.
    enum Event: CaseIterable {
        case load, refresh, retry, cancel, cancelOther, cancelJob, reset, save, attach, detach, left, turn, succeeded, failed, stopped
        case workerLost, damaged, otherFeed, restarted
    }

    /// What becomes of each start by each event, in the order of `Event`: its activity, `+` with a content, `!` with a failure, the reply, and
    /// what came late (`FrontIgnoredReason`).
    static let table: [Start: [String]] = [
        .unknown: [
            "waiting: accepted", "waiting: accepted", "idle: unknownItem", "gone: unknownItem", "gone: unknownItem", "gone: unknownItem",
            "idle: done", "idle: invalidData", "idle: done", "gone: done, viewNotAttached", "gone, viewNotAttached", "gone", "gone", "gone",
            "gone", "gone", "gone", "gone: accepted", "gone",
        ],
        .waiting: [
            "waiting: joined", "waiting: joined", "waiting: unknownItem", "idle: cancelling", "waiting: unknownItem", "idle: cancelling",
            "idle: done, loadNotAwaited", "waiting: invalidData", "waiting: done", "waiting: done, viewNotAttached",
            "loading, viewNotAttached", "loading", "waiting", "waiting", "waiting", "waiting", "waiting", "waiting: busy", "waiting",
        ],
        .loading: [
            "loading: joined", "loading: joined", "loading: unknownItem", "idle: cancelling", "loading: unknownItem", "idle: cancelling",
            "idle: done, loadNotAwaited", "loading: invalidData", "loading: done", "loading: done, viewNotAttached",
            "loading, viewNotAttached", "loading", "idle+", "idle!", "waiting", "waiting", "loading", "loading: busy", "loading",
        ],
        .stopping: [
            "waiting: accepted", "waiting: accepted", "idle: unknownItem", "idle: cancelling", "idle: unknownItem", "idle: cancelling",
            "idle: done", "idle: invalidData", "idle: done", "idle: done, viewNotAttached", "idle, viewNotAttached", "idle",
            "idle, loadNotAwaited", "idle, loadNotAwaited", "idle, loadNotAwaited", "idle, loadNotAwaited", "idle", "idle: busy", "idle",
        ],
        .loaded: [
            "waiting+: accepted", "waiting+: accepted", "idle+: unknownItem", "idle+: unknownItem", "idle+: unknownItem", "idle+: ended",
            "idle: done", "idle+: invalidData", "idle+: done", "idle+: done, viewNotAttached", "idle+, viewNotAttached", "idle+", "idle+",
            "idle+", "idle+", "idle+", "idle!", "gone: accepted", "idle+",
        ],
        .failed: [
            "waiting!: accepted", "waiting!: accepted", "waiting!: accepted", "idle!: unknownItem", "idle!: unknownItem", "idle!: ended",
            "idle: done", "idle!: invalidData", "idle!: done", "idle!: done, viewNotAttached", "idle!, viewNotAttached", "idle!", "idle!",
            "idle!", "idle!", "idle!", "idle!", "gone: accepted", "idle!",
        ],
        .reloading: [
            "loading+: joined", "loading+: joined", "loading+: unknownItem", "idle+: cancelling", "loading+: unknownItem",
            "idle+: cancelling", "idle: done, loadNotAwaited", "loading+: invalidData", "loading+: done", "loading+: done, viewNotAttached",
            "loading+, viewNotAttached", "loading+", "idle+", "idle+!", "waiting+", "waiting+", "loading!", "loading+: busy", "loading+",
        ],
        .attached: [
            "loading: joined", "loading: joined", "loading: unknownItem", "idle: cancelling", "loading: unknownItem", "idle: cancelling",
            "idle: done, loadNotAwaited", "loading: invalidData", "loading: done", "loading: done", "idle", "loading", "idle+", "idle!",
            "waiting", "waiting", "loading", "loading: busy", "loading",
        ],
        .merging: [
            "loading: joined", "loading: joined", "loading: unknownItem", "idle: cancelling", "loading: unknownItem", "idle: cancelling",
            "idle: done, loadNotAwaited", "loading: accepted", "loading: done", "loading: done, viewNotAttached",
            "loading, viewNotAttached", "loading", "idle+", "idle!", "waiting", "waiting", "loading", "loading: busy", "loading",
        ],
    ]

    private func key(_ start: Start) -> FeedKey {
        switch start {
        case .unknown, .waiting, .loading, .stopping, .loaded, .failed, .reloading: .named("items?parameter=sample")
        case .attached: .named("lazy")
        case .merging: .named("todos")
        }
    }

    /// A feed in that state, and the job that works or has worked for it.
    private func world(_ start: Start, _ key: FeedKey) throws -> (FeedWorld, job: JobID) {
        var world = FeedWorld { $0.bounds.feeds = 1 }
        guard start != .unknown else { return (world, .none) }
        var job = try world.accept(start == .attached ? .feed(key, .attach(view: ViewName.shared)) : .feed(key, .load))
        if start != .waiting { world.grant() }
        switch start {
        case .unknown, .waiting, .loading, .attached: break
        case .stopping: _ = world.front.ask(.feed(key, .cancelLoad(only: nil)))
        case .loaded: world.finish(job.rawValue)
        case .failed: world.fail(job)
        case .reloading:
            world.finish(job.rawValue)
            job = try world.accept(.feed(key, .refresh))
            world.grant()
        case .merging:
            world.finish(job.rawValue)
            world.grant()
            job = try #require(world.front.feed(key)?.activity.job)
        }
        return (world, job)
    }

    private func meet(_ event: Event, _ world: inout FeedWorld, _ key: FeedKey, _ job: JobID) throws -> Reply? {
        switch event {
        case .load: return world.front.ask(.feed(key, .load))
        case .refresh: return world.front.ask(.feed(key, .refresh))
        case .retry: return world.front.ask(.feed(key, .retry(view: ViewName.shared, failure: FailureID(job.rawValue))))
        case .cancel: return world.front.ask(.feed(key, .cancelLoad(only: nil)))
        case .cancelOther: return world.front.ask(.feed(key, .cancelLoad(only: world.front.submit(1, loader: "nobody"))))
        case .cancelJob: return world.front.ask(.job(.cancel(job)))
        case .reset: return world.front.ask(.feed(key, .reset(version: nil)))
        case .save: return world.front.ask(.feed(key, .create(item: [123, 125])))
        case .attach: return world.front.ask(.feed(key, .attach(view: ViewName.shared)))
        case .detach: return world.front.ask(.feed(key, .detach(view: ViewName.shared)))
        case .left:
            _ = world.front.ask(.feed(key, .detach(view: ViewName.shared)))
            world.front.pass(milliseconds: world.front.settings.linger.wholeMilliseconds)
            world.front.settle()
        case .turn: world.grant()
        case .succeeded: world.finish(job.rawValue)
        case .failed: world.fail(job)
        case .stopped: world.worker.take(world.worker.end(job.rawValue, .cancelled, in: &world.front))
        case .workerLost:
            world.front.pass(milliseconds: (world.front.settings.lease + world.front.settings.grace).wholeMilliseconds)
            world.front.settle()
        case .damaged:
            if let object = world.front.feed(key)?.content?.object.digest { world.front.handle(.objectDamaged(object)) }
        case .otherFeed: return world.front.ask(.feed(.named("items?parameter=other"), .load))
        case .restarted: world.front = world.front.restarted()
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
        case .alreadyEnded: stands + ": ended"
        case .done: stands + ": done"
        case .refused(let failure, _): "\(stands): \(failure.code.rawValue)"
        default: stands + ": other"
        }
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let (row, key) = (try #require(Self.table[start]), key(start))
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var (world, job) = try world(start, key)
            let before = event == .restarted ? [:] : world.front.late
            let reply = try meet(event, &world, key, job)
            let late = world.front.late.filter { $0.value != before[$0.key] }.keys.map { ", \($0)" }.sorted().joined()
            #expect(text(world.front.feed(key), reply) + late == expected, "\(start) and \(event)")
            // Whatever happened, the feed can be loaded again to its end.
            world.worker = WorkerHarness(2)
            world.worker.register(with: &world.front, slots: 64)
            world.front.pass(milliseconds: (world.front.settings.lease * 2 + world.front.settings.grace).wholeMilliseconds)
            world.worker.take(world.worker.renew(&world.front))
            world.grant()
            if event == .otherFeed { world.rest() }
            if world.front.feed(key)?.activity.job == nil { _ = try world.accept(.feed(key, .load)) }
            world.rest()
            #expect(text(world.front.feed(key), nil) == "idle+", "\(start) and \(event), later")
        }
    }
}
