//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Tokens that come back")
struct ReturnedTokenTests {
    private let base = LimitTests()
    private let rates = LimitRateTests()

    @Test("a retry takes a new token, a cancel gives none back, and a job that is returned unstarted or refused does, up to the burst")
    func givenBack() {
        var (front, workers) = rates.serving(["api": rates.rate(1, 60, burst: 3)], workers: 1)
        let first = rates.submit(2, &front)
        base.settle(&front, &workers)
        #expect(rates.tokens(front) == 1)
        workers[0].end(first, .returned, in: &front)
        // It is granted again, with a new token, when its worker takes jobs again.
        #expect(rates.tokens(front) == 2)
        base.check(front)
        _ = workers[0].renew(&front)
        base.settle(&front, &workers)
        #expect(rates.tokens(front) == 1 && base.held(workers) == [first, first + 1])
        #expect(front.ask(.job(.cancel(JobID(first)))) == .cancelling(JobID(first)))
        base.settle(&front, &workers)
        for index in workers.indices { workers[index].end(first, .cancelled, in: &front) }
        #expect(rates.tokens(front) == 1)
        let failure = Failure(code: .unreachable, text: "no answer", retryable: true)
        for index in workers.indices { workers[index].end(first + 1, .failed, failure: failure, in: &front) }
        #expect(front.job(JobID(first + 1))?.state == .scheduled && rates.tokens(front) == 1)
        #expect(front.ask(.job(.promote(JobID(first + 1)))) == .done(version: 0))
        base.settle(&front, &workers)
        #expect(rates.tokens(front) == 0 && base.held(workers) == [first + 1])
        base.check(front)
    }

    @Test("a token that has come back by itself is not given back once more: no more begin at once than the burst")
    func full() {
        var (front, workers) = rates.serving(["api": rates.rate(1, 1, burst: 2)], workers: 1)
        let first = rates.submit(1, &front)
        base.settle(&front, &workers)
        #expect(rates.tokens(front) == 1)
        rates.pass(1_000, &front, &workers)
        #expect(rates.tokens(front) == 2)
        // The bucket is full when the next one takes its token: that of the first is no longer missing.
        let second = rates.submit(1, &front)
        base.settle(&front, &workers)
        #expect(rates.tokens(front) == 1 && base.held(workers) == [first, second])
        workers[0].end(first, .returned, in: &front)
        #expect(rates.tokens(front) == 1)
        // That of the second is.
        workers[0].end(second, .returned, in: &front)
        #expect(rates.tokens(front) == 2)
        base.check(front)
    }

    @Test("what has come by itself since a token was taken is not there once more when it is given back: as if it had never been taken")
    func lent() {
        var (front, workers) = rates.serving(["api": rates.rate(100, 1, burst: 4)], workers: 1)
        let first = rates.submit(3, &front)
        base.settle(&front, &workers)
        rates.pass(20, &front, &workers)
        // Without the first three the bucket would have lost two of those that have come.
        _ = rates.submit(3, &front)
        base.settle(&front, &workers)
        for job in first..<first + 3 { workers[0].end(job, .returned, in: &front) }
        #expect(rates.tokens(front) == 1)
        base.check(front)
    }

    @Test("a job that was granted before its limit had a rate gives no token back, also when its worker has registered again since")
    func renewed() {
        var (front, workers) = rates.serving(["api": LimitRule(capacity: 8)], workers: 1)
        let first = rates.submit(1, &front)
        base.settle(&front, &workers)
        #expect(rates.set("api", rates.rate(1, 60, burst: 3), &front) == .done(version: 0))
        _ = rates.submit(2, &front)
        base.settle(&front, &workers)
        #expect(rates.tokens(front) == 1 && base.held(workers).count == 3)
        workers[0].register(with: &front, slots: 8, prefetch: 0)
        workers[0].end(first, .returned, in: &front)
        #expect(front.job(JobID(first))?.state == .waiting && rates.tokens(front) == 1)
        base.check(front)
    }

    @Test("a grant that never left the front gives its token back")
    func unsent() {
        var (front, _) = rates.serving(["api": rates.rate(1, 60, burst: 2)])
        front.sends = false
        let job = rates.submit(1, &front)
        front.settle()
        #expect(rates.tokens(front) == 1 && front.job(JobID(job))?.state == .running)
        for _ in 0..<7 {
            front.pass(milliseconds: 1_000)
            front.settle()
        }
        #expect(rates.tokens(front) == 2 && front.job(JobID(job))?.state == .waiting)
        base.check(front)
    }

    @Test("a job that was granted before its limit had a rate gives back no token that it never took")
    func unrated() {
        var (front, workers) = rates.serving(["api": LimitRule(capacity: 9)], workers: 1)
        let first = rates.submit(1, &front)
        base.settle(&front, &workers)
        #expect(rates.set("api", rates.rate(1, 60, burst: 1), &front) == .done(version: 0))
        _ = rates.submit(2, &front)
        base.settle(&front, &workers)
        #expect(base.held(workers).count == 2 && rates.tokens(front) == 0)
        workers[0].end(first, .returned, in: &front)
        #expect(rates.tokens(front) == 0)
        base.check(front)
    }

    @Test(
        "what an untouched bucket had lost by a change of its rate does not come back after it: full before a larger burst, or cut by a smaller one",
        arguments: [false, true])
    func changed(isCut: Bool) {
        var (front, workers) = rates.serving(["api": rates.rate(10, 10, burst: 8)], workers: 1)
        let first = rates.submit(8, &front)
        base.settle(&front, &workers)
        #expect(base.held(workers).count == 8 && rates.tokens(front) == 0)
        if isCut {
            #expect(rates.set("api", rates.rate(10, 10, burst: 2), &front) == .done(version: 0))
            #expect(rates.set("api", rates.rate(10, 10, burst: 8), &front) == .done(version: 0))
        } else {
            rates.pass(9_000, &front, &workers)
            #expect(rates.set("api", rates.rate(10, 10, burst: 40), &front) == .done(version: 0))
        }
        for job in first..<first + 8 { workers[0].end(job, .returned, in: &front) }
        // Cut to two and untouched since, or full with eight when there was room for no more.
        #expect(rates.tokens(front) == (isCut ? 2 : 8))
        base.check(front)
    }
}
