//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryAuditRecord
import GantryModel
import GantryPlatform
import Testing

@testable import gantry

@Suite("What an audit prints")
struct AuditLineTests {
    /// An audit of three jobs in a limit with a capacity and a rate.
    private var shown: ShownAudit { shown(capacity: 5) }

    private func shown(capacity: UInt32?, weight: UInt32 = 1) -> ShownAudit {
        let rule = LimitRule(capacity: capacity, refill: LimitRefill(10, per: .seconds(60), burst: 20))
        let runs = (1...3 as ClosedRange<UInt64>).map { number in
            let limits = [GrantedLimit(LimitKey("tenant", value: "acme"), rule, weight: weight, ratedFrom: 1)]
            let limited = LimitedRun(lease: LeaseID(number), front: FrontID(7), limits: limits, takenAt: 0)
            let start = RecordedStart(run: number, job: JobID(number), attempt: 1, limited: limited, leaseEnd: 0)
            return AuditedRun(
                label: "w", writer: RecordWriterName(.worker, 1), process: ProcessIdentity(namespace: "boot/1", number: 9, start: 1),
                starts: [start], start: 1_000_000_000, end: 4_000_000_000, ending: .stopped)
        }
        return ShownAudit(audit: LimitAudit(runs, from: 0, to: 100_000_000_000), runs: RecordedRuns(), unrecorded: [])
    }

    @Test("a terminal that is too narrow for its table gets a sentence for each value, with all that the table says")
    func narrow() {
        let lines = shown.lines(columns: 60)
        #expect(
            lines[1] == "tenant=acme: held; 3 runs, 3 of 5 permits at once; 3 attempts, at most 3 in a period of 10/m with a burst of 20",
            "\(lines)")
        #expect(!lines.contains { $0.contains("LIMIT") })
    }

    @Test("what a weight takes is called permits; a limit with only a rate has none")
    func weighted() {
        let passed = shown(capacity: 5, weight: 2)
        #expect(passed.lines(columns: 60)[1].hasPrefix("tenant=acme: passed; 3 runs, 6 of 5 permits at once; 3 attempts"))
        #expect(passed.failure?.message.hasPrefix("limit tenant=acme: 6 permits taken at once and 5 allowed, from ") == true)
        let rated = shown(capacity: nil, weight: 2)
        #expect(rated.lines(columns: 60)[1].hasPrefix("tenant=acme: held; 3 runs; 3 attempts, at most 3 in a period"))
        let row = rated.lines(columns: nil)[1].split(separator: "\n").last ?? ""
        #expect(row.split(separator: " ").prefix(4) == ["tenant=acme", "3", "-", "-"])
    }

    @Test("who gives a weight to a limit that has only a rate is told that it takes no more tokens")
    func idleWeight() {
        let rated = LimitSummary(name: "mail", rule: LimitRule(refill: LimitRefill(10, per: .seconds(60), burst: 20)))
        let notice = "the limit mail has only a rate: each attempt takes one token of it, whatever its weight"
        #expect(LimitArgument.notice(ofWeightIn: rated) == notice)
        #expect(LimitArgument.notice(ofWeightIn: LimitSummary(name: "api", rule: LimitRule(capacity: 5))) == nil)
    }

    @Test("a wide one, and a file, get the table", arguments: [nil, 120])
    func wide(columns: Int?) {
        let lines = shown.lines(columns: columns)
        #expect(
            lines[1].hasPrefix("LIMIT ") && lines[1].contains("MOST IN A PERIOD") && lines[1].contains("10/m with a burst of 20"),
            "\(lines)")
    }
}
