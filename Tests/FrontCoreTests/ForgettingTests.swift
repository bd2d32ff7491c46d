//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Forgotten feeds")
struct ForgettingTests {
    private func key(_ number: Int) throws -> FeedKey { try FeedWorld.key("items?parameter=p\(number)") }

    private func world(feeds: Int) -> FeedWorld { FeedWorld { $0.bounds.feeds = feeds } }

    @Test("the feed that was not used for longest gives way to a new one, and its observers see its items go")
    func longestIdle() throws {
        var world = world(feeds: 3)
        for number in 0..<3 {
            _ = world.front.ask(.feed(try key(number), .load))
            world.front.pass(milliseconds: 1)
        }
        world.rest()
        world.front.pass(milliseconds: 1)
        _ = world.front.ask(.feed(try key(0), .sort(view: "shared", order: nil, version: nil)))
        world.rest()
        world.front.pass(milliseconds: 1)
        let number = RequestNumber(world.front.nextRequest)
        world.front.nextRequest += 1
        let actions = world.front.send(.request(.init(number: number, lowestUnanswered: number, body: .feed(try key(9), .load))))
        #expect(world.front.feed(try key(1)) == nil)
        #expect(world.front.feed(try key(0)) != nil)
        #expect(world.front.feed(try key(9)) != nil)
        let forgotten = try key(1)
        let gone = actions.filter { action in
            guard case .changed(let topic, _) = action else { return false }
            return topic == .feed(forgotten) || topic == .view(forgotten, "shared")
        }
        #expect(gone.count == 2)
        guard case .feeds(let feeds, _)? = world.front.ask(.listFeeds(after: nil)) else { Issue.record("no page"); return }
        #expect(
            feeds.map(\.key.text) == [
                "items?parameter=p0", "items?parameter=p2", "items?parameter=p9", "items?parameter=sample", "lazy", "todos",
            ])
    }

    @Test("a view that an earlier epoch has left and that nobody uses is forgotten in its time")
    func leftView() throws {
        var world = FeedWorld { $0.bounds.viewAge = .seconds(4) }
        _ = world.front.ask(.feed(try key(0), .load))
        world.rest()
        _ = world.front.ask(.feed(try key(0), .select(view: "mine", itemID: nil, version: nil)))
        world.front = world.front.restarted()
        #expect(world.front.view(try key(0), "mine") != nil)
        world.front.pass(milliseconds: 4_000)
        world.front.settle()
        #expect(world.front.view(try key(0), "mine") == nil)
    }

    @Test("a view is kept until nobody has named it for its time")
    func namedAgain() throws {
        var world = FeedWorld { $0.bounds.viewAge = .seconds(4) }
        _ = world.front.ask(.feed(try key(0), .load))
        world.rest()
        let select = RequestBody.feed(try key(0), .select(view: "mine", itemID: nil, version: nil))
        _ = world.front.ask(select)
        world.front.pass(milliseconds: 3_000)
        _ = world.front.ask(select)
        for (milliseconds, isKept) in [(1_000, true), (2_999, true), (1, false)] as [(Int64, Bool)] {
            world.front.pass(milliseconds: milliseconds)
            world.front.settle()
            #expect((world.front.view(try key(0), "mine") != nil) == isKept, "\(milliseconds) ms")
        }
    }

    @Test("feeds that are attached to or worked for stay; when all are, the next one is refused")
    func busy() throws {
        var world = world(feeds: 2)
        _ = world.front.ask(.feed(try key(0), .attach(view: "shared")))
        _ = world.front.ask(.feed(try key(1), .load))
        guard case .refused(let failure, _)? = world.front.ask(.feed(try key(2), .load)) else { Issue.record("not refused"); return }
        #expect(failure.code == .busy)
        world.rest()
        // Its content is there, but the order of its view is still being made.
        _ = world.front.ask(.feed(try key(1), .filter(view: "shared", text: "x", version: nil)))
        guard case .refused? = world.front.ask(.feed(try key(2), .load)) else { Issue.record("not refused"); return }
        world.rest()
        #expect(world.front.busy == [.feeds: 2])
        _ = try world.accept(.feed(try key(2), .load))
        #expect(world.front.feed(try key(1)) == nil)
    }

    @Test("so many busy feeds are looked at for a request; one that is idle behind them gives way to the next request")
    func manyBusy() throws {
        var world = world(feeds: 65)
        for number in 0..<65 {
            _ = world.front.ask(.feed(try key(number), number < 64 ? .attach(view: "shared") : .load))
            world.front.pass(milliseconds: 1)
        }
        world.rest()
        for number in [70, 71] {
            let reply = world.front.ask(.feed(try key(number), .load))
            if case .refused(let failure, _)? = reply { #expect(failure.code == .busy && number == 70) } else { #expect(number == 71) }
        }
        let known = try (0..<72).filter { world.front.feed(try key($0)) != nil }
        #expect(known == Array(0..<64) + [71])
    }

    @Test("a feed was in use until the last attachment to it ended: one that has rested for longer gives way before it")
    func attachedUntilNow() throws {
        var world = world(feeds: 2)
        _ = world.front.ask(.feed(try key(0), .attach(view: "shared")))
        world.front.pass(milliseconds: 1)
        _ = world.front.ask(.feed(try key(1), .load))
        world.rest()
        world.front.pass(milliseconds: 1)
        _ = world.front.ask(.feed(try key(0), .detach(view: "shared")))
        world.front.pass(milliseconds: 1)
        _ = try world.accept(.feed(try key(2), .load))
        #expect(world.front.feed(try key(0)) != nil)
        #expect(world.front.feed(try key(1)) == nil)
    }

    @Test("a busy feed for which hundreds ask, at one instant or each at another, hides no idle one behind it", arguments: [0, 1])
    func manyUses(milliseconds: Int64) throws {
        var world = world(feeds: 2)
        _ = world.front.ask(.feed(try key(0), .attach(view: "shared")))
        for _ in 0..<300 {
            _ = world.front.ask(.feed(try key(0), .load))
            world.front.pass(milliseconds: milliseconds)
        }
        world.front.pass(milliseconds: 1)
        _ = world.front.ask(.feed(try key(1), .load))
        world.rest()
        world.front.pass(milliseconds: 1)
        _ = try world.accept(.feed(try key(2), .load))
        #expect(world.front.feed(try key(0)) != nil)
        #expect(world.front.feed(try key(1)) == nil)
    }

    @Test("what a forgotten feed named, of its content and of its views, may be collected")
    func objects() throws {
        var world = world(feeds: 1)
        _ = world.front.ask(.feed(try key(0), .sort(view: "shared", order: SortOrder(field: "price"), version: nil)))
        _ = world.front.ask(.feed(try key(0), .load))
        world.rest()
        let revision = try #require(world.front.view(try key(0))?.revision)
        let named = [revision.content.digest, try #require(revision.order?.digest)]
        #expect(world.front.machine.namedObjects.isSuperset(of: named))
        _ = try world.accept(.feed(try key(1), .load))
        #expect(world.front.machine.namedObjects.isDisjoint(with: named))
        #expect(world.front.restarted().machine.namedObjects.isDisjoint(with: named))
    }

    @Test("a forgotten feed does not come back as a ghost when its ended jobs are restored from a checkpoint")
    func ghost() throws {
        var world = world(feeds: 1)
        _ = world.front.ask(.feed(try key(0), .load))
        world.rest()
        _ = world.front.ask(.feed(try key(1), .load))
        world.rest()
        #expect(world.front.feed(try key(0)) == nil)
        var restored = FrontMachine(settings: world.front.settings, now: world.front.now)
        restored.restore(world.front.machine.state.baseEntries(), of: TurnNumber(9), isSlice: true)
        restored.restore(world.front.machine.state.slice(from: 1, chunkLimit: 100).entries, of: TurnNumber(9), isSlice: true)
        var actions: [FrontAction] = []
        restored.start(at: world.front.now, into: &actions)
        world.front.machine = restored
        #expect(world.front.feed(try key(0)) == nil)
        #expect(world.front.feed(try key(1))?.content != nil)
        let page = restored.feeds.feeds(after: nil, for: .none, in: &restored.turn)
        guard case .feeds(let feeds, _) = page else { Issue.record("no page"); return }
        #expect(feeds.filter { $0.content != nil }.map(\.key) == [try key(1)] && !feeds.contains { $0.key == (try? key(0)) })
    }

    @Test("an empty text is no value of a parameter that is required")
    func emptyParameter() throws {
        var world = FeedWorld { settings in
            settings.feeds[0].parameters = [.init(name: "parameter", defaultValue: nil, isRequired: true)]
        }
        guard case .refused(let failure, _)? = world.front.ask(.feed(try FeedWorld.key("items?parameter="), .load)) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == .invalidData)
        #expect(failure.text.contains("--param parameter=VALUE"))
    }
}
