//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Loading
import Testing

@testable import GantryClient

@Suite("every state of a remote feed with every event")
struct RemoteFeedMachineTableTests {
    /// How it stands to the feed before. What is followed is so for a load whose job has ended: it waits for the page with its content, and where
    /// both topics are verified that page is read.
    enum Start: CaseIterable {
        case apart, cancelled, neither, feed, view, both

        var state: RemoteFeedMachine<String>.State {
            switch self {
            case .apart: .apart
            case .cancelled: .cancelled
            case .neither: .following(.neither)
            case .feed: .following(.feed)
            case .view: .following(.view)
            case .both: .following(.both)
            }
        }
    }

    enum Event: CaseIterable {
        case calledLoad, calledAttach, workEnded, gracePeriodEnded, failed, withdrew, followingFailed, cancelled, reset
        case feedVerified, viewVerified, feedUnverified, viewUnverified, pageRead, turned
    }

    /// What becomes of each start by each event, in the order of `Event`: its state then, and what the driver is to do; `-`: neither changes.
    static let table: [Start: [String]] = [
        .apart: [
            "neither: follow, show loading", "neither: follow", "-", "-", "-", "-", "-", "cancelled", "-",
            "-", "-", "-", "-", "-", "-",
        ],
        .cancelled: ["-", "-", "-", "-", "-", "-", "-", "-", "apart", "-", "-", "-", "-", "-", "-"],
        .neither: [
            "-", "-", "neither: limit 1", "-", "neither: show too many feeds, finish 1", "apart: finish 1, show idle, leave",
            "apart: show no such feed, leave, finish 1", "cancelled: show idle, leave, finish 1", "apart: show idle, leave, finish 1",
            "feed", "view", "-", "-", "-", "-",
        ],
        .feed: [
            "-", "-", "feed: limit 1", "-", "feed: show too many feeds, finish 1", "apart: finish 1, show idle, leave",
            "apart: show no such feed, leave, finish 1", "cancelled: show idle, leave, finish 1", "apart: show idle, leave, finish 1",
            "-", "both: read 1 from 0", "neither", "-", "-", "-",
        ],
        .view: [
            "-", "-", "view: limit 1", "-", "view: show too many feeds, finish 1", "apart: finish 1, show idle, leave",
            "apart: show no such feed, leave, finish 1", "cancelled: show idle, leave, finish 1", "apart: show idle, leave, finish 1",
            "both: read 1 from 0", "-", "-", "neither", "-", "-",
        ],
        .both: [
            "-", "-", "both: limit 1", "-", "both: show too many feeds, finish 1", "apart: finish 1, show idle, leave",
            "apart: show no such feed, leave, finish 1", "cancelled: show idle, leave, finish 1", "apart: show idle, leave, finish 1",
            "-", "-", "view", "feed", "both: show loaded(one), finish 1", "both: read 1 from 2",
        ],
    ]

    private static func world(_ start: Start) -> FeedWorld {
        var world = FeedWorld()
        world.setContent(1)
        switch start {
        case .apart: return world
        case .cancelled: world.act { $0.cancelled(into: &$1) }
        case .neither, .feed, .view, .both:
            let call = world.call(.load)
            world.end(call, 1)
        }
        if start == .feed || start == .both { world.sendFeed() }
        if start == .view || start == .both { world.sendView() }
        _ = world.takeWords()
        return world
    }

    private static func meet(_ event: Event, _ world: inout FeedWorld) {
        switch event {
        case .calledLoad: _ = world.call(.load)
        case .calledAttach: _ = world.call(.attach)
        case .workEnded: world.end(1, 1)
        case .gracePeriodEnded: world.act { $0.gracePeriodEnded(1, into: &$1) }
        case .failed: world.act { $0.failed(1, HashableError(ClientError(.busy, "too many feeds")), into: &$1) }
        case .withdrew: world.act { $0.withdrew(1, into: &$1) }
        case .followingFailed:
            let error = HashableError(ClientError(ClientErrorCode(.unknownFeed), "no such feed"))
            world.act { $0.followingFailed(error, into: &$1) }
        case .cancelled: world.act { $0.cancelled(into: &$1) }
        case .reset: world.act { $0.reset(into: &$1) }
        case .feedVerified: world.sendFeed()
        case .viewVerified: world.sendView()
        case .feedUnverified: world.act { $0.topicUnverified(isView: false, into: &$1) }
        case .viewUnverified: world.act { $0.topicUnverified(isView: true, into: &$1) }
        case .pageRead: world.readPage("one", for: Self.world(.both))
        case .turned: world.act { $0.turned(to: 2, into: &$1) }
        }
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try Event.allCases.map { event in
            var world = Self.world(start)
            #expect(world.machine.state == start.state, "\(start)")
            Self.meet(event, &world)
            let state = world.machine.state
            let verified = world.actions.filter { if case .verify = $0 { true } else { false } }
            let isVerified = state == .following(.both)
            let changes: [RemoteFeedAction<String>] = isVerified == (start == .both) ? [] : [.verify(isVerified)]
            #expect(verified == changes, "\(start) and \(event)")
            #expect(world.machine.isVerified == isVerified && world.machine.isCanceled == (state == .cancelled))
            let words = world.takeWords()
            let next = try #require(Start.allCases.first { $0.state == state })
            if next == start, words.isEmpty { return "-" }
            return words.isEmpty ? "\(next)" : "\(next): \(words.joined(separator: ", "))"
        }
        #expect(row == Self.table[start], "\(start)")
    }
}
