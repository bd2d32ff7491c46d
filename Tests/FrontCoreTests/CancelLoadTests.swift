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
        front.follow()
        #expect(front.ask(.feed(items, .cancelLoad(only: first))) == .cancelling(first))
        let second = try accepted(front.ask(.feed(items, .load)))
        #expect(front.ask(.feed(items, .cancelLoad(only: first))) == .cancelling(first))
        #expect(
            front.path() == [
                "entry cancelRequested 1", "worker 1: cancel leases 1", "entry feedChanged items?parameter=sample idle",
                "entry replyRetained 2 cancelling 1", "client 7: reply 2 cancelling 1", "changed feed/items?parameter=sample feed",
                "entry feedJobAccepted 2 load items?parameter=sample", "entry feedChanged items?parameter=sample waiting 2",
                "entry replyRetained 3 accepted 2", "client 7: reply 3 accepted 2", "changed feed/items?parameter=sample feed",
                "entry replyRetained 4 cancelling 1", "client 7: reply 4 cancelling 1",
            ])
        #expect(front.feed(items)?.activity.job == second)
        worker.take(worker.end(first.rawValue, .cancelled, in: &front))
        #expect(front.ask(.feed(items, .cancelLoad(only: first))) == .alreadyEnded(first, .cancelled))
        #expect(
            front.path() == [
                "entry ended 1 cancelled", "changed jobs job/1, workers worker/1", "entry granted 2 to worker 1", "worker 1: settled 1",
                "worker 1: grant 2", "entry feedChanged items?parameter=sample loading 2",
                "changed feed/items?parameter=sample feed, jobs job/2, workers worker/1", "entry replyRetained 5 alreadyEnded 1 cancelled",
                "client 7: reply 5 alreadyEnded 1 cancelled",
            ])
        for _ in 0..<2 { _ = front.ask(.feed(items, .cancelLoad(only: nil))) }
        #expect(
            front.path() == [
                "entry cancelRequested 2", "worker 1: cancel leases 2", "entry feedChanged items?parameter=sample idle",
                "entry replyRetained 6 cancelling 2", "client 7: reply 6 cancelling 2", "changed feed/items?parameter=sample feed",
                "entry replyRetained 7 cancelling 2", "client 7: reply 7 cancelling 2",
            ])
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
