//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Estimates of waiting jobs")
struct EstimateTests {
    private func explain(_ job: JobID, _ front: inout FrontHarness) -> JobExplanation? {
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else { return nil }
        return explanation
    }

    @Test("a job that nobody offers has no estimate, however many jobs end")
    func nobodyOffers() {
        var (front, worker) = FrontHarness.serving()
        let stranger = front.submit(1, loader: "nobody-offers-this")
        for _ in 0..<20 {
            _ = front.submit(1)
            worker.take(front.settle())
            _ = worker.endAll(in: &front)
            front.pass(milliseconds: 500)
        }
        #expect(explain(stranger, &front)?.placeInLine == 0)
        #expect(explain(stranger, &front)?.estimate == nil)
    }

    @Test("behind running jobs of which nothing is known yet there is no estimate, whatever their age and the pace of quick ones before")
    func unknown() throws {
        var (front, worker) = FrontHarness.serving(slots: 3)
        for _ in 0..<20 {
            _ = front.submit(1)
            worker.take(front.settle())
            _ = worker.endAll(in: &front)
            front.pass(milliseconds: 100)
        }
        _ = front.submit(3, loader: "slow")
        worker.take(front.settle())
        #expect(worker.held.count == 3)
        let waiting = front.submit(4, loader: "slow")
        for _ in 0..<30 {
            front.pass(milliseconds: 1_000)
            _ = worker.renew(&front)
        }
        for place in UInt64(0)..<4 {
            let reported = try #require(explain(waiting.advanced(by: place), &front))
            #expect(reported.placeInLine == place && reported.estimate == nil)
            #expect(reported.timeline.contains("waits: no slot is free for it"), "\(reported.timeline)")
            #expect(reported.timeline.last == "when it starts is not known: no job like those that run has ended since the front started")
        }
    }

    @Test("one running job of which nothing is known hides no other that ends first, but all that need its end")
    func mixed() throws {
        var (front, worker) = FrontHarness.serving(slots: 2)
        func pass(seconds: Int) {
            for _ in 0..<seconds {
                front.pass(milliseconds: 1_000)
                _ = worker.renew(&front)
            }
        }
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        pass(seconds: 20)
        _ = worker.endAll(in: &front)
        _ = front.submit(1, loader: "slow")
        _ = front.submit(1, loader: "once")
        worker.take(front.settle())
        #expect(worker.held.count == 2)
        pass(seconds: 5)
        let waiting = front.submit(3, loader: "slow")
        let estimates = (UInt64(0)..<3).map { explain(waiting.advanced(by: $0), &front)?.estimate?.inSeconds }
        let first = try #require(estimates[0])
        #expect(abs(first - 15) < 1 && estimates[1] == nil && estimates[2] == nil, "\(estimates)")
    }

    @Test("a running job tells what it says it is doing, such as that it waits for memory")
    func saying() throws {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        let lease = LeaseID(try #require(worker.held.first).lease)
        let text = "waiting for 64 MiB of memory: other jobs hold 64 MiB of 80 MiB"
        _ = worker.send(.progress([.init(job: job, lease: lease, progress: JobProgress(message: text))]), to: &front)
        #expect(explain(job, &front)?.timeline.contains(text) == true)
    }

    @Test("what a job said it was doing goes with its end, also of one that was taken ahead", arguments: ["slow", "noop"])
    func saidNoMore(loader: String) throws {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: loader, on: &worker)
        let lease = LeaseID(try #require(worker.held.first).lease)
        _ = worker.send(.progress([.init(job: job, lease: lease, progress: JobProgress(message: "half of it"))]), to: &front)
        #expect(explain(job, &front)?.timeline.contains("half of it") == true)
        worker.end(job.rawValue, in: &front)
        #expect(explain(job, &front)?.timeline.contains("half of it") == false)
        #expect(front.machine.queue.views.progress(of: job.rawValue) == nil)
    }

    @Test("of a running job only what is left counts, as long as jobs of its loader took before, though slots were free then")
    func left() throws {
        var (front, worker) = FrontHarness.serving(slots: 4)
        func pass(seconds: Int) {
            for _ in 0..<seconds {
                front.pass(milliseconds: 1_000)
                _ = worker.renew(&front)
            }
        }
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        pass(seconds: 20)
        _ = worker.endAll(in: &front)
        for _ in 0..<4 {
            _ = front.submit(1, loader: "slow")
            worker.take(front.settle())
            pass(seconds: 1)
        }
        #expect(worker.held.count == 4)
        let waiting = front.submit(5, loader: "slow")
        let seconds = try (UInt64(0)..<5).map { try #require(explain(waiting.advanced(by: $0), &front)?.estimate?.inSeconds) }
        // They have run for 4, 3, 2 and 1 s of 20.
        let expected = [16.0, 17, 18, 19, 36]
        #expect(zip(seconds, expected).allSatisfy { abs($0 - $1) < 1 }, "\(seconds)")
    }

    @Test("bulk jobs that one worker has taken ahead do not hide the slow job of another, which ends first")
    func shared() throws {
        var front = FrontHarness()
        var (ahead, slow, earlier) = (WorkerHarness(1), WorkerHarness(2), WorkerHarness(3))
        front.open()
        earlier.register(with: &front, slots: 1)
        _ = front.submit(1, loader: "slow")
        earlier.take(front.settle())
        for _ in 0..<20 {
            front.pass(milliseconds: 1_000)
            _ = earlier.renew(&front)
        }
        _ = earlier.endAll(in: &front)
        _ = earlier.send(.close(), to: &front)
        ahead.register(with: &front, slots: 1, prefetch: 300)
        _ = front.submit(300)
        _ = front.submit(1, loader: "slow")
        for _ in 0..<4 { ahead.take(front.settle()) }
        #expect(ahead.held.count == 301)
        slow.register(with: &front, slots: 1)
        _ = front.submit(1, loader: "slow")
        slow.take(front.settle())
        #expect(slow.held.count == 1)
        for _ in 0..<10 {
            front.pass(milliseconds: 1_000)
            _ = ahead.renew(&front)
            _ = slow.renew(&front)
        }
        let waiting = front.submit(1, loader: "slow")
        let seconds = try #require(explain(waiting, &front)?.estimate?.inSeconds)
        #expect((9.0...12.0).contains(seconds), "\(seconds)")
    }

    @Test("a job that waits beside free slots says that a suspected job runs alone there, and has no estimate until that has ended")
    func besideSuspect() throws {
        var front = FrontHarness()
        var (first, second) = (WorkerHarness(1), WorkerHarness(2))
        front.open()
        first.register(with: &front, slots: 4)
        let lost = front.submit(2, loader: "slow")
        first.take(front.settle())
        #expect(first.held.count == 2)
        for _ in 0..<8 {
            front.pass(milliseconds: 1_000)
            front.settle()
        }
        #expect(front.isSuspected(lost))
        second.register(with: &front, slots: 4)
        second.take(front.settle())
        #expect(second.held.map(\.job) == [lost.rawValue])
        let waiting = front.submit(1, loader: "slow")
        second.take(front.settle())
        let reported = try #require(explain(waiting, &front))
        #expect(reported.job.waitReason == .slotsReserved(for: lost) && reported.estimate == nil && reported.placeInLine == 0)
        let reserved = "1 worker that offers its loader is reserved: a job whose worker died"
        #expect(reported.timeline.contains { $0.hasPrefix(reserved) }, "\(reported.timeline)")
        for job in [lost, lost.advanced(by: 1)] { second.take(second.end(job.rawValue, in: &front)) }
        let others = front.submit(4, loader: "slow")
        second.take(front.settle())
        #expect(second.held.map(\.job) == [waiting, others, others.advanced(by: 1), others.advanced(by: 2)].map(\.rawValue))
        let last = try #require(explain(others.advanced(by: 3), &front))
        #expect(last.estimate != nil && !last.timeline.contains { $0.contains("suspected") }, "\(last)")
    }

    @Test(
        "a worker is reserved for what runs there alone, be it in its last slot or in its last place ahead, also for who needs the other",
        arguments: [("slow", "noop"), ("noop", "slow")])
    func reservedPlaces(alone: String, other: String) throws {
        var (front, first, second) = (FrontHarness(), WorkerHarness(1), WorkerHarness(2))
        front.open()
        first.register(with: &front, slots: 4)
        let lost = front.submit(2, loader: alone)
        first.take(front.settle())
        #expect(first.held.count == 2)
        front.pass(milliseconds: 8_000)
        front.settle()
        #expect(front.isSuspected(lost))
        second.register(with: &front, slots: 1, prefetch: 0)
        second.take(front.settle())
        #expect(second.held.map(\.job) == [lost.rawValue])
        let waiting = front.submit(1, loader: other)
        second.take(front.settle())
        #expect(explain(waiting, &front)?.job.waitReason == .slotsReserved(for: lost) && second.held.count == 1)
    }

    @Test("an explanation costs as much however many bulk jobs workers have taken ahead, and counts what it looks at")
    func bounded() {
        func steps(prefetch: UInt32) -> UInt64 {
            var (front, worker) = FrontHarness.serving(slots: 1, prefetch: prefetch)
            _ = front.submit(Int(prefetch))
            _ = front.submit(1, loader: "slow")
            worker.take(front.settle())
            let waiting = front.submit(1, loader: "slow")
            let before = front.machine.steps
            _ = explain(waiting, &front)
            return front.machine.steps - before
        }
        #expect(steps(prefetch: 4_000) <= 600)
        #expect(steps(prefetch: 100) >= 100)
    }

    @Test("of a loader of which no job has ended nothing is known, whatever is known of others")
    func lengths() {
        var lengths = RunLengths()
        lengths.note(loader: 2, length: .seconds(10))
        #expect(lengths.usual(loader: 1) == nil && lengths.usual(loader: 3) == nil)
        #expect(lengths.usual(loader: 2) == .seconds(10))
        // A quarter of each further length counts, and none counts with less than a millisecond.
        lengths.note(loader: 2, length: .seconds(2))
        #expect(lengths.usual(loader: 2) == .seconds(8))
        lengths.note(loader: 3, length: .zero)
        #expect(lengths.usual(loader: 3) == .milliseconds(1))
    }

    @Test("while nothing ends an estimate counts down, is made anew where a job runs longer than usual, and is unknown once all do")
    func countsDown() throws {
        var (front, worker) = FrontHarness.serving(slots: 2)
        func pass(seconds: Int) {
            for _ in 0..<seconds {
                front.pass(milliseconds: 1_000)
                _ = worker.renew(&front)
            }
        }
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        pass(seconds: 20)
        _ = worker.endAll(in: &front)
        for _ in 0..<2 {
            _ = front.submit(1, loader: "slow")
            worker.take(front.settle())
            pass(seconds: 5)
        }
        let waiting = front.submit(5, loader: "slow")
        var before: [Double?] = [15, 18, 35, 38, 55]
        for second in 0..<40 {
            let reported = try (UInt64(0)..<5).map { try #require(explain(waiting.advanced(by: $0), &front)) }
            let estimates = reported.map { $0.estimate?.inSeconds }
            for (place, estimate) in estimates.enumerated() {
                // Once unknown it stays so.
                guard let estimate else { continue }
                let last = try #require(before[place], "after \(second) s place \(place) is known again")
                // The first one has run for 10 s before, the second one for 5.
                #expect(estimate <= last || second == 10, "after \(second) s place \(place)")
            }
            #expect(estimates.allSatisfy { ($0 == nil) == (second >= 15) }, "after \(second) s: \(estimates)")
            let overdue = "when it starts is not known: the running jobs have run longer than others of their loader did"
            #expect(reported.allSatisfy { ($0.estimate == nil) == ($0.timeline.last == overdue) }, "\(reported.map(\.timeline))")
            before = estimates
            pass(seconds: 1)
        }
    }

    @Test("where bulk jobs end no more, the estimate stays as it was, and soon is unknown")
    func stalled() throws {
        var throughput = Throughput()
        var time = MonotonicTime(nanoseconds: 0)
        func pass(_ milliseconds: Int64) { time = time.advanced(by: .milliseconds(milliseconds)) }
        throughput.note(ended: 0, at: time)
        for ended in UInt64(1)...20 {
            pass(500)
            throughput.note(ended: ended, at: time)
        }
        for _ in 0..<9 {
            #expect(throughput.perSecond(ended: 20, at: time) == 2)
            pass(500)
            throughput.note(ended: 20, at: time)
        }
        #expect(throughput.perSecond(ended: 20, at: time) == 2)
        pass(500)
        #expect(throughput.perSecond(ended: 20, at: time) == nil)
        throughput.note(ended: 21, at: time)
        #expect(throughput.perSecond(ended: 21, at: time) == 21 / 15.0)
    }

    @Test("the count of ends begins anew after a minute, not before", arguments: [(60, 3.0), (59, 89 / 69.0)] as [(Int64, Double)])
    func minute(length: Int64, perSecond: Double) {
        var throughput = Throughput()
        func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(by: .seconds(seconds)) }
        throughput.note(ended: 0, at: time(0))
        throughput.note(ended: UInt64(length), at: time(length))
        throughput.note(ended: UInt64(length) + 30, at: time(length + 10))
        #expect(throughput.perSecond(ended: UInt64(length) + 30, at: time(length + 10)) == perSecond)
    }
}
