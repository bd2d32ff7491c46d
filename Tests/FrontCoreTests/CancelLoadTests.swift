//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import Testing

@Suite("Cancelling the load of a feed")
struct CancelLoadTests {
    private func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    private func accepted(_ reply: Reply?) throws -> JobID {
        guard case .accepted(let job, joined: false)? = reply else {
            Issue.record("not accepted: \(String(describing: reply))")
            throw CancellationError()
        }
        return job
    }

    private func code(_ reply: Reply?) -> FailureCode? {
        if case .refused(let failure, _)? = reply { failure.code } else { nil }
    }

    private func working() -> (FrontHarness, WorkerHarness) {
        var (front, worker) = (FrontHarness(), WorkerHarness(1))
        front.open()
        worker.register(with: &front, slots: 4)
        return (front, worker)
    }

    @Test(
        "a load that has taken the place of another is the one that is cancelled; who meant the other is told how that one stands"
    )
    func replaced() throws {
        var (front, worker) = working()
        let items = try key("items?parameter=sample")
        let first = try accepted(front.ask(.feed(items, .load)))
        worker.take(front.settle())
        #expect(front.ask(.feed(items, .cancelLoad(only: first))) == .cancelling(first))
        let second = try accepted(front.ask(.feed(items, .load)))
        #expect(front.ask(.feed(items, .cancelLoad(only: first))) == .cancelling(first))
        #expect(front.feed(items)?.activity.job == second)
        worker.take(worker.end(first.rawValue, .cancelled, in: &front))
        #expect(front.ask(.feed(items, .cancelLoad(only: first))) == .alreadyEnded(first, .cancelled))
        #expect(front.feed(items)?.activity == .loading(second, cause: .asked, attempt: 1))
        #expect(front.ask(.feed(items, .cancelLoad(only: nil))) == .cancelling(second))
        #expect(front.feed(items)?.activity == .idle)
        #expect(front.ask(.feed(items, .cancelLoad(only: nil))) == .cancelling(second))
    }

    @Test("the merge that follows a fetch is a load; a save and a sort go on, whoever cancels")
    func kinds() throws {
        var (front, worker) = working()
        let todos = try key("todos")
        let save = try accepted(front.ask(.feed(todos, .create(item: Array("{\"title\":\"a\"}".utf8)))))
        worker.take(front.settle())
        #expect(code(front.ask(.feed(todos, .cancelLoad(only: nil)))) == .unknownItem)
        #expect(code(front.ask(.feed(todos, .cancelLoad(only: save)))) == .unknownItem)
        #expect(worker.held.map(\.job) == [save.rawValue])
        _ = try accepted(front.ask(.feed(todos, .load)))
        worker.take(front.settle())
        var fetched = FeedResult()
        fetched.content = ObjectReference(
            digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 10, itemCount: 3)
        worker.take(worker.end(try #require(worker.held.last?.job), feed: fetched, in: &front))
        guard case .cancelling(let merge)? = front.ask(.feed(todos, .cancelLoad(only: nil))) else {
            Issue.record("the merge was not cancelled")
            return
        }
        #expect(merge != save)
        #expect(front.feed(todos)?.activity == .idle)
        #expect(worker.held.map(\.job) == [save.rawValue])
    }

    @Test(
        "what is no load of the feed is not cancelled: an unknown job, another feed's load, a feed that does nothing"
    )
    func others() throws {
        var (front, worker) = working()
        let (items, other) = (try key("items?parameter=sample"), try key("items?parameter=other"))
        let job = try accepted(front.ask(.feed(other, .load)))
        worker.take(front.settle())
        #expect(code(front.ask(.feed(items, .cancelLoad(only: nil)))) == .unknownItem)
        #expect(code(front.ask(.feed(items, .cancelLoad(only: job)))) == .unknownItem)
        #expect(code(front.ask(.feed(items, .cancelLoad(only: JobID(.max))))) == .unknownItem)
        #expect(code(front.ask(.feed(try key("nobody-has-this"), .cancelLoad(only: nil)))) == .unknownFeed)
        #expect(front.feed(other)?.activity == .loading(job, cause: .asked, attempt: 1))
    }
}
