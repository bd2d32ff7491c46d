//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import HeapModule
import Testing

@testable import FrontCore

@Suite("Damaged objects")
struct DamageTests {
    private func object(_ number: UInt64) -> ObjectReference {
        ObjectReference(digest: ObjectDigest(words: (number, 0, 0, 0)), byteCount: 10, itemCount: 3)
    }

    private func result(_ number: UInt64) -> FeedResult {
        var result = FeedResult()
        result.content = object(number)
        return result
    }

    private func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    /// Makes a job's content current.
    private func end(_ reply: Reply?, _ number: UInt64, _ worker: inout WorkerHarness, _ front: inout FrontHarness) {
        guard case .accepted? = reply else { return }
        worker.take(front.settle())
        for job in worker.held.map(\.job) { worker.take(worker.end(job, feed: result(number), in: &front)) }
    }

    @Test("a damaged cached content goes, says so, and is loaded again while somebody is attached")
    func cachedAttached() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let items = try key("items?parameter=sample")
        front.open()
        worker.register(with: &front)
        end(front.ask(.feed(items, .load)), 1, &worker, &front)
        _ = front.ask(.feed(items, .attach(view: "shared")))
        #expect(!front.machine.state.feeds.keeps(object(1).digest) && !front.machine.state.feeds.keepsLists, "it can be loaded again")
        front.handle(.objectDamaged(object(1).digest))
        #expect(front.feed(items)?.content == nil)
        #expect(front.feed(items)?.failure?.code == .storageFailed)
        #expect(front.view(items)?.revision == nil)
        worker.take(front.settle())
        guard case .loading(let job, cause: .damaged, attempt: 1)? = front.feed(items)?.activity else {
            Issue.record("\(String(describing: front.feed(items)))")
            return
        }
        worker.end(job.rawValue, feed: result(1), in: &front)
        #expect(front.feed(items)?.content?.object == object(1))
        #expect(front.feed(items)?.failure == nil)
        #expect(front.view(items)?.revision?.content == object(1))
    }

    @Test("with nobody attached a damaged cached content is loaded at the next attachment, also after a restart")
    func cachedLater() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let items = try key("items?parameter=sample")
        front.open()
        worker.register(with: &front)
        end(front.ask(.feed(items, .load)), 1, &worker, &front)
        front.handle(.objectDamaged(object(1).digest))
        #expect(front.feed(items)?.activity == .idle)
        let failure = try #require(front.feed(items)?.failure?.id)
        var next = front.restarted()
        next.open()
        guard case .accepted(let job, joined: false)? = next.ask(.feed(items, .attach(view: "shared"))) else {
            Issue.record("not loaded")
            return
        }
        #expect(job.rawValue > failure.rawValue)
        #expect(next.feed(items)?.activity.job == job)
    }

    @Test("a damaged kept content goes back to its newest older version and says so; two are kept, also over a checkpoint")
    func kept() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let todos = try key("todos")
        front.open()
        worker.register(with: &front)
        for number in UInt64(1)...4 { end(front.ask(.feed(todos, .create(item: [123, 125]))), number, &worker, &front) }
        #expect(front.feed(todos)?.content?.object == object(4))
        #expect((1...4).map { front.machine.namedObjects.contains(object($0).digest) } == [false, true, true, true])
        #expect((1...4).map { front.machine.state.feeds.keeps(object($0).digest) } == [false, true, true, true])
        #expect(front.machine.state.feeds.keepsLists)
        var restored = FrontMachine(settings: front.settings, now: front.now)
        restored.restore(front.machine.state.baseEntries(), of: TurnNumber(9), isSlice: true)
        front.machine = restored
        front.handle(.objectDamaged(object(4).digest))
        #expect(front.feed(todos)?.content?.object == object(3))
        #expect(front.feed(todos)?.content?.version == ContentVersion(5))
        #expect(front.feed(todos)?.failure?.text.contains("back at version 3") == true)
        #expect(front.view(todos)?.revision?.content == object(3))
        front.handle(.objectDamaged(object(3).digest))
        front.handle(.objectDamaged(object(3).digest))
        #expect(front.feed(todos)?.content?.object == object(2))
        front.handle(.objectDamaged(object(2).digest))
        #expect(front.feed(todos)?.content == nil)
        #expect(front.feed(todos)?.failure?.text.contains("no older one") == true)
    }

    @Test("a damaged version of a user's list is forgotten after a day, in an entry, though nothing else happens")
    func forgotten() throws {
        var (front, worker) = FrontHarness.serving()
        let todos = try key("todos")
        for number in UInt64(1)...2 { end(front.ask(.feed(todos, .create(item: [123, 125]))), number, &worker, &front) }
        front.handle(.objectDamaged(object(2).digest))
        front.pass(milliseconds: 86_400_000 - 1)
        front.settle()
        #expect(front.machine.state.feeds[todos]?.damaged.map(\.object) == [object(2).digest])
        front.pass(milliseconds: 1)
        #expect(front.settle().lines.filter { $0.contains("feedChanged") } == ["entry feedChanged todos idle"])
        #expect(front.machine.state.feeds[todos]?.damaged == [])
    }

    @Test("of the damaged versions of a user's list the last eight are spared")
    func bounded() throws {
        var (front, worker) = FrontHarness.serving()
        for number in UInt64(1)...12 {
            end(front.ask(.feed(try key("todos"), .create(item: [123, 125]))), number, &worker, &front)
            if number > 1 { front.handle(.objectDamaged(object(number).digest)) }
        }
        #expect((1...12).filter { front.machine.namedObjects.contains(object($0).digest) } == [1] + Array(5...12))
    }

    @Test("a damaged order is made again; pages meanwhile come in the list's own order")
    func order() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let items = try key("items?parameter=sample")
        front.open()
        worker.register(with: &front)
        _ = front.ask(.feed(items, .sort(view: "shared", order: SortOrder(field: "price"), version: nil)))
        guard case .accepted(let job, joined: false)? = front.ask(.feed(items, .load)) else { Issue.record("not accepted"); return }
        worker.take(front.settle())
        var made = result(1)
        made.order = object(50)
        worker.end(job.rawValue, feed: made, in: &front)
        front.handle(.objectDamaged(object(50).digest))
        #expect(front.view(items)?.revision?.order == nil)
        #expect(front.view(items)?.revision?.content == object(1))
        worker.take(front.settle())
        #expect(worker.held.map(\.work?.operation) == [.sort])
        #expect(worker.held.first?.work?.sort == SortOrder(field: "price"))
    }

    /// A view whose order is damaged, and the job that makes it anew.
    private func withDamagedOrder(_ items: FeedKey) throws -> (FrontHarness, WorkerHarness, JobID) {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        _ = front.ask(.feed(items, .sort(view: "shared", order: SortOrder(field: "price"), version: nil)))
        guard case .accepted(let job, joined: false)? = front.ask(.feed(items, .load)) else { throw FeedWorld.NotAccepted(reply: nil) }
        worker.take(front.settle())
        var made = result(1)
        made.order = object(50)
        worker.end(job.rawValue, feed: made, in: &front)
        front.handle(.objectDamaged(object(50).digest))
        worker.take(front.settle())
        return (front, worker, JobID(try #require(worker.held.first).job))
    }

    @Test("what a view is ordered by stays when the order made anew fails: it says why, and the next content is ordered so")
    func orderFails() throws {
        let items = try key("items?parameter=sample")
        var (front, worker, job) = try withDamagedOrder(items)
        let failure = Failure(code: .storageFailed, text: "no", retryable: true)
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
        #expect(front.view(items)?.sort == SortOrder(field: "price") && front.view(items)?.revision?.sort == nil)
        #expect(front.view(items)?.sorting == nil && front.view(items)?.failure?.code == .storageFailed)
        _ = front.ask(.feed(items, .select(view: "shared", itemID: nil, version: nil)))
        #expect(front.view(items)?.failure?.code == .storageFailed, "nothing else tells why it is not ordered as it says")
        guard case .accepted(let load, joined: false)? = front.ask(.feed(items, .load)) else { Issue.record("not accepted"); return }
        worker.take(front.settle())
        var made = result(2)
        made.order = object(51)
        worker.take(worker.end(load.rawValue, feed: made, in: &front))
        #expect(front.view(items)?.revision?.sort == SortOrder(field: "price") && front.view(items)?.failure == nil)
    }

    @Test("a failed order made anew can be repeated; who cancels it gives the order up")
    func orderRepeated() throws {
        let items = try key("items?parameter=sample")
        var (front, worker, job) = try withDamagedOrder(items)
        worker.take(worker.end(job.rawValue, .failed, failure: Failure(code: .storageFailed, text: "no", retryable: true), in: &front))
        let failure = try #require(front.view(items)?.failure?.id)
        guard case .accepted(let again, joined: false)? = front.ask(.feed(items, .retry(view: "shared", failure: failure))) else {
            Issue.record("not accepted")
            return
        }
        #expect(front.view(items)?.sorting == again && front.view(items)?.failure == nil)
        _ = front.ask(.job(.cancel(again)))
        #expect(front.view(items)?.sort == nil && front.view(items)?.sorting == nil)
    }

    @Test("a damaged version of a user's list stays named for a day, also over a checkpoint and a restart; then it may be collected")
    func namedForADay() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let todos = try key("todos")
        front.open()
        worker.register(with: &front)
        for number in UInt64(1)...3 { end(front.ask(.feed(todos, .create(item: [123, 125]))), number, &worker, &front) }
        front.handle(.objectDamaged(object(3).digest))
        front.handle(.objectDamaged(object(2).digest))
        #expect(front.feed(todos)?.content?.object == object(1))
        #expect(front.feed(todos)?.failure?.text.contains("kept for a day") == true)
        func named() -> [Bool] { (1...3).map { front.machine.namedObjects.contains(object($0).digest) } }
        #expect(named() == [true, true, true])
        // What is asked next changes the feed's failure, not what is spared.
        end(front.ask(.feed(todos, .create(item: [123, 125]))), 4, &worker, &front)
        var restored = FrontMachine(settings: front.settings, now: front.now)
        restored.restore(front.machine.state.baseEntries(), of: TurnNumber(9), isSlice: true)
        front.machine = restored
        #expect(named() == [true, true, true])
        front = front.restarted()
        #expect(named() == [true, true, true])
        front.pass(milliseconds: 24 * 3_600_000)
        front.settle()
        #expect(named() == [true, false, false])
    }

    @Test("of damaged versions that were found at different times each is forgotten when its own day is over")
    func foundApart() throws {
        var (front, worker) = FrontHarness.serving()
        let todos = try key("todos")
        for number in UInt64(1)...3 { end(front.ask(.feed(todos, .create(item: [123, 125]))), number, &worker, &front) }
        front.handle(.objectDamaged(object(3).digest))
        front.pass(milliseconds: 3_600_000)
        front.settle()
        front.handle(.objectDamaged(object(2).digest))
        func damaged() -> [ObjectDigest]? { front.machine.state.feeds[todos]?.damaged.map(\.object) }
        #expect(damaged() == [object(3).digest, object(2).digest])
        front.pass(milliseconds: 23 * 3_600_000)
        front.settle()
        #expect(damaged() == [object(2).digest])
        front.pass(milliseconds: 3_600_000)
        front.settle()
        #expect(damaged() == [])
    }

    @Test("an object that no feed names changes nothing and costs a look-up, however many feeds there are")
    func madeUp() throws {
        var (front, worker) = FrontHarness.serving()
        end(front.ask(.feed(try key("items?parameter=sample"), .load)), 1, &worker, &front)
        let names = front.machine.state.feeds.objectNames
        let sample = try key("items?parameter=sample")
        #expect(names.firstFeed(naming: object(1).digest, from: nil) == sample)
        #expect(names.firstFeed(naming: object(1).digest, from: sample) == sample)
        #expect(names.firstFeed(naming: object(1).digest, after: sample) == nil)
        #expect(front.machine.state.feeds.names(object(1).digest) && !front.machine.state.feeds.names(object(99).digest))
        #expect(front.handle(.objectDamaged(object(99).digest)).isEmpty)
        #expect(front.late == [.objectNotNamed: 1])
        #expect(front.feed(try key("items?parameter=sample"))?.content?.object == object(1))
    }

    @Test("a failed save leaves the feed as it is, and can be repeated by the failure's id")
    func failedSave() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let todos = try key("todos")
        front.open()
        worker.register(with: &front)
        guard case .accepted(let job, joined: false)? = front.ask(.feed(todos, .create(item: [123, 125]))) else {
            Issue.record("not accepted")
            return
        }
        worker.take(front.settle())
        worker.end(job.rawValue, .failed, failure: Failure(code: .storageFailed, text: "no room"), in: &front)
        #expect(front.feed(todos)?.failure == nil)
        #expect(front.feed(todos)?.content == nil)
        #expect(front.job(job)?.failure?.id == FailureID(job.rawValue))
        guard case .accepted(let again, joined: false)? = front.ask(.feed(todos, .retry(view: "shared", failure: FailureID(job.rawValue))))
        else {
            Issue.record("not repeated")
            return
        }
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [again.rawValue])
        #expect(worker.held.first?.work?.item == [123, 125])
        #expect(worker.held.first?.work?.operation == .create)
    }
}
