//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Limits in grants")
struct GrantedLimitTests {
    private let base = LimitTests()

    private func grants(_ actions: [FrontAction], _ worker: WorkerHarness) -> [WorkerBoundMessage.Grant] {
        actions.compactMap { if case .grant(let grant)? = worker.message(in: $0) { grant } else { nil } }
    }

    @Test("a grant says what the limits of its jobs allow, each set of them once, and nothing where no job has any")
    func limits() {
        var (front, workers) = base.serving(["api": 4, "tenant": 2])
        _ = front.submit(1, loader: "slow")
        let plain = front.settle()
        #expect(workers.flatMap { grants(plain, $0) }.allSatisfy { $0.limitIndexes.isEmpty && $0.limitSets.isEmpty && $0.takenAt == 0 })
        for index in workers.indices { workers[index].take(plain) }
        let refill = LimitRefill(6, per: .seconds(60))
        #expect(front.ask(.limit(.set("api", LimitRule(capacity: 4, refill: refill)))) == .done(version: 0))
        let keys = [LimitKey("tenant", value: "a"), LimitKey("api")]
        _ = front.submit(3, loader: "slow", JobOptionsColumn([JobOptions(), JobOptions(limitKeys: keys), JobOptions(limitKeys: keys)]))
        front.pass(milliseconds: 500)
        for index in workers.indices { _ = workers[index].renew(&front) }
        let actions = front.settle()
        let all = workers.flatMap { grants(actions, $0) }
        let limited = all.filter { !$0.limitIndexes.isEmpty }
        #expect(limited.allSatisfy { $0.limitIndexes.count == $0.jobs.count && $0.limitSets.count == 1 && $0.takenAt > 0 })
        #expect(limited.flatMap(\.limitIndexes).count { $0 == 1 } == 2 && all.flatMap(\.jobs).count == 3)
        let sets = limited.flatMap(\.limitSets).flatMap { $0 }
        #expect(Set(sets.map(\.key)) == Set(keys) && sets.allSatisfy { $0.weight == 1 })
        #expect(sets.first { $0.key.limit == "api" }?.rule == LimitRule(capacity: 4, refill: refill))
        #expect(sets.first { $0.key.limit == "tenant" }?.rule == LimitRule(capacity: 2))
        for index in workers.indices { workers[index].take(actions) }
        base.check(front)
    }

    @Test("jobs of one grant that count in the same limits name one set of them, those that count in others another one")
    func shared() {
        var (front, worker) = FrontHarness.serving(slots: 5, prefetch: 0)
        for name in ["api", "tenant"] { #expect(base.set(name, 4, &front) == .done(version: 0)) }
        let options = ["api", "api", "tenant", "api", "tenant"].map { JobOptions(limitKeys: [LimitKey($0)]) }
        _ = front.submit(5, loader: "slow", JobOptionsColumn(options))
        let found = grants(front.settle(), worker)
        #expect(found.map(\.jobs.count) == [5] && found.first?.limitIndexes == [1, 1, 2, 1, 2])
        #expect(found.first?.limitSets.map { $0.map(\.key) } == [[LimitKey("api")], [LimitKey("tenant")]])
        worker.take(front.settle())
    }

    @Test("a job that its worker could not begin waits again with the reason, and its attempt does not count")
    func unstarted() {
        var (front, worker) = FrontHarness.serving(slots: 3, prefetch: 0)
        #expect(base.set("api", 1, &front) == .done(version: 0))
        let job = front.submit(1, loader: "slow", base.options(LimitKey("api")))
        worker.take(front.settle())
        let reason = Failure(code: .storageFull, text: "its start could not be recorded: the disk is full", retryable: true)
        worker.take(worker.end(job.rawValue, .returned, failure: reason, in: &front))
        let shown = front.job(job)
        #expect(shown?.state == .waiting && shown?.failure?.text == reason.text && shown?.failure?.attempts == 0)
        base.check(front)
        // The next attempt that fails is the first one that counts.
        worker.take(worker.renew(&front) + front.settle())
        let failure = Failure(code: .unreachable, text: "no answer", retryable: true)
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
        #expect(front.job(job)?.state == .scheduled && front.job(job)?.failure?.attempts == 1)
        base.check(front)
        #expect(front.ask(.job(.promote(job))) == .done(version: 0))
        worker.take(front.settle())
        worker.take(worker.end(job.rawValue, in: &front))
        #expect(front.job(job)?.state == .succeeded && front.job(job)?.failure == nil)
    }
}
