//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Rules of retries: a loader's, a job's own, by failure code")
struct RetryRuleTests {
    private static func second(_ attempts: UInt32? = nil, codes: [CodeRetryRule] = []) -> RetryRule {
        RetryRule(attempts: attempts, backOff: BackOff(first: .seconds(1), hasJitter: false), codes: codes)
    }

    /// A front whose configuration has a rule for `slow`, and a worker of one slot that runs a job.
    private func running(
        _ own: RetryRule = RetryRule(), by rule: RetryRule?, loader: String = "slow"
    ) -> (FrontHarness, WorkerHarness, JobID) {
        var front = FrontHarness { $0.flow.retryRules[loader] = rule }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 1)
        let job = front.submit(1, loader: loader, JobOptionsColumn(JobOptions(retry: own)))
        worker.take(front.settle())
        return (front, worker, job)
    }

    /// The attempts of a job fail with these codes, each as soon as it is granted, until it has ended.
    /// - Returns: how many did.
    private func attempts(
        _ codes: [FailureCode], _ world: (FrontHarness, WorkerHarness, JobID), retryable: Bool = true
    ) -> Int {
        var (front, worker, job) = world
        for (index, code) in codes.enumerated() {
            worker.take(worker.end(job.rawValue, .failed, failure: Failure(code: code, text: "no", retryable: retryable), in: &front))
            if front.job(job)?.state == .failed { return index + 1 }
            #expect(front.ask(.job(.promote(job))) == .done(version: 0))
            worker.take(front.settle())
        }
        return 0
    }

    private static let loaders = second(
        4,
        codes: [
            CodeRetryRule(.unreachable, attempts: 6, backOff: BackOff(first: .seconds(60))), .never(after: .invalidData),
            CodeRetryRule(.timedOut, attempts: 2),
        ])

    @Test("a failure ends its job when as many attempts have failed, with any code, as the rule says of its own")
    func counts() {
        func count(_ codes: [FailureCode]) -> Int { attempts(codes, running(by: Self.loaders)) }
        #expect(count([.invalidData]) == 1)
        #expect(count([.httpStatus, .httpStatus, .httpStatus, .httpStatus]) == 4)
        #expect(count(Array(repeating: .unreachable, count: 6)) == 6)
        #expect(count([.unreachable, .unreachable, .unreachable, .unreachable, .httpStatus]) == 5)
        #expect(count([.unreachable, .unreachable, .invalidData]) == 3)
        #expect(count([.httpStatus, .timedOut]) == 2 && count([.timedOut, .timedOut]) == 2)
    }

    @Test("a loader that is not asked twice has one attempt, and a failure that will be the same is the end, whatever a rule says")
    func bounds() {
        let many = RetryRule(attempts: 9, codes: [CodeRetryRule(.unreachable, attempts: 9)])
        #expect(attempts([.unreachable, .unreachable], running(many, by: many, loader: "once")) == 1)
        #expect(attempts([.unreachable, .unreachable], running(many, by: many), retryable: false) == 1)
    }

    @Test("the pause after a failure is that of its code, and after others the usual one")
    func pauses() {
        for (code, pause) in [(FailureCode.unreachable, 60), (.httpStatus, 1)] as [(FailureCode, Int64)] {
            var (front, worker, job) = running(by: Self.loaders)
            worker.take(worker.end(job.rawValue, .failed, failure: Failure(code: code, text: "no", retryable: true), in: &front))
            #expect(front.job(job)?.dueAt == front.now.wall.advanced(by: .seconds(pause)), "\(code)")
        }
    }

    @Test("what a job says for itself goes before its loader's rule, field by field and code by code")
    func own() {
        func filled(_ own: RetryRule) -> RetryRule {
            let (front, _, job) = running(own, by: Self.loaders)
            return front.machine.state.options(of: job)?.retry ?? RetryRule()
        }
        #expect(filled(RetryRule()) == Self.loaders)
        var five = filled(RetryRule(attempts: 5))
        #expect(five.attempts == 5 && five.backOff == Self.loaders.backOff && five.codes.map(\.attempts) == [1, 5, 5])
        // Field by field: the pauses of a code stay where the job names attempts alone.
        #expect(five.codes.last?.backOff == BackOff(first: .seconds(60)))
        five = filled(RetryRule(backOff: BackOff(first: .seconds(9))))
        #expect(five.attempts == 4 && five.backOff == BackOff(first: .seconds(9), hasJitter: false))
        #expect(five.codes.map(\.attempts) == [1, 2, 6] && five.codes.last?.backOff.first == .seconds(9))
        let named = filled(RetryRule(codes: [CodeRetryRule(.invalidData, attempts: 3), CodeRetryRule(.busy, attempts: 7)]))
        #expect(named.codes.map(\.code) == [.busy, .invalidData, .timedOut, .unreachable])
        #expect(named.codes.map(\.attempts) == [7, 3, 2, 6] && named.attempts == 4)
        #expect(attempts([.invalidData, .invalidData, .invalidData], running(named, by: nil)) == 3)
    }

    @Test("a rule of a loader never contradicts what a job says, and what is filled in once stays the same")
    func contradictions() {
        let rules = [
            RetryRule(), RetryRule(attempts: 3), RetryRule(backOff: BackOff(longest: .milliseconds(5))),
            RetryRule(backOff: BackOff(first: .seconds(7_200))), RetryRule(backOff: BackOff(first: .seconds(7), longest: .seconds(8))),
            Self.loaders, RetryRule(codes: [CodeRetryRule(.unreachable, backOff: BackOff(longest: .milliseconds(2)))]),
            RetryRule(
                backOff: BackOff(first: .milliseconds(3), longest: .milliseconds(4)),
                codes: [CodeRetryRule(.unreachable, attempts: 1), CodeRetryRule(.busy, backOff: BackOff(first: .seconds(40_000)))]),
        ]
        for own in rules {
            for usual in rules {
                let filled = own.filled(by: usual)
                #expect(filled.fault == nil && filled.filled(by: usual) == filled, "\(own) \(usual)")
                // A row of the journal is read with the same faults.
                #expect(JobOptions(retry: filled).fault == nil)
            }
        }
    }

    @Test("a rule is fixed when a job is accepted: a front that starts with another changes no job that is known")
    func restart() {
        let (front, _, job) = running(by: Self.loaders)
        var old = front
        old.settings.flow.retryRules = ["slow": RetryRule(attempts: 1)]
        var next = old.restarted()
        #expect(next.machine.state.options(of: job)?.retry == Self.loaders)
        next.open()
        let late = next.submit(1, loader: "slow")
        #expect(next.machine.state.options(of: late)?.retry == RetryRule(attempts: 1))
        let other = next.submit(1, loader: "http")
        #expect(next.machine.state.options(of: other)?.retry == RetryRule())
        #expect(next.machine.state.termsMiscount == nil)
        let replayed = next.restarted().machine.state
        #expect(next.machine.state.image.difference(from: replayed.image, withJobs: true) == nil)
    }

    @Test("a rule that the configuration changes makes no other work of the same submit under a unique key, replaced or not")
    func sameWork() {
        for mode in [UniqueMode.untilEnded, .replace] {
            var front = FrontHarness { $0.flow.retryRules = ["slow": RetryRule(attempts: 3)] }
            front.open()
            let key = JobOptionsColumn(JobOptions(uniqueKey: UniqueKey("k", mode: mode)))
            let first = front.submit(1, loader: "slow", key)
            if mode == .replace {
                let other = JobOptionsColumn(JobOptions(priority: 7, uniqueKey: UniqueKey("k", mode: mode)))
                #expect(front.askSubmit(1, loader: "slow", other) == .jobsAccepted(first: first, count: 1, .replaced))
                #expect(front.askSubmit(1, loader: "slow", key) == .jobsAccepted(first: first, count: 1, .replaced))
            }
            front.settings.flow.retryRules = ["slow": RetryRule(attempts: 4)]
            var next = front.restarted()
            if next.session == .none { next.open() }
            #expect(next.askSubmit(1, loader: "slow", key) == .jobsAccepted(first: first, count: 1, .joined))
            #expect(next.machine.state.options(of: first)?.retry.attempts == 3)
            let other = JobOptionsColumn(JobOptions(retry: RetryRule(attempts: 9), uniqueKey: UniqueKey("k")))
            guard case .refused(let failure, _)? = next.askSubmit(1, loader: "slow", other) else { return #expect(Bool(false)) }
            #expect(failure.code == .conflict)
        }
    }

    @Test("rules that cannot be are refused with what is wrong with them")
    func faults() {
        func fault(_ codes: CodeRetryRule...) -> String { JobOptions(retry: RetryRule(codes: codes)).fault ?? "" }
        #expect(fault(.never(after: .invalidData), CodeRetryRule(.unreachable, attempts: 1_000)).isEmpty)
        #expect(
            fault(CodeRetryRule(FailureCode(rawValue: "unreachabel"), attempts: 2))
                == "there is no failure code \"unreachabel\"; did you mean \"unreachable\"?")
        func unknown(_ word: String) -> String { fault(CodeRetryRule(FailureCode(rawValue: word), attempts: 2)) }
        #expect(unknown("x y").hasPrefix("\"x y\" is no failure code: those are unreachable, ") && !unknown("a\u{1B}").contains("\u{1B}"))
        #expect(unknown("quarantined") == "no job is tried again after quarantined: leave that code out")
        #expect(fault(CodeRetryRule(.busy, attempts: 0)) == "after busy: a job has 1 to 1,000 attempts, not 0")
        #expect(
            fault(CodeRetryRule(.busy, backOff: BackOff(first: .seconds(9), longest: .seconds(3))))
                == "after busy: the longest back-off, 3 s, is shorter than the first, 9 s: raise it")
        #expect(
            fault(.never(after: .busy), CodeRetryRule(.busy, attempts: 3))
                == "a job says once how often it is tried after busy, not twice")
    }

    @Test("people are told of each code")
    func lines() {
        #expect(
            Self.loaders.line
                == "4 attempts, pauses of 1 s, doubling, at most 10 min, never again after invalidData, after timedOut 2 attempts, "
                + "after unreachable 6 attempts and pauses of 1 min, doubling, at most 10 min", "\(Self.loaders.line ?? "")")
        #expect(RetryRule(codes: [CodeRetryRule(.busy)]) == RetryRule())
    }
}
