//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport

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
