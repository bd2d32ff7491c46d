//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Selections and details")
struct SelectionTests {
    /// A user's list with two items made, at rest, with "1" selected.
    private func todos() throws -> (FeedWorld, FeedKey) {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        _ = world.front.ask(.feed(key, .create(item: [123, 125])))
        world.rest()
        _ = world.front.ask(.feed(key, .select(view: "shared", itemID: "1", version: nil)))
        world.rest(detail: "old")
        #expect(detail(world, key) == "1 old")
        return (world, key)
    }

    private func detail(_ world: FeedWorld, _ key: FeedKey, _ view: String = "shared") -> String? {
        guard case .loaded(let text)? = world.front.view(key, view)?.detail else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    @Test("the detail of a selected item follows an update of that item, in every view, and is shown until the new one is there")
    func followsUpdate() throws {
        var (world, key) = try todos()
        _ = world.front.ask(.feed(key, .select(view: "mine", itemID: "1", version: nil)))
        _ = world.front.ask(.feed(key, .select(view: "other", itemID: "2", version: nil)))
        world.rest(detail: "old")
        let update = try world.accept(.feed(key, .update(itemID: "1", item: [123, 125])))
        world.grant()
        world.finish(update.rawValue)
        #expect(detail(world, key) == "1 old")
        world.rest(detail: "new")
        #expect(detail(world, key) == "1 new")
        #expect(detail(world, key, "mine") == "1 new")
        #expect(detail(world, key, "other") == "2 old")
    }

    @Test("a first selection that fails leaves nothing selected and no detail on its way")
    func firstFails() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("items?parameter=sample")
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        let select = try world.accept(.feed(key, .select(view: "shared", itemID: "1", version: nil)))
        world.grant()
        world.fail(select, .unknownItem)
        let view = try #require(world.front.view(key, "shared"))
        #expect(view.selection == nil)
        #expect(view.detail == .idle)
        #expect(view.failure?.code == .unknownItem)
    }

    @Test(
        "after a restart a detail on its way is awaited where its job is kept, and read again where it is not",
        arguments: [FrontSettings.Durability.full, .memory])
    func restarted(_ durability: FrontSettings.Durability) throws {
        var world = FeedWorld { $0.durability = durability }
        let key = try FeedWorld.key("todos")
        _ = world.front.ask(.feed(key, .create(item: [123, 125])))
        world.rest()
        let select = try world.accept(.feed(key, .select(view: "shared", itemID: "1", version: nil)))
        world.front = world.front.restarted()
        guard case .loading(let job)? = world.front.view(key)?.detail else {
            Issue.record("nothing is on its way")
            return
        }
        #expect((job == select) == (durability == .full))
        #expect(world.front.job(job)?.state == .waiting)
    }

    @Test("a detail that was read before an update and arrives after it is read again")
    func crossedByUpdate() throws {
        var (world, key) = try todos()
        let select = try world.accept(.feed(key, .select(view: "shared", itemID: "2", version: nil)))
        world.grant()
        let update = try world.accept(.feed(key, .update(itemID: "2", item: [123, 125])))
        world.grant()
        world.finish(update.rawValue)
        world.finish(select.rawValue, detail: "old")
        world.rest(detail: "new")
        #expect(detail(world, key) == "2 new")
    }

    @Test("the detail follows a refresh that brings another content, and stays when it brings the same")
    func followsRefresh() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("items?parameter=sample")
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        _ = world.front.ask(.feed(key, .select(view: "shared", itemID: "1", version: nil)))
        world.rest(detail: "old")
        let content = try #require(world.front.feed(key)?.content?.object)
        let refresh = try world.accept(.feed(key, .refresh))
        world.grant()
        var same = FeedResult()
        same.content = content
        world.worker.take(world.worker.end(refresh.rawValue, feed: same, in: &world.front))
        world.rest(detail: "unasked")
        #expect(detail(world, key) == "1 old")
        _ = world.front.ask(.feed(key, .refresh))
        world.rest(detail: "new")
        #expect(detail(world, key) == "1 new")
    }

    @Test("a selection whose job is cancelled gives way to the one before it, with its detail")
    func cancel() throws {
        var (world, key) = try todos()
        _ = world.front.ask(.feed(key, .select(view: "shared", itemID: "2", version: nil)))
        world.grant()
        let third = try world.accept(.feed(key, .select(view: "shared", itemID: "3", version: nil)))
        world.grant()
        _ = world.front.ask(.job(.cancel(third)))
        #expect(world.front.view(key)?.selection == "1")
        world.rest()
        #expect(detail(world, key) == "1 detail")
    }

    @Test("a selected id that is not in the list gives way to the selection before it and says so")
    func unknownItem() throws {
        var (world, key) = try todos()
        let select = try world.accept(.feed(key, .select(view: "shared", itemID: "none", version: nil)))
        world.grant()
        world.fail(select, .unknownItem)
        #expect(world.front.view(key)?.failure?.code == .unknownItem)
        #expect(world.front.view(key)?.selection == "1")
        world.rest()
        #expect(detail(world, key) == "1 detail")
    }

    @Test("a select that is refused leaves the one before it alone")
    func refused() throws {
        var (world, key) = try todos()
        let select = try world.accept(.feed(key, .select(view: "shared", itemID: "2", version: nil)))
        world.grant()
        let long = String(repeating: "x", count: 1_025)
        guard case .refused? = world.front.ask(.feed(key, .select(view: "shared", itemID: long, version: nil))) else {
            Issue.record("not refused")
            return
        }
        #expect(world.front.job(select)?.state == .running)
        world.rest()
        #expect(detail(world, key) == "2 detail")
    }

    @Test("a created item is selected, unless somebody has selected since the create was accepted", arguments: [nil, "2"])
    func created(selected: String?) throws {
        var (world, key) = try todos()
        _ = world.front.ask(.feed(key, .create(item: [123, 125])))
        world.rest()
        #expect(world.front.view(key)?.selection == "made")
        _ = world.front.ask(.feed(key, .select(view: "shared", itemID: "1", version: nil)))
        let create = try world.accept(.feed(key, .create(item: [123, 125])))
        world.grant()
        _ = world.front.ask(.feed(key, .select(view: "shared", itemID: selected, version: nil)))
        world.grant()
        world.finish(create.rawValue)
        world.rest()
        #expect(world.front.view(key)?.selection == selected)
        #expect(world.front.late[.selectedSince] == 1)
        // Also when the newer selection is known from the journal alone.
        _ = world.front.ask(.feed(key, .create(item: [123, 125])))
        _ = world.front.ask(.feed(key, .select(view: "shared", itemID: selected, version: nil)))
        world.front = world.front.restarted()
        world.worker = WorkerHarness(2)
        world.front.open()
        world.front.pass(milliseconds: 6_000)
        world.front.settle()
        world.worker.register(with: &world.front, slots: 64)
        world.rest()
        #expect(world.front.view(key)?.selection == selected)
    }

    @Test("a damaged stored detail is read again")
    func storedDetail() throws {
        var (world, key) = try todos()
        let select = try world.accept(.feed(key, .select(view: "shared", itemID: "2", version: nil)))
        world.grant()
        var result = FeedResult()
        let object = world.object()
        result.detailObject = object
        world.worker.take(world.worker.end(select.rawValue, feed: result, in: &world.front))
        #expect(world.front.view(key)?.detail == .stored(object))
        world.worker.take(world.front.handle(.objectDamaged(object.digest)))
        world.rest()
        #expect(detail(world, key) == "2 detail")
    }

    @Test("a retry names the last failure, also while a load is under way")
    func retry() throws {
        var (world, key) = try todos()
        let load = try world.accept(.feed(key, .load))
        world.grant()
        world.fail(load, .unreachable)
        let again = try world.accept(.feed(key, .retry(view: "shared", failure: FailureID(load.rawValue))))
        world.grant()
        guard case .refused(let failure, _)? = world.front.ask(.feed(key, .retry(view: "shared", failure: FailureID(4_711)))) else {
            Issue.record("a wrong failure was repeated")
            return
        }
        #expect(failure.code == .unknownItem)
        #expect(
            world.front.ask(.feed(key, .retry(view: "shared", failure: FailureID(load.rawValue)))) == .accepted(again, joined: true))
    }

    @Test("a retry that names the failure of a view's detail reads that again, in this view; one that names another failure does nothing")
    func retryDetail() throws {
        var (world, key) = try todos()
        let select = try world.accept(.feed(key, .select(view: "mine", itemID: "2", version: nil)))
        world.grant()
        world.fail(select, .unreachable)
        guard case .failed(let shown)? = world.front.view(key, "mine")?.detail else {
            Issue.record("it is not shown as failed")
            return
        }
        #expect(shown.id == FailureID(select.rawValue))
        for (view, id) in [("mine", FailureID(4_711)), ("shared", shown.id)] {
            guard case .refused(let refused, _)? = world.front.ask(.feed(key, .retry(view: view, failure: id))) else {
                Issue.record("something was repeated")
                return
            }
            #expect(refused.code == .unknownItem)
        }
        let again = try world.accept(.feed(key, .retry(view: "mine", failure: shown.id)))
        #expect(again > select && world.front.view(key, "mine")?.detail == .loading(again))
        world.rest()
        #expect(detail(world, key, "mine") == "2 detail" && detail(world, key) == "1 old")
    }

    @Test("a reset takes selection and detail out of every view, and the next content comes without them")
    func reset() throws {
        var (world, key) = try todos()
        _ = world.front.ask(.feed(key, .select(view: "mine", itemID: "2", version: nil)))
        world.rest()
        _ = world.front.ask(.feed(key, .reset(version: nil)))
        for isLoaded in [false, true] {
            if isLoaded {
                _ = world.front.ask(.feed(key, .load))
                world.rest()
            }
            for name in ["shared", "mine"] {
                let view = try #require(world.front.view(key, name))
                #expect(view.selection == nil && view.detail == .idle)
                #expect((view.revision != nil) == isLoaded)
            }
        }
    }
}
