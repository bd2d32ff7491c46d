//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Estimates of jobs that wait for limits")
struct LimitEstimateTests {
    private static let rate = LimitRule(refill: LimitRefill(10, per: .seconds(1), burst: 3))

    /// A front of a known boot with a worker and limits.
    private func serving(slots: UInt32 = 16, _ rules: [String: LimitRule]) -> (FrontHarness, WorkerHarness) {
        var front = FrontHarness { $0.boot = BootInstant(id: "one", uptime: .seconds(1)) }
        var worker = WorkerHarness(1)
        front.open()
        for (name, rule) in rules.sorted(by: { $0.key < $1.key }) { #expect(front.ask(.limit(.set(name, rule))) == .done(version: 0)) }
        worker.register(with: &front, slots: slots, prefetch: 0)
        return (front, worker)
    }

    private func submit(_ count: Int, loader: String = "slow", _ keys: LimitKey..., to front: inout FrontHarness) -> JobID {
        front.submit(count, loader: loader, JobOptionsColumn(JobOptions(limitKeys: keys)))
    }

    private func explain(_ job: JobID, _ front: inout FrontHarness) -> JobExplanation? {
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else { return nil }
        return explanation
    }

    /// What is estimated of jobs in a row, in seconds.
    private func estimates(_ count: UInt64, from job: JobID, _ front: inout FrontHarness) -> [Double?] {
        (0..<count).map { explain(job.advanced(by: $0), &front)?.estimate?.inSeconds }
    }

    private func pass(seconds: Int, _ front: inout FrontHarness, _ worker: inout WorkerHarness) {
        for _ in 0..<seconds {
            front.pass(milliseconds: 1_000)
            _ = worker.renew(&front)
        }
    }

    /// A job of a loader runs for twenty seconds, so that the front knows how long such a one takes.
    private func learn(_ front: inout FrontHarness, _ worker: inout WorkerHarness) {
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        pass(seconds: 20, &front, &worker)
        worker.take(worker.endAll(in: &front))
    }

    @Test("of a bucket it is known when the n-th token comes, be it beyond what it holds at once, and the time that passes comes off")
    func tokens() throws {
        var (front, worker) = serving(["api": Self.rate])
        let first = submit(10, LimitKey("api"), to: &front)
        worker.take(front.settle())
        #expect(worker.held.count == 3)
        let waiting = first.advanced(by: 3)
        #expect(estimates(7, from: waiting, &front) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
        front.pass(milliseconds: 50)
        #expect(estimates(3, from: waiting, &front) == [0.05, 0.15, 0.25])
        let reported = try #require(explain(waiting.advanced(by: 6), &front))
        #expect(reported.placeInLine == 6 && !reported.timeline.contains { $0.contains("not known") }, "\(reported.timeline)")
        // They come as it was said.
        for step in 1...7 {
            front.pass(milliseconds: 100)
            worker.take(front.settle())
            #expect(worker.held.count == 3 + step)
        }
    }

    @Test("who waits for a token and finds no slot by then waits for that too, and nothing is known where nobody knows when one is free")
    func slots() throws {
        for isKnown in [false, true] {
            var (front, worker) = serving(slots: 4, ["api": Self.rate])
            if isKnown { learn(&front, &worker) }
            let waiting = submit(4, LimitKey("api"), to: &front).advanced(by: 3)
            worker.take(front.settle())
            #expect(estimates(1, from: waiting, &front) == [0.1])
            _ = front.submit(1, loader: "slow")
            worker.take(front.settle())
            #expect(worker.held.count == 4)
            let reported = try #require(explain(waiting, &front))
            #expect(reported.job.waitReason?.word == .limitFull && reported.estimate == (isKnown ? .seconds(20) : nil))
            let unknown = "when it starts is not known: others may take the next tokens or slots"
            #expect((reported.timeline.last == unknown) == !isKnown, "\(reported.timeline)")
        }
    }

    @Test(
        "jobs before it that wait for slots alone take neither tokens nor permits: they count for the slots only",
        arguments: [Self.rate, LimitRule(capacity: 3)])
    func passing(rule: LimitRule) throws {
        var (front, worker) = serving(slots: 4, ["api": rule])
        // Short jobs, so that slots are free soon.
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        front.pass(milliseconds: 100)
        worker.take(worker.endAll(in: &front))
        let last = submit(5, LimitKey("api"), to: &front).advanced(by: 4)
        worker.take(front.settle())
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        #expect(worker.held.count == 4)
        _ = front.submit(40, loader: "slow", priority: JobPriority.highest)
        worker.take(front.settle())
        let reported = try #require(explain(last, &front))
        #expect(reported.job.waitReason?.word == .limitFull && reported.placeInLine == 41)
        // Ten rounds of four slots, and the next end. Its token comes after 0.2 s, its permit after 0.1 s; for 41 more it would be 4.2 s and 1.4 s.
        let estimate = try #require(reported.estimate?.inSeconds)
        #expect((1.0...1.2).contains(estimate), "\(estimate) s")
    }

    @Test("for permits as many runs have to end as it has a place, each after what is left of its usual length, unless all are overdue")
    func permits() throws {
        var (front, worker) = serving(["api": LimitRule(capacity: 3)])
        learn(&front, &worker)
        for _ in 0..<3 {
            _ = submit(1, LimitKey("api"), to: &front)
            worker.take(front.settle())
            pass(seconds: 1, &front, &worker)
        }
        // Those that count in no limit give back no permit.
        _ = front.submit(2, loader: "slow")
        worker.take(front.settle())
        #expect(worker.held.count == 5)
        let waiting = submit(5, LimitKey("api"), to: &front)
        worker.take(front.settle())
        #expect(estimates(5, from: waiting, &front) == [17, 18, 19, 37, 38])
        pass(seconds: 17, &front, &worker)
        #expect(estimates(1, from: waiting, &front) == [1])
        pass(seconds: 3, &front, &worker)
        let reported = try #require(explain(waiting, &front))
        #expect(reported.estimate == nil)
        #expect(reported.timeline.last == "when it starts is not known: jobs that count in the limit have to end first")
    }

    @Test("jobs that take several permits each wait for as many runs as have to end")
    func weights() {
        var (front, worker) = serving(["api": LimitRule(capacity: 5)])
        learn(&front, &worker)
        let first = submit(4, LimitKey("api", weight: 2), to: &front)
        worker.take(front.settle())
        #expect(worker.held.count == 2)
        pass(seconds: 5, &front, &worker)
        #expect(estimates(2, from: first.advanced(by: 2), &front) == [15, 15])
    }

    enum Other: CaseIterable {
        case loader, client, weight, lowered, rate, limit
    }

    @Test(
        "where others begin in another order, need more, or need something else too, nothing is said that may not come",
        arguments: Other.allCases)
    func unknown(_ other: Other) throws {
        let rated = LimitRule(capacity: 3, refill: LimitRefill(4, per: .seconds(60)))
        var (front, worker) = serving(["api": LimitRule(capacity: 3), "rare": LimitRule(capacity: 4), "rated": rated])
        learn(&front, &worker)
        let keys = [LimitKey(other == .rate ? "rated" : "api")] + (other == .limit ? [LimitKey("rare")] : [])
        let options = JobOptionsColumn(JobOptions(limitKeys: keys))
        _ = front.submit(3, loader: "slow", options)
        worker.take(front.settle())
        pass(seconds: 1, &front, &worker)
        let waiting = front.submit(2, loader: "slow", options)
        switch other {
        case .loader: _ = submit(1, loader: "http", LimitKey("api"), to: &front)
        case .client:
            front.open(client: "two")
            _ = submit(1, LimitKey("api"), to: &front)
        case .weight: _ = submit(1, LimitKey("api", weight: 2), to: &front)
        case .lowered: #expect(front.ask(.limit(.set("api", LimitRule(capacity: 2)))) == .done(version: 0))
        case .rate, .limit: break
        }
        worker.take(front.settle())
        #expect(worker.held.count == 3)
        // There is one token, or one permit of the other limit: the second job needs more.
        let isForFirst = other == .rate || other == .limit
        #expect(estimates(2, from: waiting, &front) == [isForFirst ? 19 : nil, nil])
        let last = try #require(explain(waiting.advanced(by: 1), &front))
        #expect(last.timeline.last == "when it starts is not known: jobs that count in the limit have to end first", "\(last.timeline)")
    }
}
