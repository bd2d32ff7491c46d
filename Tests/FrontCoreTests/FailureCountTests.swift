//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Counting failures")
struct FailureCountTests {
    /// A front and a worker of which so many jobs have failed with each code.
    private func failing(_ codes: [FailureCode]) -> (FrontHarness, WorkerHarness, [JobID]) {
        var (front, worker) = FrontHarness.serving(prefetch: 64)
        let jobs = codes.map { code in
            let job = front.run(1, on: &worker)
            worker.end(job.rawValue, .failed, failure: Failure(code: code, text: "no"), in: &front)
            return job
        }
        return (front, worker, jobs)
    }

    private func failed(_ front: inout FrontHarness, _ query: JobQuery) -> ([JobID], next: JobID?) {
        guard case .jobs(let jobs, let next, _)? = front.ask(.job(.list(query))) else { return ([], nil) }
        return (jobs.map(\.id), next)
    }

    @Test("one failure behind 210,000 newer jobs is counted and listed")
    func behind() {
        var (front, _, jobs) = failing([.timedOut])
        for _ in 0..<21 { _ = front.submit(10_000, loader: "nobody", reports: false) }
        #expect(front.counts?.waiting == 210_000)
        #expect(front.counts?.failures == [FailureCount(.timedOut, 1)])
        #expect(failed(&front, JobQuery(state: .failed)) == (jobs, nil))
    }

    @Test("failures are counted by code, most first, and listed newest first in pages, by loader")
    func order() {
        var (front, _, jobs) = failing([.timedOut, .httpStatus, .unreachable, .httpStatus])
        let counts = [FailureCount(.httpStatus, 2), FailureCount(.timedOut, 1), FailureCount(.unreachable, 1)]
        #expect(front.counts?.failures == counts)
        #expect(failed(&front, JobQuery(state: .failed, limit: 3)) == (jobs.reversed().dropLast(), jobs[1]))
        #expect(failed(&front, JobQuery(state: .failed, limit: 3, before: jobs[1])) == ([jobs[0]], nil))
        #expect(failed(&front, JobQuery(state: .failed, loader: "slow")) == ([], nil))
        #expect(failed(&front, JobQuery(state: .quarantined)) == ([], nil))
    }

    @Test("a failure that is forgotten with its job is counted no more, and observers are told")
    func forgotten() {
        var (front, worker, _) = failing([.timedOut, .httpStatus])
        front.pass(milliseconds: 6 * 24 * 3_600_000)
        front.open()
        worker = WorkerHarness(2)
        worker.register(with: &front)
        let later = front.run(1, on: &worker)
        worker.end(later.rawValue, .failed, failure: Failure(code: .httpStatus, text: "no"), in: &front)
        front.pass(milliseconds: 24 * 3_600_000 + 1)
        #expect(front.settle().contains(.changed(.jobs, key: "counts")))
        #expect(front.counts?.failures == [FailureCount(.httpStatus, 1)])
        #expect(!front.settle().contains(.changed(.jobs, key: "counts")))
    }

    @Test("after a restart the counts are the same, from rows and from a checkpoint")
    func restart() {
        let (front, _, _) = failing([.timedOut, .httpStatus, .httpStatus])
        let counts = [FailureCount(.httpStatus, 2), FailureCount(.timedOut, 1)]
        var next = front.restarted()
        #expect(next.counts?.failures == counts)
        let turn = TurnNumber(UInt64(front.entries.count))
        next.machine = FrontMachine(settings: next.settings, now: next.now)
        next.machine.restore(front.machine.state.baseEntries(), of: turn, isSlice: true)
        next.machine.restore(front.machine.state.slice(from: 1, chunkLimit: 100).entries, of: turn, isSlice: true)
        for (index, entry) in front.entries.enumerated() {
            next.machine.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        #expect(next.counts?.failures == counts)
    }

    @Test("a quarantined job is counted after a restart from a checkpoint too")
    func quarantined() {
        var front = FrontHarness { $0.crashLimit = 1 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        _ = front.submit(1, loader: "slow")
        worker.take(front.settle())
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.counts?.quarantined == 1)
        var next = front.restarted()
        next.machine = FrontMachine(settings: next.settings, now: next.now)
        let turn = TurnNumber(UInt64(front.entries.count))
        next.machine.restore(front.machine.state.baseEntries(), of: turn, isSlice: true)
        next.machine.restore(front.machine.state.slice(from: 1, chunkLimit: 100).entries, of: turn, isSlice: true)
        #expect(next.counts?.quarantined == 1)
    }

    @Test("beyond 32 codes the rarest are summed up, so a worker cannot make the counts grow")
    func bound() {
        let codes = (0..<40).flatMap { number in Array(repeating: FailureCode(rawValue: "code\(number)"), count: number < 31 ? 2 : 1) }
        let (front, _, _) = failing(codes)
        let reported = front.counts?.failures ?? []
        #expect(reported.count == 32 && reported.last == FailureCount(FailureCode(rawValue: "other"), 9))
        #expect(reported.dropLast().allSatisfy { $0.count == 2 })
    }

    @Test("failures by code are in order whatever comes and goes, and what observers are told sums up the rest")
    func ranking() {
        var failureCounts = FailureCounts()
        for code in 0..<100 { failureCounts.add(FailureCode(rawValue: "code-\(code)"), UInt64(code % 10 + 1)) }
        for code in 0..<50 { failureCounts.remove(FailureCode(rawValue: "code-\(code)"), 3) }
        failureCounts.remove(FailureCode(rawValue: "unheard of"))
        let all = failureCounts.all
        #expect(all == all.sorted { ($1.count, $0.code.rawValue) < ($0.count, $1.code.rawValue) })
        #expect(all.count == 85 && failureCounts.listed.count == 32)
        #expect(failureCounts.listed.reduce(0) { $0 + $1.count } == all.reduce(0) { $0 + $1.count })
        #expect(failureCounts.listed.dropLast() == all.prefix(31))
        #expect(failureCounts.listed.last?.code == FailureCode(rawValue: "other"))
    }

    @Test("as many codes as observers are told of are listed, and of one more the two rarest are summed up")
    func listed() {
        var failureCounts = FailureCounts()
        for code in 0..<32 { failureCounts.add(FailureCode(rawValue: "code-\(code)"), UInt64(code + 1)) }
        #expect(failureCounts.listed.count == 32 && failureCounts.listed == failureCounts.all)
        failureCounts.add(FailureCode(rawValue: "code-32"), 1)
        #expect(failureCounts.listed == failureCounts.all.prefix(31) + [FailureCount(FailureCode(rawValue: "other"), 2)])
    }

    @Test("a code that a worker has called other is counted with the rest, whether it is common or rare", arguments: [UInt64(99), 1])
    func other(_ own: UInt64) {
        var failureCounts = FailureCounts()
        for code in 0..<32 { failureCounts.add(FailureCode(rawValue: "code-\(code)"), UInt64(code + 2)) }
        failureCounts.add(FailureCode(rawValue: "other"), own)
        let listed = failureCounts.listed
        #expect(Set(listed.map(\.code)).count == listed.count)
        #expect(listed.reduce(0) { $0 + $1.count } == failureCounts.all.reduce(0) { $0 + $1.count })
        // A common one takes the place of one code more, which is summed up then.
        #expect(listed.last == FailureCount(FailureCode(rawValue: "other"), own == 99 ? 99 + 2 + 3 : 1 + 2))
    }
}
