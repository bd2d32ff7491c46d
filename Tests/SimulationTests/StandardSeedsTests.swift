//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Simulation
import TestSupport
import Testing

@Suite("The standard seeds")
struct StandardSeedsTests {
    /// Bounds that no standard seed meets yet, though they are drawn: only tests of the core ask for them.
    private static let askedByTestsOfTheCore: Set<MetBound> = [
        .queuedByteCount, .sessions, .snapshotParts, .snapshots, .unreadReplies, .views, .workers,
    ]

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
        for bound in MetBound.allCases where !Self.askedByTestsOfTheCore.contains(bound) {
            #expect(lines.contains { $0.metBounds[bound.rawValue, default: 0] > 0 }, "no seed met \(bound.rawValue)")
        }
        // What was promised was also asked for: accepted jobs, real runs, replicas that called themselves verified. In a world with a
        // bound of very few sessions hostile clients may hold them all.
        #expect(lines.count { $0.acceptedJobs == 0 } <= lines.count / 50)
        #expect(lines.reduce(0) { $0 + $1.runs } > 10_000)
        #expect(lines.reduce(0) { $0 + $1.proofs } > 10_000)
    }

    @Test("are the same every time: in another process, with other hash seeds and without optimisation")
    func determinism() async throws {
        let (_, lines) = try await SeedLine.run(["--seeds", "3"])
        for line in lines {
            let here = try await onOwnThread { Seeds.run(line.seed) }
            #expect(String(here.fingerprint, radix: 16) == line.fingerprint)
            #expect(here.proofCount == UInt64(line.proofs))
        }
        #expect(Set(lines.map(\.fingerprint)).count == 3)
    }
}
