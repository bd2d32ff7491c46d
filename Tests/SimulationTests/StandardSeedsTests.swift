//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import FrontCore
import Simulation
import TestSupport
import Testing

@Suite("The standard seeds")
struct StandardSeedsTests {
    /// Bounds that no world can meet: what observers name has to find room there, or nothing could be said of what they are shown (tests of the loop
    /// ask for this one: `TopicTableTests`, `TopicLoadTests`); and it takes days of jobs to get too far from the oldest (`UntrueNumberTests`).
    private static let unmet: Set<BusyBound> = [.topics, .jobSpan]

    /// What a world may take. A usual one has 15,000 events; one that has many times as many has a front, a worker or a client that spins. The
    /// processor's time is looked at for all two hundred together, and generously: a checker that costs more than its worlds shows there, a noisy
    /// neighbor or one long world does not. They take a quarter of it on a quiet machine.
    private static let (eventLimit, meanMilliseconds) = (200_000, 1_000)

    @Test("keep every promise, inject every kind of fault, and meet every bound that is drawn tiny")
    func promises() async throws {
        let (status, lines) = try await SeedLine.run([])
        #expect(lines.map(\.seed) == Array(Seeds.standard))
        for line in lines {
            #expect(
                line.invariant == nil, "seed \(line.seed): \(line.violation ?? ""); see it with: Simulate --seeds 1 --from \(line.seed)")
        }
        #expect(status == 0)
        for kind in FaultKind.allCases {
            #expect(lines.contains { $0.faults[kind.rawValue, default: 0] > 0 }, "no seed injected \(kind.rawValue)")
        }
        for bound in BusyBound.allCases where !Self.unmet.contains(bound) {
            #expect(lines.contains { $0.busy[bound.rawValue, default: 0] > 0 }, "no seed was told busy at \(bound.rawValue)")
        }
        for bound in Self.unmet {
            #expect(lines.allSatisfy { $0.busy[bound.rawValue, default: 0] == 0 }, "\(bound.rawValue) is met: take it off the list")
        }
        for bound in MetBound.allCases {
            #expect(lines.contains { $0.metBounds[bound.rawValue, default: 0] > 0 }, "no seed met \(bound.rawValue)")
        }
        // The state is compared after each turn, so that what is wrong for one turn only is seen, and once everything has ended.
        for line in lines {
            #expect(line.turns > 0 && line.comparisons > line.turns, "seed \(line.seed): \(line.comparisons) of \(line.turns) turns")
            #expect(line.events <= Self.eventLimit, "seed \(line.seed) has \(line.events) events")
        }
        let milliseconds = lines.reduce(0) { $0 + $1.processorMilliseconds }
        #expect(milliseconds <= lines.count * Self.meanMilliseconds, "\(milliseconds) ms of processor time")
        // What was promised was also asked for: accepted jobs, real runs, replicas that called themselves verified. In a world with a
        // bound of very few sessions hostile clients may hold them all.
        #expect(lines.count { $0.acceptedJobs == 0 } <= lines.count / 50)
        #expect(lines.reduce(0) { $0 + $1.runs } > 10_000)
        #expect(lines.reduce(0) { $0 + $1.verified } > 10_000)
    }

    @Test("of crowded worlds have full limits: at least half of all grants are made at one, in seeds that go on until enough were made")
    func crowded() async throws {
        let (status, lines) = try await SeedLine.run(["--crowded", "--grants", "300"])
        #expect(status == 0 && !lines.isEmpty && lines.allSatisfy { Seeds.isCrowded($0.seed) })
        let (grants, full) = (lines.reduce(0) { $0 + $1.grants }, lines.reduce(0) { $0 + $1.fullLimitGrants })
        #expect(grants >= 300 && full * 2 >= grants, "\(full) of \(grants)")
        #expect(lines.reduce(0) { $0 + $1.lastPermitGrants } > 0)
        for line in lines {
            #expect(
                line.lastPermitGrants <= line.limitedGrants && line.fullLimitGrants <= line.limitedGrants
                    && line.limitedGrants <= line.grants)
        }
    }

    @Test("are the same every time: in another process, with other hash seeds and without optimization")
    func determinism() async throws {
        let (_, lines) = try await SeedLine.run(["--seeds", "3"])
        for line in lines {
            let here = try await onOwnThread { Seeds.run(line.seed) }
            #expect(String(here.fingerprint, radix: 16) == line.fingerprint)
            #expect(here.verifiedCount == UInt64(line.verified))
        }
        #expect(Set(lines.map(\.fingerprint)).count == 3)
    }
}

/// What `Simulate --json` says of a seed.
struct SeedLine: Decodable {
    let seed: UInt64
    let invariant: String?
    let violation: String?
    let faults: [String: Int]
    let metBounds: [String: Int]
    let busy: [String: Int]
    let acceptedJobs: Int
    /// Grants: all, those of jobs with limits, those of them after whose turn a limit was full, and those that took its last permit.
    let grants: Int
    let limitedGrants: Int
    let fullLimitGrants: Int
    let lastPermitGrants: Int
    let runs: Int
    let verified: Int
    /// Turns of the front, and how often its state was compared with the replay of its journal.
    let turns: Int
    let comparisons: Int
    let events: Int
    /// Of the optimized program.
    let processorMilliseconds: Int
    let fingerprint: String

    /// Runs the optimized simulator and reads its lines, in the order of their seeds.
    static func run(_ arguments: [String]) async throws -> (status: Int32, lines: [SeedLine]) {
        let ending = try await OptimizedProgram.run("Simulate", ["--json"] + arguments)
        let lines = try ending.output.split(separator: "\n").map { try JSONDecoder().decode(SeedLine.self, from: Data($0.utf8)) }
        return (ending.status, lines.sorted { $0.seed < $1.seed })
    }
}
