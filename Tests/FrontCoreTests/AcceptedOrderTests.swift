//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("An accepted order stays")
struct AcceptedOrderTests {
    private let price = SortOrder(field: "price")
    private let title = SortOrder(field: "title")

    private func items() throws -> FeedKey { try FeedWorld.key("items?parameter=sample") }

    /// A feed that is loaded and at rest.
    private func loaded() throws -> (FeedWorld, FeedKey) {
        var world = FeedWorld()
        let key = try items()
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        return (world, key)
    }

    private func expect(_ world: FeedWorld, _ key: FeedKey, sort: SortOrder?, filter: String = "", _ name: String = "shared") throws {
        let view = try #require(world.front.view(key, name))
        #expect(view.sort == sort)
        #expect(view.filter == filter)
        #expect(view.revision?.sort == sort)
        #expect(view.revision?.filter == filter)
        #expect(view.revision?.content == world.front.feed(key)?.content?.object)
        #expect(view.sorting == nil)
        #expect(view.pendingRequests.isEmpty)
    }

    @Test("a filter that replaces one whose order is being made is in effect at the end (type-ahead)")
    func typeAhead() throws {
        var (world, key) = try loaded()
        for text in ["a", "ab", "abc"] {
            _ = try world.accept(.feed(key, .filter(view: "shared", text: text, version: nil)))
            world.grant()
        }
        #expect(world.worker.held.map(\.work?.filter) == ["a", "ab", "abc"])
        world.rest()
        try expect(world, key, sort: nil, filter: "abc")
    }

    @Test("a new view has the order of shared, and all items whatever shared is filtered by")
    func newView() throws {
        var (world, key) = try loaded()
        _ = world.front.ask(.feed(key, .filter(view: "shared", text: "x", version: nil)))
        world.rest()
        _ = world.front.ask(.feed(key, .attach(view: "mine")))
        #expect(world.front.view(key, "mine")?.revision?.filter == "")
        try expect(world, key, sort: nil, "mine")
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        world.rest()
        _ = world.front.ask(.feed(key, .attach(view: "other")))
        world.rest()
        try expect(world, key, sort: price, "other")
    }

    @Test("a sort and a filter that follow at once are both in effect, whether their jobs wait or run", arguments: [false, true])
    func both(isGranted: Bool) throws {
        var (world, key) = try loaded()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        if isGranted { world.grant() }
        _ = world.front.ask(.feed(key, .filter(view: "shared", text: "x", version: nil)))
        if isGranted { world.grant() }
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: title, version: nil)))
        world.rest()
        try expect(world, key, sort: title, filter: "x")
    }

    @Test("a load, a refresh or their failure that crosses an order does not undo it")
    func crossedByLoad() throws {
        var (world, key) = try loaded()
        let refresh = try world.accept(.feed(key, .refresh))
        world.grant()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        world.grant()
        world.finish(refresh.rawValue)
        world.rest()
        try expect(world, key, sort: price)
        let failing = try world.accept(.feed(key, .refresh))
        world.grant()
        _ = world.front.ask(.feed(key, .filter(view: "shared", text: "x", version: nil)))
        world.grant()
        world.fail(failing, .unreachable)
        world.rest()
        try expect(world, key, sort: price, filter: "x")
        let cancelled = try world.accept(.feed(key, .refresh))
        world.grant()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: title, version: nil)))
        _ = world.front.ask(.job(.cancel(cancelled)))
        world.rest()
        try expect(world, key, sort: title, filter: "x")
    }

    @Test("a save that ends while an order is being made does not undo it, in the shared view or another")
    func crossedBySave() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        _ = world.front.ask(.feed(key, .create(item: [123, 125])))
        world.rest()
        let save = try world.accept(.feed(key, .create(item: [123, 125])))
        world.grant()
        for view in ["shared", "mine"] {
            _ = world.front.ask(.feed(key, .sort(view: view, order: title, version: nil)))
            _ = world.front.ask(.feed(key, .filter(view: view, text: "x", version: nil)))
        }
        world.grant()
        world.finish(save.rawValue)
        world.rest()
        for view in ["shared", "mine"] { try expect(world, key, sort: title, filter: "x", view) }
    }

    @Test("its own cancel puts the order back that was in effect last, and no other request")
    func ownCancel() throws {
        var (world, key) = try loaded()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        world.rest()
        let second = try world.accept(.feed(key, .sort(view: "shared", order: title, version: nil)))
        world.grant()
        _ = world.front.ask(.job(.cancel(second)))
        #expect(world.front.view(key)?.sort == price)
        world.rest()
        try expect(world, key, sort: price)
        // The filter's job makes the sort too; its cancel is the filter's alone.
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: title, version: nil)))
        let filter = try world.accept(.feed(key, .filter(view: "shared", text: "x", version: nil)))
        world.grant()
        _ = world.front.ask(.job(.cancel(filter)))
        #expect(world.front.view(key)?.sort == title)
        #expect(world.front.view(key)?.filter == "")
        world.rest()
        try expect(world, key, sort: title)
    }

    @Test("who saw an order that was put back since is told of a conflict, as is who saw a selection that was")
    func versions() throws {
        var (world, key) = try loaded()
        func version() throws -> UInt64 { try #require(world.front.view(key, "shared")).version }
        let sort = try world.accept(.feed(key, .sort(view: "shared", order: price, version: nil)))
        let seen = try version()
        _ = world.front.ask(.job(.cancel(sort)))
        #expect(try version() == seen + 1)
        guard case .refused(let failure, _)? = world.front.ask(.feed(key, .filter(view: "shared", text: "x", version: seen))) else {
            Issue.record("a request for an order that is gone was taken")
            return
        }
        #expect(failure.code == .conflict)
        let select = try world.accept(.feed(key, .select(view: "shared", itemID: "1", version: nil)))
        let selected = try version()
        _ = world.front.ask(.job(.cancel(select)))
        #expect(try version() == selected + 1)
        world.rest()
    }

    @Test("its own failure puts the order back that was in effect last and says so; retry repeats the failed order")
    func ownFailure() throws {
        var (world, key) = try loaded()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        let filter = try world.accept(.feed(key, .filter(view: "shared", text: "x", version: nil)))
        world.grant()
        world.fail(filter)
        world.rest()
        try expect(world, key, sort: price)
        let failure = try #require(world.front.view(key)?.failure)
        #expect(failure.id == FailureID(filter.rawValue))
        _ = try world.accept(.feed(key, .retry(view: "shared", failure: failure.id)))
        #expect(world.front.view(key)?.filter == "x")
        #expect(world.front.view(key)?.failure == nil)
        world.rest()
        try expect(world, key, sort: price, filter: "x")
    }

    @Test("an order that was asked for before there is anything to order is in effect once there is")
    func beforeContent() throws {
        var world = FeedWorld()
        let key = try items()
        #expect(world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil))) == .done(version: 1))
        #expect(world.front.ask(.feed(key, .filter(view: "mine", text: "x", version: nil))) == .done(version: 1))
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        try expect(world, key, sort: price)
        try expect(world, key, sort: price, filter: "x", "mine")
    }

    @Test("a content that is lost to damage or to a reset takes no order with it")
    func lostContent() throws {
        var (world, key) = try loaded()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        world.grant()
        world.worker.take(world.front.handle(.objectDamaged(try #require(world.front.feed(key)?.content).object.digest)))
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        try expect(world, key, sort: price)
        _ = world.front.ask(.feed(key, .filter(view: "shared", text: "x", version: nil)))
        world.grant()
        #expect(world.front.ask(.feed(key, .reset(version: nil))) != nil)
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        try expect(world, key, sort: price, filter: "x")
    }

    @Test("an order that is made anew because the content changed or was damaged is taken back as the one that it replaces would be")
    func inherited() throws {
        var (world, key) = try loaded()
        _ = world.front.ask(.feed(key, .attach(view: "mine")))
        func requests() throws -> ViewRequests? {
            let job = try #require(world.front.view(key, "mine")?.sorting)
            return world.front.machine.state.jobs.keyLines[job.rawValue]?.job.requests
        }
        let sort = try world.accept(.feed(key, .sort(view: "mine", order: price, version: nil)))
        let filter = try world.accept(.feed(key, .filter(view: "mine", text: "x", version: nil)))
        #expect(try requests() == .filter)
        let load = try world.accept(.feed(key, .load))
        world.grant()
        world.finish(load.rawValue)
        let anew = try #require(world.front.view(key, "mine")?.sorting)
        #expect(anew != sort && anew != filter)
        #expect(try requests() == .filter)
        world.grant()
        world.fail(anew)
        // The sort was asked for before, and is made now.
        let view = try #require(world.front.view(key, "mine"))
        #expect(view.sort == price && view.filter.isEmpty && view.failure?.id == FailureID(anew.rawValue))
        #expect(try requests() == .sort)
        world.front.handle(.objectDamaged(try #require(view.revision).content.digest))
        #expect(world.front.view(key, "mine")?.sorting != view.sorting)
        #expect(try requests() == .sort)
        world.grant()
        world.fail(try #require(world.front.view(key, "mine")?.sorting))
        #expect(world.front.view(key, "mine")?.sort == nil)
        world.rest()
        try expect(world, key, sort: nil, "mine")
    }

    @Test("a grant that is sent again is the same work, whatever was asked for since")
    func sameGrant() throws {
        var (world, key) = try loaded()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        let load = try world.accept(.feed(key, .load))
        world.grant()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: title, version: nil)))
        let first = try #require(world.worker.held.first { $0.job == load.rawValue }?.work)
        var machine = world.front.machine
        #expect(machine.workforce.resolveWork(load.rawValue, in: &machine.turn) == first)
    }

    @Test("a front that forgets its jobs makes the orders again that it had accepted")
    func restart() throws {
        var world = FeedWorld { $0.durability = .memory }
        let key = try items()
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        _ = world.front.ask(.feed(key, .sort(view: "shared", order: price, version: nil)))
        world.front = world.front.restarted()
        world.worker = WorkerHarness(2)
        world.front.pass(milliseconds: 6_000)
        world.front.open()
        world.worker.register(with: &world.front, slots: 64)
        world.rest()
        try expect(world, key, sort: price)
    }
}
