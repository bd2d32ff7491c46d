//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import GantryClient

/// Requests whose answer is tied to them.
@Suite("Typed requests")
struct TypedRequestTests {
    /// One of each answer that there is, by its name.
    private static let answers: [(name: String, answer: Answer)] = {
        let feed = FeedKey(name: "todos")
        let job = JobSummary(id: JobID(5), loader: "sleep", state: .waiting, acceptedAt: WallTime(milliseconds: 0))
        return [
            ("opened", .opened),
            ("accepted jobs", .accepted(first: JobID(5), count: 3)), ("page", .page(PageReply(number: 1, itemCount: 9))),
            ("ended", .ended(JobID(5), .failed, [1])), ("accepted", .reply(.accepted(JobID(5), joined: true), feed)),
            ("done", .reply(.done(version: 4), feed)), ("cancelling", .reply(.cancelling(JobID(5)), nil)),
            ("already ended", .reply(.alreadyEnded(JobID(5), .succeeded), feed)), ("jobs", .reply(.jobs([], next: JobID(8)), nil)),
            ("explanation", .reply(.explanation(JobExplanation(job: job)), nil)),
            ("feeds", .reply(.feeds([], next: feed), nil)),
        ]
    }()

    /// The answers that a request reads.
    private func read<Value>(by request: TypedRequest<Value>) -> [String] {
        Self.answers.filter { request.value($0.answer) != nil }.map(\.name)
    }

    @Test("each request reads the answers that belong to it, and no other")
    func ownAnswers() throws {
        let feed = try #require(FeedKey(name: "todos"))
        let batch = JobBatch(loader: "sleep", options: JobOptionsColumn(JobOptions()), [[1]])
        #expect(read(by: .submit(batch)) == ["accepted jobs"])
        #expect(read(by: .outcome(of: batch)) == ["ended"])
        #expect(read(by: .page(PageRequest(number: 1, content: ObjectDigest(words: (1, 0, 0, 0))))) == ["page"])
        #expect(read(by: .change(.feed(feed, .load))) == ["accepted", "done"])
        #expect(read(by: .cancel(JobID(5))) == ["cancelling", "already ended"])
        #expect(read(by: .cancelLoad(feed, only: nil)) == ["cancelling", "already ended"])
        #expect(read(by: .changed(.reprioritize(JobID(5), priority: 9))) == ["done"])
        #expect(read(by: .drain(WorkerID(5))) == ["done"])
        #expect(read(by: .jobs(JobQuery())) == ["jobs"])
        #expect(read(by: .explain(JobID(5))) == ["explanation"])
        #expect(read(by: .feeds(after: nil)) == ["feeds"])
    }

    @Test("a change of a feed without the feed's name in its answer is none")
    func nameless() throws {
        let feed = try #require(FeedKey(name: "todos"))
        let change = TypedRequest.change(.feed(feed, .load))
        #expect(change.value(.reply(.done(version: 4), nil)) == nil)
        #expect(change.value(.reply(.done(version: 4), feed)) == FeedAnswer(job: nil, joined: false, version: 4, feed: feed))
        #expect(
            change.value(.reply(.accepted(JobID(5), joined: true), feed))
                == FeedAnswer(job: JobID(5), joined: true, version: nil, feed: feed))
    }

    @Test("only the end of a job is waited for longer than its acceptance")
    func commands() throws {
        let feed = try #require(FeedKey(name: "todos"))
        let batch = JobBatch(loader: "sleep", options: JobOptionsColumn(JobOptions()), [[1]])
        #expect(TypedRequest.outcome(of: batch).awaitsOutcome && !TypedRequest.submit(batch).awaitsOutcome)
        guard
            case .request(_, .feed(feed, .cancelLoad(only: JobID(5)))) = TypedRequest.cancelLoad(feed, only: JobID(5)).command(CallID(3))
        else {
            Issue.record("another request")
            return
        }
        guard case .submit(_, batch) = TypedRequest.outcome(of: batch).command(CallID(3)) else {
            Issue.record("another request")
            return
        }
    }
}
