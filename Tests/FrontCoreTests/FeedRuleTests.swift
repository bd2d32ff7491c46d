//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Rules of feeds")
struct FeedRuleTests {
    private let content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 10, itemCount: 3)
    private let order = ObjectReference(digest: ObjectDigest(words: (5, 6, 7, 8)), byteCount: 10, itemCount: 3)

    private func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    private func result() -> FeedResult {
        var result = FeedResult()
        result.content = content
        return result
    }

    @Test("many ask, one job runs, and defaults of parameters are filled in")
    func joined() throws {
        var front = FrontHarness()
        front.open()
        front.follow()
        guard case .accepted(let job, joined: false)? = front.ask(.feed(try key("items"), .load)) else {
            Issue.record("not accepted"); return
        }
        _ = front.ask(.feed(try key("items?parameter=sample"), .load))
        #expect(
            front.path() == [
                "entry feedChanged items?parameter=sample idle", "entry viewChanged items?parameter=sample/shared",
                "entry feedJobAccepted 1 load items?parameter=sample", "entry feedChanged items?parameter=sample waiting 1",
                "entry replyRetained 1 accepted 1", "client 7: reply 1 accepted 1",
                "changed feed/items?parameter=sample feed, view/items?parameter=sample/shared view",
                "entry replyRetained 2 accepted 1 joined", "client 7: reply 2 accepted 1 joined",
            ])
        #expect(front.feed(try key("items?parameter=sample"))?.activity == .waiting(job, .noWorker(loader: "http")))
    }

    @Test("a load passes waiting and loading, and its content and order appear together")
    func load() throws {
        var (front, worker) = FrontHarness.serving()
        let items = try key("items?parameter=sample")
        _ = front.ask(.feed(items, .sort(view: "shared", order: SortOrder(field: "price"), version: nil)))
        guard case .accepted(let job, joined: false)? = front.ask(.feed(items, .load)) else { Issue.record("not accepted"); return }
        worker.take(front.settle())
        #expect(front.feed(items)?.activity == .loading(job, cause: .asked, attempt: 1))
        #expect(worker.held.first?.work?.sort == SortOrder(field: "price"))
        var result = result()
        result.order = order
        front.follow()
        worker.end(job.rawValue, feed: result, in: &front)
        #expect(
            front.path() == [
                "entry ended 1 succeeded", "entry feedChanged items?parameter=sample idle",
                "entry viewChanged items?parameter=sample/shared",
                "changed feed/items?parameter=sample feed, jobs job/1, view/items?parameter=sample/shared view, workers worker/1",
            ])
        #expect(front.feed(items)?.content?.object == content)
        #expect(front.view(items)?.revision?.content == content)
        #expect(front.view(items)?.revision?.order == order)
    }

    @Test("a failed load keeps the content and can be repeated by the failure's id")
    func failure() throws {
        var (front, worker) = FrontHarness.serving()
        let items = try key("items?parameter=sample")
        _ = front.ask(.feed(items, .load))
        worker.take(front.settle())
        worker.end(worker.held[0].job, feed: result(), in: &front)
        _ = front.ask(.feed(items, .load))
        worker.take(front.settle())
        let failed = worker.held[0].job
        worker.end(failed, .failed, failure: Failure(code: .unreachable, text: "no", retryable: true), in: &front)
        #expect(front.feed(items)?.content?.object == content)
        #expect(front.feed(items)?.failure?.id == FailureID(failed))
        _ = front.ask(.feed(items, .retry(view: "shared", failure: FailureID(failed))))
        #expect(
            front.decided == [
                "entry feedJobAccepted 3 load items?parameter=sample", "entry feedChanged items?parameter=sample waiting 3",
                "entry replyRetained 3 accepted 3", "client 7: reply 3 accepted 3", "changed feed/items?parameter=sample feed",
            ])
    }

    @Test("a cancelled load leaves the state at once, and the next one waits until it has stopped")
    func cancel() throws {
        var (front, worker) = FrontHarness.serving()
        let items = try key("items?parameter=sample")
        _ = front.ask(.feed(items, .load))
        worker.take(front.settle())
        let first = JobID(worker.held[0].job)
        front.follow()
        _ = front.ask(.job(.cancel(first)))
        #expect(
            front.path() == [
                "entry cancelRequested 1", "worker 1: cancel leases 1", "entry feedChanged items?parameter=sample idle",
                "entry replyRetained 2 cancelling 1", "client 7: reply 2 cancelling 1", "changed feed/items?parameter=sample feed",
            ])
        guard case .accepted(let second, joined: false)? = front.ask(.feed(items, .load)) else { Issue.record("not accepted"); return }
        front.settle()
        #expect(
            front.path() == [
                "entry feedJobAccepted 2 load items?parameter=sample", "entry feedChanged items?parameter=sample waiting 2",
                "entry replyRetained 3 accepted 2", "client 7: reply 3 accepted 2", "changed feed/items?parameter=sample feed",
            ])
        #expect(front.feed(items)?.activity == .waiting(second, .cancelledRunStopping(first)))
        worker.take(worker.end(first.rawValue, .cancelled, in: &front))
        #expect(
            front.path() == [
                "entry ended 1 cancelled", "changed jobs job/1, workers worker/1", "entry granted 2 to worker 1", "worker 1: settled 1",
                "worker 1: grant 2", "entry feedChanged items?parameter=sample loading 2",
                "changed feed/items?parameter=sample feed, jobs job/2, workers worker/1",
            ])
        #expect(front.feed(items)?.activity == .loading(second, cause: .asked, attempt: 1))
    }

    @Test("edits of a persistent list run one after the other, and a fetched source is merged in the same line")
    func editable() throws {
        var (front, worker) = FrontHarness.serving(slots: 4)
        let todos = try key("todos")
        _ = front.ask(.feed(todos, .load))
        _ = front.ask(.feed(todos, .create(item: Array("{\"title\":\"a\"}".utf8))))
        _ = front.ask(.feed(todos, .create(item: Array("{\"title\":\"b\"}".utf8))))
        front.follow()
        worker.take(front.settle())
        #expect(
            front.path() == [
                "entry granted 1 2 to worker 1", "worker 1: grant 1 2", "entry feedChanged todos loading 1",
                "changed feed/todos feed, jobs counts, jobs job/1, jobs job/2, workers worker/1",
            ])
        #expect(worker.held.compactMap(\.work?.operation) == [.load, .create])
        let fetch = worker.held[0].job
        worker.take(worker.end(fetch, feed: result(), in: &front))
        #expect(
            front.path() == [
                "entry ended 1 succeeded", "entry feedJobAccepted 4 merge todos", "entry feedChanged todos waiting 4",
                "changed feed/todos feed, jobs job/1, workers worker/1",
            ])
        #expect(front.feed(todos)?.content == nil)
        for operation in [FeedOperation.create, .create, .merge] {
            #expect(worker.held.first?.work?.operation == operation)
            var made = FeedResult(source: .manual)
            made.content = content
            worker.take(worker.end(worker.held[0].job, feed: made, in: &front))
        }
        #expect(front.feed(todos)?.content?.version == ContentVersion(3))
        #expect(front.feed(todos)?.content?.isPersistent == true)
        #expect(front.feed(todos)?.activity == .idle)
    }

    @Test("the newest selection wins; a selected item that is gone is deselected")
    func selection() throws {
        var (front, worker) = FrontHarness.serving(slots: 4)
        let items = try key("items?parameter=sample")
        _ = front.ask(.feed(items, .load))
        worker.take(front.settle())
        worker.end(worker.held[0].job, feed: result(), in: &front)
        _ = front.ask(.feed(items, .select(view: "shared", itemID: "1", version: nil)))
        worker.take(front.settle())
        _ = front.ask(.feed(items, .select(view: "shared", itemID: "2", version: nil)))
        worker.take(front.settle())
        #expect(worker.held.compactMap(\.work?.itemID) == ["1", "2"])
        var detail = FeedResult()
        detail.detail = [1]
        front.follow()
        worker.end(worker.held[0].job, feed: detail, in: &front)
        #expect(front.path() == ["entry ended 2 cancelled", "changed jobs job/2, workers worker/1"])
        guard case .loading? = front.view(items)?.detail else { Issue.record("an older result was shown"); return }
        detail.detail = [2]
        worker.end(worker.held[0].job, feed: detail, in: &front)
        #expect(
            front.path() == [
                "entry ended 3 succeeded", "entry viewChanged items?parameter=sample/shared",
                "changed jobs job/3, view/items?parameter=sample/shared view, workers worker/1",
            ])
        #expect(front.view(items)?.detail == .loaded([2]))
        _ = front.ask(.feed(items, .load))
        worker.take(front.settle())
        var gone = result()
        gone.selectionFound = false
        front.follow()
        worker.end(worker.held[0].job, feed: gone, in: &front)
        #expect(
            front.path() == [
                "entry ended 4 succeeded", "entry feedChanged items?parameter=sample idle",
                "entry viewChanged items?parameter=sample/shared",
                "changed feed/items?parameter=sample feed, jobs job/4, view/items?parameter=sample/shared view, workers worker/1",
            ])
        #expect(front.view(items)?.selection == nil)
        #expect(front.view(items)?.detail == .idle)
    }

    @Test("a feed that loads on appear starts with its first attachment and stops two seconds after its last")
    func attachment() throws {
        var (front, worker) = FrontHarness.serving()
        let lazy = try key("lazy")
        guard case .accepted(let job, joined: false)? = front.ask(.feed(lazy, .attach(view: "shared"))) else {
            Issue.record("not loaded"); return
        }
        worker.take(front.settle())
        _ = front.ask(.feed(lazy, .detach(view: "shared")))
        front.pass(milliseconds: 1_999)
        front.settle()
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 1)
        front.settle()
        #expect(front.job(job)?.state == .cancelling)
    }

    @Test("with a full disk an attachment that would load is refused, also to a view that is there")
    func fullDisk() throws {
        var (front, worker) = FrontHarness.serving()
        let lazy = try key("lazy")
        _ = front.ask(.feed(lazy, .attach(view: "shared")))
        worker.take(front.settle())
        _ = front.ask(.feed(lazy, .detach(view: "shared")))
        _ = front.ask(.feed(lazy, .cancelLoad(only: nil)))
        worker.take(worker.endAll(in: &front))
        front.handle(.storageFull(true))
        guard case .refused(let failure, _)? = front.ask(.feed(lazy, .attach(view: "shared"))) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.code == .storageFull)
    }

    @Test(
        "a load that nobody asked for goes on while something of clients is unread: somebody may have attached again",
        arguments: [true, false])
    func unreadAttachment(isTakenUp: Bool) throws {
        var (front, worker) = FrontHarness.serving()
        let lazy = try key("lazy")
        guard case .accepted(let job, joined: false)? = front.ask(.feed(lazy, .attach(view: "shared"))) else {
            Issue.record("not loaded"); return
        }
        worker.take(front.settle())
        _ = front.ask(.feed(lazy, .detach(view: "shared")))
        front.pass(milliseconds: 2_500)
        front.handle(.inputRead(TurnReading(began: front.now.monotonic, isWorkersDone: true, isClientsDone: false)))
        #expect(front.job(job)?.state == .running)
        if isTakenUp { _ = front.ask(.feed(lazy, .attach(view: "shared"))) }
        front.pass(milliseconds: 100)
        front.settle()
        #expect(front.job(job)?.state == (isTakenUp ? .running : .cancelling))
    }

    @Test("so it does for a moment while somebody's words are read and not handled, and no longer than that")
    func waitingAttachment() throws {
        var (front, worker) = FrontHarness.serving()
        let lazy = try key("lazy")
        guard case .accepted(let job, joined: false)? = front.ask(.feed(lazy, .attach(view: "shared"))) else {
            Issue.record("not loaded"); return
        }
        worker.take(front.settle())
        _ = front.ask(.feed(lazy, .detach(view: "shared")))
        for (milliseconds, state): (Int64, JobState) in [(2_500, .running), (4_400, .running), (200, .cancelling)] {
            for _ in 0..<milliseconds / 100 {
                _ = worker.renew(&front)
                front.pass(milliseconds: 100)
            }
            front.handle(
                .inputRead(
                    TurnReading(began: front.now.monotonic, isWorkersDone: true, isClientsDone: true, waitingClients: [PeerID(99)])))
            #expect(front.job(job)?.state == state)
        }
    }

    @Test("unknown feeds, parameters and fields are refused by name", arguments: ["nothing", "items?other=1", "items"])
    func unknown(text: String) throws {
        var front = FrontHarness()
        front.open()
        let reply = front.ask(.feed(try key(text), .sort(view: "shared", order: SortOrder(field: "color"), version: nil)))
        guard case .refused(let failure, _)? = reply else { Issue.record("not refused"); return }
        #expect([.unknownFeed, .invalidData, .unknownField].contains(failure.code))
    }

    @Test("a feed that an earlier life knew is editable once it is declared so, and no longer once it is not")
    func declaredEditable() throws {
        var world = FeedWorld { $0.feeds[1].isEditable = false }
        let todos = try FeedWorld.key("todos")
        _ = try world.accept(.feed(todos, .load))
        world.rest()
        let content = world.front.feed(todos)?.content
        guard case .refused? = world.front.ask(.feed(todos, .create(item: Array("{}".utf8)))) else {
            Issue.record("it is editable already")
            return
        }
        world.front.settings.feeds[1].isEditable = true
        world.front = world.front.restarted()
        #expect(world.front.feed(todos)?.isEditable == true && world.front.feed(todos)?.content == content)
        _ = try world.accept(.feed(todos, .create(item: Array("{}".utf8))))
        world.front.settings.feeds[1].isEditable = false
        #expect(world.front.restarted().feed(todos)?.isEditable == false)
        // Nothing is written of feeds that are declared as before.
        #expect(world.front.restarted().restarted().started.allSatisfy { if case .record(.feedChanged) = $0 { false } else { true } })
    }

    @Test("a load that only attachments wanted ends after a restart that nobody comes back to, and goes on where somebody does")
    func abandonedByRestart() throws {
        var front = FrontHarness()
        front.open()
        let lazy = try FeedWorld.key("lazy")
        _ = front.ask(.feed(lazy, .attach(view: "shared")))
        let job = try #require(front.feed(lazy)?.activity.job)
        for comesBack in [true, false] {
            var next = front.restarted(isTakenUp: comesBack)
            if comesBack { _ = next.ask(.feed(lazy, .attach(view: "shared"))) }
            for _ in 0..<20 {
                next.pass(milliseconds: 1_000)
                if comesBack { _ = next.send(.heartbeat(lowestUnanswered: RequestNumber(next.nextRequest))) }
                next.settle()
            }
            #expect((next.job(job)?.state == .cancelled) == !comesBack)
        }
    }

    @Test("while the disk is full an attachment makes no view and loads nothing, but one to what is there is taken")
    func attachedToFullDisk() throws {
        var front = FrontHarness()
        front.open()
        let (items, lazy) = try (FeedWorld.key("items"), FeedWorld.key("lazy"))
        _ = front.ask(.feed(items, .attach(view: "shared")))
        front.handle(.storageFull(true))
        let before = front.entries.count
        for (key, view) in [(lazy, "shared"), (items, "other")] {
            guard case .refused(let failure, let pause)? = front.ask(.feed(key, .attach(view: view))) else {
                Issue.record("\(key)/\(view) was made")
                return
            }
            #expect(failure.code == .storageFull && pause > .zero)
        }
        #expect(front.ask(.feed(items, .attach(view: "shared"))) == .done(version: 0))
        #expect(front.entries.count == before)
        front.handle(.storageFull(false))
        guard case .accepted? = front.ask(.feed(lazy, .attach(view: "shared"))) else {
            Issue.record("it is not loaded")
            return
        }
    }

    @Test("what a feed's job has made is shown also where its worker takes that loader's jobs ahead")
    func bulkLoader() throws {
        var world = FeedWorld()
        var worker = WorkerHarness(2)
        worker.register(
            with: &world.front, loaders: [LoaderDeclaration(name: "list", isBulk: true), LoaderDeclaration(name: "http", isBulk: true)])
        _ = world.worker.send(.close(), to: &world.front)
        world.worker = worker
        let todos = try FeedWorld.key("todos")
        let save = try world.accept(.feed(todos, .create(item: Array("{}".utf8))))
        world.grant()
        world.finish(save.rawValue)
        #expect(world.front.feed(todos)?.content != nil)
        _ = try world.accept(.feed(todos, .load))
        world.rest()
        #expect(world.front.feed(todos)?.activity == .idle && world.front.feed(todos)?.content?.source == .network)
    }

    @Test("a load is found at once beside any number of saves, and joined, while it is fetched and while it is merged")
    func loadBesideSaves() throws {
        var world = FeedWorld()
        let todos = try FeedWorld.key("todos")
        let load = try world.accept(.feed(todos, .load))
        world.grant()
        for number in 0..<50 { _ = try world.accept(.feed(todos, .create(item: [UInt8(number)]))) }
        #expect(world.front.machine.state.jobs.keyLines.loads(of: todos) == [load])
        world.finish(load.rawValue)
        let merge = try #require(world.front.machine.state.jobs.keyLines.loads(of: todos).first)
        #expect(merge != load && world.front.ask(.feed(todos, .load)) == .accepted(merge, joined: true))
        world.rest()
        #expect(world.front.machine.state.jobs.keyLines.loads(of: todos) == [])
    }
}
