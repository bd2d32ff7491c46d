//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryAuditRecord

@Suite("Audits of limits")
struct LimitAuditTests {
    @Test("as many as are allowed hold, one more is named with when, how many and which runs")
    func passed() throws {
        let two = Made.limits(2)
        let held = Made.audit([Made.run(1, 1, 4, two), Made.run(2, 2, 5, two), Made.run(3, 4, 6, two)])
        #expect(held.state == .held && held.values.map(\.most.running) == [2] && held.values[0].runCount == 3)
        let audit = Made.audit([Made.run(1, 1, 4, two), Made.run(2, 2, 5, two), Made.run(3, 3, 6, two)])
        let excess = try #require(audit.values[0].excesses.first)
        #expect(audit.state == .passed && audit.values[0].excesses.count == 1)
        #expect(excess.from == Made.seconds(3) && excess.to == Made.seconds(4) && excess.running == 3 && excess.capacity == 2)
        #expect(excess.isSure && excess.runs.map { audit.all[$0].starts[0].job } == [1, 2, 3].map { JobID($0) })
    }

    @Test("each value counts by itself, and so does each limit of a run")
    func values() {
        let keys = ["", "a", "b"].map { GrantedLimit(LimitKey("tenant", value: $0), LimitRule(capacity: 1)) }
        let api = Made.limits(3)
        let audit = Made.audit(keys.enumerated().map { Made.run(UInt64($0 + 1), 1, 4, [$1] + api) })
        #expect(audit.state == .held && audit.values.map(\.key.text) == ["api", "tenant", "tenant=a", "tenant=b"])
        #expect(audit.values.map(\.most.running) == [3, 1, 1, 1])
    }

    @Test("a capacity that was lowered stops nobody, and one that was raised allows more from its next grant on")
    func changes() {
        let (five, two) = (Made.limits(5), Made.limits(2))
        let lowered = Made.audit((1...5).map { Made.run($0, 1, 4, five) } + [Made.run(6, 4.5, 6, two)])
        #expect(lowered.state == .held && lowered.values[0].most.capacity == 5 && lowered.values[0].capacities == 2...5)
        // The sixth was granted when two were allowed and three were running.
        let passed = Made.audit((1...5).map { Made.run($0, 1, 4, five) } + [Made.run(6, 3, 6, two)])
        #expect(passed.state == .passed && passed.values[0].excesses[0].capacity == 2)
        let raised = Made.audit([Made.run(1, 1, 4, two), Made.run(2, 1, 4, two), Made.run(3, 2, 4, five), Made.run(4, 3, 4, five)])
        #expect(raised.state == .held)
        // What was granted before the change and begins behind it, on a slow worker.
        let late = Made.audit([Made.run(1, 1, 4, two), Made.run(3, 2, 4, five), Made.run(4, 2, 4, five), Made.run(2, 3, 4, two)])
        #expect(late.state == .held)
    }

    @Test("a run that nobody closed makes an excess unsure, unless its worker was alive in it")
    func unclosed() {
        let one = Made.limits(1)
        let unsure = Made.audit([Made.run(1, 1, 8, one, ending: .unclosed, sureTo: 2), Made.run(2, 3, 4, one)])
        #expect(unsure.state == .unsure && unsure.values[0].excesses.map(\.isSure) == [false] && unsure.unclosed.count == 1)
        let sure = Made.audit([Made.run(1, 1, 8, one, ending: .unclosed, sureTo: 3.5), Made.run(2, 3, 4, one)])
        #expect(sure.state == .passed)
    }

    @Test("weights count, jobs that run one after another count once, and what runs still counts to the end")
    func weights() {
        let heavy = Made.audit([Made.run(1, 1, 4, Made.limits(3, weight: 2)), Made.run(2, 2, 4, Made.limits(3, weight: 2))])
        #expect(heavy.state == .passed && heavy.values[0].most.running == 4)
        var batch = Made.run(1, 1, 4, Made.limits(1))
        batch.starts += (2...9).map { Made.run($0, 1, 4, Made.limits(1)).starts[0] }
        let bulk = Made.audit([batch, Made.run(10, 4, 5, Made.limits(1))])
        #expect(bulk.state == .held && bulk.values[0].attemptCount == 10 && bulk.values[0].runCount == 2)
        let running = Made.audit([Made.run(1, 1, 2, Made.limits(1), ending: .running), Made.run(2, 3, 4, Made.limits(1))])
        #expect(running.state == .passed)
        let empty = Made.audit([Made.run(1, 1, 1, Made.limits(1)), Made.run(2, 2, 2, Made.limits(1))])
        #expect(empty.state == .held && empty.values[0].most.running == 1)
    }

    @Test("only what overlaps the time that is asked for is shown, with what ran when it began")
    func window() {
        let two = Made.limits(2)
        let runs = [
            Made.run(1, 1, 4, two), Made.run(2, 1, 4, two), Made.run(3, 2, 30, two), Made.run(4, 40, 50, two),
            Made.run(5, 80, 90, Made.limits(1, "mail")),
        ]
        let audit = Made.audit(runs, from: 20, to: 60)
        #expect(audit.state == .held && audit.values.map(\.key.text) == ["api"] && audit.values[0].runCount == 2)
        #expect(audit.values[0].steps.first == AuditedValue.Step(at: Made.seconds(20), running: 1, capacity: 2))
        #expect(LimitAudit(runs, of: "mail", from: 0, to: Made.seconds(100)).values.map(\.key.limit) == ["mail"])
    }

    @Test("attempts of a rate take tokens by the times of their grants: one too early is named")
    func rates() {
        func audit(_ times: [Int64], _ refill: LimitRefill, second: LimitRefill? = nil, ratedFrom: [UInt64]? = nil) -> AuditedValue {
            Made.audit(
                times.enumerated().map { index, time in
                    let own = index * 2 >= times.count ? second ?? refill : refill
                    let limits = Made.limits(nil, refill: own, from: ratedFrom?[index] ?? 1)
                    return Made.run(UInt64(index + 1), Double(index), Double(index) + 0.1, limits, takenAt: time)
                }
            ).values[0]
        }
        let refill = LimitRefill(10, per: .seconds(1), burst: 3)
        let held = audit([1, 1, 1, 101, 201, 1_000, 1_000, 1_000], refill)
        #expect(held.state == .held && held.rate?.mostInPeriod == 8 && held.attemptCount == 8)
        let early = audit([1, 1, 1, 100, 201], refill)
        #expect(early.state == .passed && early.rate?.early.map(\.job) == [JobID(4)] && early.rate?.earlyCount == 1)
        // A limit that had no rate for a while begins with a full bucket.
        #expect(audit([1, 1, 1, 2, 2, 2], refill, ratedFrom: [1, 1, 1, 4, 4, 4]).state == .held)
        #expect(audit([1, 1, 1, 2, 2, 2], refill).state == .passed)
        // Between two rates the faster one counts, and no more than the new burst.
        let slow = LimitRefill(1, per: .seconds(1), burst: 2)
        #expect(audit([1, 1, 1, 201, 201, 1_201], refill, second: slow).state == .held)
        #expect(audit([1, 1, 1, 201, 201, 201], refill, second: slow).state == .passed)
    }

    @Test("leases and clocks of another front are another front's")
    func fronts() {
        let refill = LimitRefill(1, per: .seconds(60), burst: 1)
        let one = Made.limits(1, refill: refill)
        let runs = [
            Made.run(50, 1, 2, one, takenAt: 900_000), Made.run(1, 3, 4, one, front: FrontID(8), takenAt: 5),
            Made.run(2, 5, 6, one, front: FrontID(8), takenAt: 60_005),
        ]
        #expect(Made.audit(runs).state == .held)
    }

    @Test("times of one boot are those of its clock, and boots are laid by their wall clocks")
    func boots() throws {
        var runs = RecordedRuns()
        func add(_ writer: UInt64, boot: String, at nanoseconds: Int64, wall: Int64, _ jobs: [UInt64]) {
            let head = RecordHead(
                writer: RecordWriterName(.worker, writer), label: "w",
                process: ProcessIdentity(namespace: "\(boot)/1", number: 1, start: writer),
                host: "h")
            let index = runs.add(
                head, at: RecordLine(boot: nanoseconds, wall: WallTime(milliseconds: wall), .head(head)), file: "\(writer)")
            for (offset, number) in jobs.enumerated() {
                let job = Made.job(number, Made.limits(1))
                let start = RecordedStart(run: number, job: job.job, attempt: 1, limited: job.limited, leaseEnd: nanoseconds)
                // The wall clock is set back meanwhile.
                let time = nanoseconds + Int64(offset) * 2_000_000_000
                runs.take(RecordLine(boot: time, wall: WallTime(milliseconds: wall - 60_000), .starts([start])), of: index)
                runs.take(
                    RecordLine(boot: time + 1_000_000_000, wall: WallTime(milliseconds: wall - 60_000), .stop(run: number)), of: index)
            }
        }
        add(1, boot: "second", at: 5_000_000_000, wall: 1_000_000, [3, 4])
        add(2, boot: "first", at: 900_000_000_000, wall: 500_000, [1, 2])
        let audited = runs.audited(at: 2_000_000_000_000) { _ in false }
        #expect(audited.map { $0.starts[0].job } == [1, 2, 3, 4].map { JobID($0) })
        #expect(audited.allSatisfy { $0.end - $0.start == 1_000_000_000 })
        // An hour was taken back since: the last line says what the clock shows now, and whoever asks on that boot knows it.
        add(3, boot: "second", at: 65_000_000_000, wall: 1_000_000 - 3_540_000, [5])
        #expect(runs.audited(at: 2_000_000_000_000) { _ in false }.first { $0.starts[0].job == JobID(5) }?.start == -2_601_000_000_000)
        let here = runs.audited(at: 2_000_000_000_000, here: ("second", 100_000_000_000)) { _ in false }
        #expect(here.first { $0.starts[0].job == JobID(3) }?.start == 1_905_000_000_000)
    }
}
