//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import Testing

@Suite("Requests that only read")
struct ReadingRequestTests {
    private func request(_ number: UInt64, _ lowest: UInt64, _ body: RequestBody = .listFeeds()) -> ClientMessage {
        .request(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(lowest), body: body))
    }

    @Test("a reading request is not run again by a repeat: its reply is the one of the first run")
    func readingRepeated() {
        var front = FrontHarness()
        front.open()
        let question = request(1, 1, .job(.list(JobQuery())))
        let first = front.send(question)
        _ = front.send(
            .submit(.init(number: RequestNumber(2), lowestUnanswered: RequestNumber(1), loader: "noop", arguments: [[]])))
        #expect(front.send(question) == first)
        guard case .send(_, _, .reply(_, .jobs(let jobs, _, _), _)) = front.send(request(3, 1, .job(.list(JobQuery())))).last else {
            Issue.record("no page")
            return
        }
        #expect(jobs.count == 1)
    }

    @Test("64 replies to reading requests are under way at most: the next is refused as busy with a time, until some are confirmed")
    func readingBound() {
        var front = FrontHarness()
        front.open()
        for number in 1...64 { _ = front.send(request(UInt64(number), 1)) }
        guard case .send(_, _, .reply(_, .refused(let failure, let wait), _)) = front.send(request(65, 1)).last, wait == .milliseconds(100)
        else {
            Issue.record("the 65th is run")
            return
        }
        #expect(failure.code == .busy && failure.retryable)
        guard case .send(_, _, .reply(_, .feeds, _)) = front.send(request(66, 3)).last else {
            Issue.record("confirmed replies make no room")
            return
        }
    }

    @Test("4 MiB of replies to reading requests are under way at most")
    func readingBytes() {
        var front = FrontHarness { $0.bounds.readingByteCount = 1_000 }
        front.open()
        _ = front.submit(20)
        let codes = (2...4 as ClosedRange<UInt64>).map { number -> FailureCode? in
            let reported = front.send(request(number, 1, .job(.list(JobQuery())))).last
            if case .send(_, _, .reply(_, .refused(let failure, _), _)) = reported { return failure.code }
            return nil
        }
        #expect(codes == [nil, .busy, .busy])
    }
}
