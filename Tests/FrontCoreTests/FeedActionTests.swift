//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import TestSupport
import Testing

/// Each test compares all that an event leads to.
@Suite("What is decided about feeds, action by action")
struct FeedActionTests {
    private let items = FeedKey.named("items?parameter=sample")

    @Test("a load is a job and a feed that waits; who asks for the same joins it")
    func load() throws {
        var world = FeedWorld()
        _ = try world.accept(.feed(items, .load))
        #expect(
            world.front.decided == [
                "entry feedChanged items?parameter=sample idle", "entry viewChanged items?parameter=sample/shared",
                "entry feedJobAccepted 1 load items?parameter=sample", "entry feedChanged items?parameter=sample waiting 1",
                "entry replyRetained 1 accepted 1", "client 7: reply 1 accepted 1",
                "changed feed/items?parameter=sample feed, view/items?parameter=sample/shared view",
            ])
        _ = world.front.ask(.feed(items, .load))
        #expect(world.front.decided == ["entry replyRetained 2 accepted 1 joined", "client 7: reply 2 accepted 1 joined"])
    }

    @Test("a load is made in the order and with the filter that the shared view asks for when it is granted")
    func loadOfView() throws {
        var world = FeedWorld()
        _ = try world.accept(.feed(items, .load))
        _ = world.front.ask(.feed(items, .filter(view: "shared", text: "a", version: nil)))
        _ = world.front.ask(.feed(items, .sort(view: "shared", order: SortOrder(field: "title"), version: nil)))
        world.grant()
        let work = try #require(world.worker.held.first?.work)
        #expect((work.filter, work.sort) == ("a", SortOrder(field: "title")))
    }

    @Test("it is granted, its feed loads, and its content appears with the end of the job")
    func loaded() throws {
        var world = FeedWorld()
        let job = try world.accept(.feed(items, .load))
        world.grant()
        #expect(
            world.front.decided == [
                "entry granted 1 to worker 1", "worker 1: grant 1", "entry feedChanged items?parameter=sample loading 1",
                "changed feed/items?parameter=sample feed, jobs counts, jobs job/1, workers worker/1",
            ])
        let work = try #require(world.worker.held.first?.work)
        let result = world.result(of: work)
        #expect(
            world.worker.end(job.rawValue, feed: result, in: &world.front).lines == [
                "entry ended 1 succeeded", "entry feedChanged items?parameter=sample idle",
                "entry viewChanged items?parameter=sample/shared",
                "changed feed/items?parameter=sample feed, jobs job/1, view/items?parameter=sample/shared view, workers worker/1",
            ])
    }

    @Test("what is known of its progress goes with the end of the job, and when it waits again")
    func progress() throws {
        var world = FeedWorld()
        let job = try world.accept(.feed(items, .load))
        world.grant()
        #expect(world.report(percent: 7) == ["changed feed/items?parameter=sample progress"])
        #expect(
            world.worker.end(job.rawValue, .failed, failure: Failure(code: .unreachable, text: "no"), in: &world.front).lines == [
                "entry ended 1 failed: unreachable", "entry feedChanged items?parameter=sample idle",
                "changed feed/items?parameter=sample feed, feed/items?parameter=sample progress, jobs job/1, workers worker/1",
            ])
        _ = try world.accept(.feed(items, .load))
        world.grant()
        _ = world.report(percent: 9)
        _ = world.worker.send(.close(), to: &world.front)
        #expect(
            world.front.decided == [
                "entry attemptsEnded 2: workerClosed", "entry workerLost 1", "entry feedChanged items?parameter=sample waiting 2",
                "changed feed/items?parameter=sample feed, feed/items?parameter=sample progress, jobs job/2, workers worker/1",
            ])
    }

    @Test("a load that fails leaves its failure at the feed")
    func failed() throws {
        var world = FeedWorld()
        let job = try world.accept(.feed(items, .load))
        world.grant()
        let failure = Failure(code: .unreachable, text: "no", retryable: true)
        #expect(
            world.worker.end(job.rawValue, .failed, failure: failure, in: &world.front).lines == [
                "entry ended 1 failed: unreachable", "entry feedChanged items?parameter=sample idle",
                "changed feed/items?parameter=sample feed, jobs job/1, workers worker/1",
            ])
    }

    @Test("a load that its worker calls done without a list has failed, and its feed shows which loader did so", arguments: [false, true])
    func loadMadeNothing(hasResult: Bool) throws {
        var world = FeedWorld()
        let job = try world.accept(.feed(items, .load))
        world.grant()
        #expect(
            world.worker.end(job.rawValue, result: [7], feed: hasResult ? FeedResult() : nil, in: &world.front).lines == [
                "entry ended 1 failed: loaderFailed", "entry feedChanged items?parameter=sample idle",
                "changed feed/items?parameter=sample feed, jobs job/1, workers worker/1",
            ])
        let text = "loader http ended job 1 without a list for feed items?parameter=sample: offer a loader of feeds by that name"
        #expect(world.front.feed(items)?.failure == Failure(id: FailureID(1), code: .loaderFailed, text: text, attempts: 1))
        _ = try world.accept(.feed(items, .refresh))
        world.rest()
        #expect(world.front.feed(items)?.failure == nil && world.front.feed(items)?.content != nil)
    }

    @Test(
        "a save that is called done without a list has failed and can be repeated, and so has a detail that is none",
        arguments: [false, true])
    func savedNothing(hasResult: Bool) throws {
        var world = FeedWorld()
        let todos = try FeedWorld.key("todos")
        let save = try world.accept(.feed(todos, .create(item: [1])))
        world.grant()
        world.worker.take(world.worker.end(save.rawValue, feed: hasResult ? FeedResult() : nil, in: &world.front))
        #expect(world.front.job(save)?.state == .failed)
        #expect(world.front.job(save)?.failure?.text.hasPrefix("loader list ended job 1 without a list for feed todos") == true)
        _ = try world.accept(.feed(todos, .retry(view: "shared", failure: FailureID(save.rawValue))))
        world.rest()
        #expect(world.front.feed(todos)?.content != nil)
        let select = try world.accept(.feed(todos, .select(view: "shared", itemID: "1", version: nil)))
        world.grant()
        world.worker.take(world.worker.end(select.rawValue, feed: hasResult ? FeedResult() : nil, in: &world.front))
        guard case .failed(let failure)? = world.front.view(todos)?.detail else { return #expect(Bool(false), "it is shown as read") }
        #expect(failure.code == .loaderFailed && failure.text.contains("without a detail for feed todos"))
    }

    @Test("an attachment to a feed that loads on attach begins its load, the second one only attaches")
    func attach() {
        var front = FrontHarness()
        front.open()
        _ = front.ask(.feed(.named("lazy"), .attach(view: "shared")))
        #expect(
            front.decided == [
                "entry feedChanged lazy idle", "entry viewChanged lazy/shared", "entry feedJobAccepted 1 load lazy",
                "entry feedChanged lazy waiting 1", "client 7: reply 1 accepted 1", "changed feed/lazy feed, view/lazy/shared view",
            ])
        _ = front.ask(.feed(.named("lazy"), .attach(view: "mine")))
        #expect(front.decided == ["entry viewChanged lazy/mine", "client 7: reply 2 done", "changed view/lazy/mine view"])
    }

    @Test("two seconds after the last attachment has ended nobody wants the load: it is cancelled")
    func unwanted() {
        var (front, worker) = FrontHarness.serving()
        _ = front.ask(.feed(.named("lazy"), .attach(view: "shared")))
        worker.take(front.settle())
        _ = front.ask(.feed(.named("lazy"), .detach(view: "shared")))
        #expect(front.decided == ["client 7: reply 2 done"])
        front.pass(milliseconds: 2_000)
        #expect(
            front.settle().lines == [
                "entry cancelRequested 1", "worker 1: cancel leases 1", "entry feedChanged lazy idle",
                "changed feed/lazy feed, jobs counts",
            ])
    }

    @Test("a sort of content that is there is a job of its own; without content only the view remembers it")
    func sort() throws {
        var world = FeedWorld()
        _ = world.front.ask(.feed(items, .sort(view: "shared", order: SortOrder(field: "price"), version: nil)))
        #expect(
            world.front.decided == [
                "entry feedChanged items?parameter=sample idle", "entry viewChanged items?parameter=sample/shared",
                "entry viewChanged items?parameter=sample/shared", "entry replyRetained 1 done, version 1",
                "client 7: reply 1 done, version 1",
                "changed feed/items?parameter=sample feed, view/items?parameter=sample/shared view",
            ])
        _ = try world.accept(.feed(items, .load))
        world.rest()
        _ = world.front.ask(.feed(items, .sort(view: "shared", order: SortOrder(field: "price", ascending: false), version: nil)))
        #expect(
            world.front.decided == [
                "entry feedJobAccepted 2 sort items?parameter=sample", "entry viewChanged items?parameter=sample/shared",
                "entry replyRetained 3 accepted 2", "client 7: reply 3 accepted 2", "changed view/items?parameter=sample/shared view",
            ])
        let accepted = world.front.entries.compactMap { entry in if case .feedJobAccepted(let job) = entry { job } else { nil } }
        #expect(accepted.last?.operation == .sort && accepted.last?.submitter == .session(world.front.session))
    }

    @Test("what a view asks for goes before usual jobs that came before it, but after more urgent ones")
    func rank() throws {
        var world = FeedWorld()
        _ = try world.accept(.feed(items, .load))
        world.rest()
        _ = world.worker.send(.close(), to: &world.front)
        let usual = world.front.submit(1, loader: "slow")
        let urgent = world.front.submit(1, loader: "slow", priority: 9)
        let order = try world.accept(.feed(items, .sort(view: "shared", order: SortOrder(field: "price"), version: nil)))
        var other = WorkerHarness(2)
        other.register(with: &world.front, slots: 8)
        other.take(world.front.settle())
        #expect(other.held.map(\.job) == [urgent, order, usual].map(\.rawValue))
    }

    @Test("a selection loads the detail; selecting nothing cancels that")
    func select() throws {
        var world = FeedWorld()
        _ = try world.accept(.feed(items, .load))
        world.rest()
        _ = world.front.ask(.feed(items, .select(view: "shared", itemID: "1", version: nil)))
        #expect(
            world.front.decided == [
                "entry feedJobAccepted 2 detail items?parameter=sample", "entry viewChanged items?parameter=sample/shared",
                "entry replyRetained 2 accepted 2", "client 7: reply 2 accepted 2", "changed view/items?parameter=sample/shared view",
            ])
        _ = world.front.ask(.feed(items, .select(view: "shared", itemID: nil, version: nil)))
        #expect(
            world.front.decided == [
                "entry viewChanged items?parameter=sample/shared", "entry cancelRequested 2", "entry ended 2 cancelled",
                "entry replyRetained 3 done, version 2", "client 7: reply 3 done, version 2",
                "changed view/items?parameter=sample/shared view",
            ])
    }

    @Test("a save is a job of its feed and leaves the feed's own activity alone")
    func save() {
        var world = FeedWorld()
        _ = world.front.ask(.feed(.named("todos"), .create(item: Array("{}".utf8))))
        #expect(
            world.front.decided == [
                "entry feedChanged todos idle", "entry viewChanged todos/shared", "entry feedJobAccepted 1 create todos",
                "entry replyRetained 1 accepted 1", "client 7: reply 1 accepted 1", "changed feed/todos feed, view/todos/shared view",
            ])
        #expect(
            world.front.settle().lines == [
                "entry granted 1 to worker 1", "worker 1: grant 1", "changed jobs counts, jobs job/1, workers worker/1",
            ])
    }

    @Test("a damaged content goes from its feed; an object that no feed names is of no interest")
    func damaged() throws {
        var world = FeedWorld()
        _ = try world.accept(.feed(items, .load))
        world.rest()
        let content = try #require(world.front.feed(items)?.content?.object.digest)
        world.front.handle(.objectDamaged(ObjectDigest(words: (9, 9, 9, 9))))
        #expect(world.front.decided == [])
        world.front.handle(.objectDamaged(content))
        #expect(
            world.front.decided == [
                "entry feedChanged items?parameter=sample idle", "entry viewChanged items?parameter=sample/shared",
                "changed feed/items?parameter=sample feed, view/items?parameter=sample/shared view",
            ])
        #expect(world.front.settle().lines == [])
    }

    @Test(
        "what is unknown is refused by name, and changes nothing",
        arguments: [("nothing", "unknownFeed"), ("items?other=1", "invalidData")])
    func unknown(text: String, code: String) {
        var front = FrontHarness()
        front.open()
        _ = front.ask(.feed(.named(text), .load))
        #expect(front.decided == ["entry replyRetained 1 refused \(code)", "client 7: reply 1 refused \(code)"])
    }

    @Test("the shared view of a feed begins in the order that its definition says")
    func defaultSort() {
        var front = FrontHarness { $0.feeds[0].defaultSort = SortOrder(field: "price", ascending: false) }
        front.open()
        _ = front.ask(.feed(items, .attach(view: "shared")))
        #expect(front.view(items)?.sort == SortOrder(field: "price", ascending: false))
    }
}
