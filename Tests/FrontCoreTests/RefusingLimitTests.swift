//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Limits that let no job wait")
struct RefusingLimitTests {
    private let base = LimitTests()

    /// A front with such a limit, of a known boot, and a worker.
    private func serving(
        _ count: UInt32 = 10, per period: Duration = .seconds(1), burst: UInt32 = 3, slots: UInt32 = 8
    ) -> (FrontHarness, [WorkerHarness]) {
        var front = FrontHarness { $0.boot = BootInstant(id: "one", uptime: .seconds(1)) }
        front.open()
        let rule = LimitRule(refill: LimitRefill(count, per: period, burst: burst, beyond: .refuse))
        #expect(front.ask(.limit(.set("api", rule))) == .done(version: 0))
        var workers = [WorkerHarness(1)]
        workers[0].register(with: &front, slots: slots, prefetch: 0)
        return (front, workers)
    }

    private func submit(
        _ count: Int, _ front: inout FrontHarness, _ options: JobOptions = JobOptions(limitKeys: [LimitKey("api")])
    ) -> Reply? {
        front.askSubmit(count, loader: "slow", JobOptionsColumn(options))
    }

    private func failure(_ reply: Reply?) -> (failure: Failure, pause: Duration)? {
        if case .refused(let failure, let pause)? = reply { (failure, pause) } else { nil }
    }

    private func isAccepted(_ reply: Reply?) -> Bool { if case .jobsAccepted? = reply { true } else { false } }

    @Test("a submit for which there are too few tokens is refused whole, says when there will be enough, and leaves nothing")
    func refused() throws {
        var (front, workers) = serving()
        #expect(isAccepted(submit(2, &front)))
        base.settle(&front, &workers)
        let (failure, pause) = try #require(self.failure(submit(2, &front)))
        #expect(front.decided == ["entry replyRetained 3 refused rateLimited", "client 7: reply 3 refused rateLimited"])
        #expect(failure.code == .rateLimited && failure.arguments == ["limit", "api"] && failure.retryable)
        #expect(
            failure.text
                == "no token of the limit api (10/s) is left for 2 more jobs, and jobs without one are refused: submit again in 0.1 s")
        #expect(pause == .milliseconds(100))
        #expect(base.summary("api", front).map { [$0.inUse, $0.waiting] } == [2, 0])
        #expect(isAccepted(submit(1, &front)))
        base.settle(&front, &workers)
        #expect(
            self.failure(submit(1, &front))?.failure.text.hasPrefix(
                "no token of the limit api (10/s) is left for one more job, and jobs without one are refused: ") == true)
        base.check(front)
    }

    @Test("a long time is said in whole minutes, rounded up")
    func minutes() {
        var (front, workers) = serving(1, per: .seconds(1_200), burst: 1)
        #expect(isAccepted(submit(1, &front)))
        base.settle(&front, &workers)
        front.pass(milliseconds: 1_000)
        let refused = failure(submit(1, &front))
        #expect(refused?.failure.text.hasSuffix(": submit again in 20 min") == true, "\(String(describing: refused))")
        #expect(refused.map { $0.pause > .seconds(1_190) && $0.pause < .seconds(1_200) } == true)
    }

    @Test("it is accepted when the time that was said is over, and not before")
    func later() throws {
        var (front, workers) = serving()
        #expect(isAccepted(submit(3, &front)))
        base.settle(&front, &workers)
        #expect(failure(submit(1, &front))?.pause == .milliseconds(100))
        front.pass(milliseconds: 99)
        #expect(failure(submit(1, &front))?.pause == .milliseconds(1))
        front.pass(milliseconds: 1)
        #expect(isAccepted(submit(1, &front)))
        base.check(front)
    }

    @Test("jobs that were accepted and wait for a slot have the next tokens; one that waits for its time keeps nobody out")
    func waiting() {
        var (front, workers) = serving(slots: 1)
        #expect(isAccepted(submit(2, &front)))
        base.settle(&front, &workers)
        #expect(base.held(workers).count == 1)
        let later = JobOptions(start: .after(.seconds(4)), limitKeys: [LimitKey("api")])
        #expect(isAccepted(submit(1, &front, later)))
        for front in [front, front.restarted()] {
            var front = front
            if front.session == .none { front.open() }
            #expect(isAccepted(submit(1, &front)))
            #expect(failure(submit(1, &front))?.failure.code == .rateLimited)
            #expect(failure(submit(1, &front, later))?.failure.code == .rateLimited, "it is asked as one that starts now")
        }
        // Another priority leaves it where it waits.
        let reply = submit(1, &front, JobOptions(start: .after(.seconds(4))))
        guard case .jobsAccepted(let delayed, _, _, _)? = reply else {
            Issue.record("\(String(describing: reply))")
            return
        }
        for job in [delayed, JobID(3)] { #expect(front.ask(.job(.reprioritize(job, priority: 9))) == .done(version: 0)) }
        #expect(front.machine.state.limitsMiscount == nil && front.job(JobID(3))?.state == .scheduled)
        front.pass(milliseconds: 4_000)
        front.settle()
        // Its time has come: it has the next one.
        #expect(front.machine.state.jobs.limits.unstartedJobs(of: LimitKey("api")) == 2 && front.machine.state.limitsMiscount == nil)
        base.check(front)
    }

    @Test("where as many wait as a bucket holds, the time that is told is the earliest: they have to start before")
    func behind() {
        var (front, _) = serving(slots: 1)
        #expect(isAccepted(submit(3, &front)))
        let text = failure(submit(1, &front))?.failure.text ?? ""
        #expect(
            text.hasSuffix("refused: 3 accepted jobs take the next ones; submit again when they have started, in 0.1 s at the earliest"),
            "\(text)")
    }

    @Test("one that ends before it has started gives its place back")
    func cancelled() {
        var (front, workers) = serving(slots: 1)
        guard case .jobsAccepted(let first, 3, _, _)? = submit(3, &front) else { return #expect(Bool(false)) }
        base.settle(&front, &workers)
        #expect(failure(submit(1, &front)) != nil)
        _ = front.ask(.job(.cancel(first.advanced(by: 2))))
        #expect(isAccepted(submit(1, &front)))
    }

    @Test("neither a job that replaces another one nor one that says that it repeats nobody's gets by without a token")
    func getsBy() {
        var (front, workers) = serving(slots: 1)
        #expect(isAccepted(submit(3, &front)))
        base.settle(&front, &workers)
        let key = UniqueKey("k", mode: .replace)
        #expect(isAccepted(submit(1, &front, JobOptions(uniqueKey: key))))
        #expect(failure(submit(1, &front, JobOptions(limitKeys: [LimitKey("api")], uniqueKey: key)))?.failure.code == .rateLimited)
        // Where it counts already it needs no other token, whatever it weighs.
        let other = UniqueKey("other", mode: .replace)
        front.pass(milliseconds: 100)
        #expect(isAccepted(submit(1, &front, JobOptions(limitKeys: [LimitKey("api")], uniqueKey: other))))
        #expect(isAccepted(submit(1, &front, JobOptions(limitKeys: [LimitKey("api", weight: 2)], uniqueKey: other))))
        var again = JobOptions(limitKeys: [LimitKey("api")])
        again.retryOf = JobID(999)
        #expect(failure(submit(1, &front, again))?.failure.code == .rateLimited)
        // Nor does work that is not what that job was.
        guard case .jobsAccepted(let plain, _, _, _)? = submit(1, &front, JobOptions()) else { return #expect(Bool(false)) }
        _ = front.ask(.job(.cancel(plain)))
        again.retryOf = plain
        #expect(front.job(plain)?.state == .cancelled && failure(submit(1, &front, again))?.failure.code == .rateLimited)
        base.check(front)
    }

    @Test("more jobs than a bucket holds are refused for good, with what to do instead")
    func tooMany() throws {
        var (front, _) = serving()
        let (failure, pause) = try #require(self.failure(submit(4, &front)))
        #expect(failure.code == .rateLimited && pause == .zero && !failure.retryable)
        #expect(
            failure.text.hasSuffix(
                "takes at most 3 at once and lets none wait, and these are 4: submit fewer jobs at once, or raise its burst"))
    }

    @Test("each value has tokens of its own, jobs of one submit count by theirs, and of several limits the slowest is named")
    func values() throws {
        var (front, _) = serving()
        let keys = ["a", "b"].map { LimitKey("api", value: $0) }
        let mixed = JobOptionsColumn((0..<6).map { JobOptions(limitKeys: [keys[$0 % 2]]) })
        #expect(isAccepted(front.askSubmit(6, loader: "slow", mixed)))
        #expect(failure(submit(1, &front, JobOptions(limitKeys: [keys[0]])))?.failure.arguments == ["limit", "api=a"])
        let slow = LimitRule(refill: LimitRefill(1, per: .seconds(60), burst: 1, beyond: .refuse))
        #expect(front.ask(.limit(.set("slow", slow))) == .done(version: 0))
        #expect(isAccepted(submit(1, &front, JobOptions(limitKeys: [LimitKey("slow")]))))
        let both = failure(submit(1, &front, JobOptions(limitKeys: [keys[0], LimitKey("slow")])))
        #expect(both?.failure.arguments == ["limit", "slow"] && both?.pause == .seconds(60))
    }

    @Test("a job that repeats an ended one waits, and a limit that lets jobs wait again refuses none")
    func waits() throws {
        var (front, workers) = serving()
        #expect(isAccepted(submit(3, &front)))
        base.settle(&front, &workers)
        var again = JobOptions(limitKeys: [LimitKey("api")])
        again.retryOf = JobID(base.held(workers)[0])
        base.end(base.held(workers)[0], &front, &workers)
        #expect(isAccepted(submit(1, &front, again)))
        #expect(failure(submit(1, &front)) != nil)
        #expect(front.ask(.limit(.set("api", LimitRule(refill: LimitRefill(10, per: .seconds(1), burst: 3))))) == .done(version: 0))
        #expect(isAccepted(submit(9, &front)))
        base.check(front)
    }
}
