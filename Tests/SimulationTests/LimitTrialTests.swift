//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Simulation
import TestSupport
import Testing

@Suite("Trials of limits")
struct LimitTrialTests {
    /// What `Simulate --limit-trial --json` says of a trial.
    private struct Line: Decodable {
        let seed: UInt64
        let invariant: String?
        let violation: String?
        let faults: [String: Int]
        let grants: Int
        let fullLimitGrants: Int
        let runs: Int
        let acceptedJobs: Int
    }

    private static func run(_ arguments: [String]) async throws -> (status: Int32, lines: [Line]) {
        let ending = try await OptimizedProgram.run("Simulate", ["--limit-trial", "--json"] + arguments)
        return (ending.status, try ending.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) })
    }

    @Test("keep limits, rates and jobs under each kind of fault, and make most grants at a full limit")
    func promises() async throws {
        let (status, lines) = try await Self.run(["--seeds", "4"])
        #expect(status == 0 && lines.count == 4)
        for line in lines {
            #expect(
                line.invariant == nil,
                "seed \(line.seed): \(line.violation ?? ""); see it with: Simulate --limit-trial --seeds 1 --from \(line.seed)")
            #expect(line.runs > line.grants / 2 && line.acceptedJobs > line.grants / 2)
        }
        let (grants, full) = (lines.reduce(0) { $0 + $1.grants }, lines.reduce(0) { $0 + $1.fullLimitGrants })
        #expect(grants > 50_000 && full * 2 > grants, "\(full) of \(grants) grants are made at a full limit")
        for fault in TrialFault.allCases {
            #expect(lines.contains { $0.faults[fault.rawValue, default: 0] > 0 }, "no trial had \(fault.rawValue)")
        }
    }

    @Test("end by themselves once so many jobs were granted")
    func ending() async throws {
        let (status, lines) = try await Self.run(["--grants", "3000", "--width", "1"])
        #expect(status == 0 && lines.count == 1 && lines.allSatisfy { $0.grants >= 3_000 })
    }

    @Test("notice each injected bug, as the promise that it breaks", arguments: TrialBug.allCases)
    func noticed(_ bug: TrialBug) async throws {
        let (status, lines) = try await Self.run(["--bug", bug.rawValue, "--seeds", "8"])
        #expect(status == 0)
        let noticed = try #require(lines.first { $0.invariant != nil }, "none of \(lines.count) trials notices \(bug)")
        #expect(noticed.invariant == bug.breaks.rawValue, "seed \(noticed.seed): \(noticed.violation ?? "")")
    }
}
