//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@testable import FrontCore

@Suite("Lists in pages")
struct PageRuleTests {
    /// The largest frame that a client's socket takes by default.
    private static let largestFrame = 1 << 20

    private func byteCount(of reply: Reply, in front: FrontHarness) -> Int {
        WireCodec().encode(
            FrontEnvelope(
                front: front.settings.front, epoch: front.settings.epoch, session: front.session,
                messages: [.reply(number: RequestNumber(1), reply)])
        ).count
    }

    @Test("many live feeds come in pages that a frame holds, each feed once and by key")
    func feeds() throws {
        var front = FrontHarness()
        front.open()
        for number in 0..<1_500 {
            let key = try #require(FeedKey(text: "items?parameter=\(number)-" + String(repeating: "x", count: 200)))
            _ = front.ask(.feed(key, .load))
        }
        var keys: [FeedKey] = []
        var after: FeedKey?
        var pages = 0
        repeat {
            let answer = front.ask(.listFeeds(after: after))
            let reply = try #require(answer)
            #expect(byteCount(of: reply, in: front) < Self.largestFrame / 2)
            guard case .feeds(let page, let next) = reply else { return #expect(Bool(false), "not a page: \(reply)") }
            keys += page.map(\.key)
            after = next
            pages += 1
        } while after != nil
        // The three of the configuration beside them.
        #expect(keys.count == 1_503)
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == keys.count)
        #expect(pages >= 3)
    }

    @Test("feeds of the configuration that nobody uses are listed idle, each in its place and once; one that lacks a value is not")
    func unused() throws {
        var front = FrontHarness { settings in
            var needy = FeedDefinition(name: "needy", sourceLoader: "http")
            needy.parameters = [.init(name: "word", defaultValue: nil, isRequired: true)]
            settings.feeds.append(needy)
        }
        front.open()
        func listed(after: String? = nil) -> [FeedState] {
            if case .feeds(let feeds, nil)? = front.ask(.listFeeds(after: after.flatMap { FeedKey(text: $0) })) { feeds } else { [] }
        }
        #expect(listed().map(\.key.text) == ["items?parameter=sample", "lazy", "todos"])
        #expect(listed().map(\.isEditable) == [false, false, true])
        #expect(listed().allSatisfy { $0.activity == .idle && $0.content == nil })
        for text in ["lazy", "items?parameter=z", "needy?word=x"] { _ = front.ask(.feed(try #require(FeedKey(text: text)), .load)) }
        #expect(listed().map(\.key.text) == ["items?parameter=sample", "items?parameter=z", "lazy", "needy?word=x", "todos"])
        #expect(listed().map { $0.activity == .idle } == [true, false, false, false, true])
        #expect(listed(after: "items?parameter=z").map(\.key.text) == ["lazy", "needy?word=x", "todos"])
    }

    /// The largest that a loader can say of a failure.
    private static let largestFailure = Failure(
        code: .invalidData, text: String(repeating: "x", count: MessageBounds.textByteCount),
        arguments: Array(
            repeating: String(repeating: "k", count: MessageBounds.failureArgumentByteCount), count: MessageBounds.failureArguments))

    /// A front with so many jobs that failed with all that can be said, asked by a client that takes the smallest frames.
    private func failedFront(jobs: Int) -> FrontHarness {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open(largestFrame: 131_072)
        worker.register(with: &front)
        for _ in 0..<jobs {
            let job = front.run(1, loader: "slow", on: &worker)
            worker.end(job.rawValue, .failed, failure: Self.largestFailure, in: &front)
            front.settle()
        }
        return front
    }

    @Test("jobs that failed with the largest arguments come in pages that the smallest frame holds", arguments: [JobState?.none, .failed])
    func largestFailures(state: JobState?) throws {
        var front = failedFront(jobs: 20)
        var seen: [JobID] = []
        var before: JobID?
        repeat {
            let answer = front.ask(.job(.list(JobQuery(state: state, limit: 1_000, before: before))))
            let reply = try #require(answer)
            #expect(byteCount(of: reply, in: front) <= 131_072)
            guard case .jobs(let page, let next, _) = reply, !page.isEmpty else { return #expect(Bool(false), "not a page: \(reply)") }
            #expect(page.allSatisfy { $0.failure?.arguments == Self.largestFailure.arguments })
            seen += page.map(\.id)
            before = next
        } while before != nil
        #expect(seen.count == 20)
    }

    @Test("feeds whose loads failed with the largest arguments come in pages that the smallest frame holds")
    func largestFailuresOfFeeds() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open(largestFrame: 131_072)
        worker.register(with: &front)
        for number in 0..<12 {
            let key = try #require(FeedKey(text: "items?parameter=\(number)-" + String(repeating: "x", count: 300)))
            _ = front.ask(.feed(key, .load))
            worker.take(front.settle())
            worker.end(try #require(worker.held.first).job, .failed, failure: Self.largestFailure, in: &front)
        }
        var count = 0
        var after: FeedKey?
        repeat {
            let answer = front.ask(.listFeeds(after: after))
            let reply = try #require(answer)
            #expect(byteCount(of: reply, in: front) <= 131_072)
            guard case .feeds(let page, let next) = reply, !page.isEmpty else { return #expect(Bool(false), "not a page: \(reply)") }
            count += page.count { $0.failure != nil }
            after = next
        } while after != nil
        #expect(count == 12)
    }

    @Test("replies that a client does not confirm are bounded in the bytes that they have, whatever is said in them")
    func unconfirmedPages() {
        var front = failedFront(jobs: 20)
        var byteCount = 0
        var refusals = 0
        for number in front.nextRequest..<front.nextRequest + 64 {
            let request = ClientMessage.Request(
                number: RequestNumber(number), lowestUnanswered: RequestNumber(front.nextRequest),
                body: .job(.list(JobQuery(state: .failed, limit: 1_000))))
            for case .send(_, _, .reply(_, let reply, _)) in front.send(.request(request)) {
                if case .refused(let failure, _) = reply {
                    #expect(failure.code == .busy)
                    refusals += 1
                } else {
                    byteCount += self.byteCount(of: reply, in: front)
                }
            }
        }
        #expect(byteCount > 2 << 20 && byteCount <= Bounds().readingByteCount + 131_072)
        #expect(refusals > 0)
        // The largest of them does not count there.
        #expect(front.machine.state.retainedAmounts(marks: [:]).readingByteCount + 131_072 >= byteCount)
    }

    @Test("a page of jobs has 1 to 1,000 jobs, another limit is refused", arguments: [JobState?.none, .failed])
    func limits(state: JobState?) {
        var front = FrontHarness()
        front.open()
        _ = front.submit(1_001)
        for limit: UInt32 in [0, 1_001, .max] {
            guard case .refused(let failure, .zero)? = front.ask(.job(.list(JobQuery(state: state, limit: limit)))) else {
                Issue.record("a limit of \(limit) is taken")
                continue
            }
            #expect(failure.code == .invalidData && failure.text == "a page has 1 to 1,000 jobs, not \(limit)")
        }
        for limit: UInt32 in [1, 1_000] {
            guard case .jobs(let jobs, let next, _)? = front.ask(.job(.list(JobQuery(limit: limit)))) else {
                Issue.record("a limit of \(limit) is refused")
                continue
            }
            #expect(jobs.count == Int(limit) && next == jobs.last?.id)
        }
    }

    @Test("a page that has looked at as many jobs as it may ends though it has found none, and the next one begins with the next job")
    func looks() {
        var page = JobPage(JobQuery(), byteLimit: 1_000, seenLimit: 3, mayWait: true)
        let open = ([9, 7, 5, 3, 2] as [UInt64]).filter { page.isOpen(for: $0) }
        #expect(open == [9, 7, 5])
        let reply = page.answer(retention: Bounds().retention).reply
        #expect(reply == .jobs([], next: JobID(4)))
    }

    @Test("a page of a thousand failed jobs ends early rather than outgrow a frame, and the next one follows it")
    func jobs() throws {
        var (front, worker) = FrontHarness.serving()
        let text = String(repeating: "long ", count: 300)
        for _ in 0..<400 {
            let job = front.run(1, loader: "slow", on: &worker)
            worker.end(job.rawValue, .failed, failure: Failure(code: .httpStatus, text: text), in: &front)
            front.settle()
        }
        var seen: [JobID] = []
        var before: JobID?
        repeat {
            let answer = front.ask(.job(.list(JobQuery(limit: 1_000, before: before))))
            let reply = try #require(answer)
            #expect(byteCount(of: reply, in: front) < Self.largestFrame / 2)
            guard case .jobs(let page, let next, _) = reply else { return #expect(Bool(false), "not a page: \(reply)") }
            seen += page.map(\.id)
            before = next
        } while before != nil
        #expect(seen.count == 400)
        #expect(seen == seen.sorted(by: >))
    }
}
