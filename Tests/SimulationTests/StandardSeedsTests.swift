//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Simulation
import TestSupport
import Testing

@Suite("The standard seeds")
struct StandardSeedsTests {
    /// Bounds that no world can meet: what observers name has to find room there, or nothing could be said of what they are shown. Tests of the
    /// loop ask for this one (`TopicTableTests`, `TopicLoadTests`).
    private static let unmet: Set<BusyBound> = [.topics]

    /// What a world may take. A usual one has 15,000 events and half a second of processor time; one that takes many times as much has a front,
    /// a worker or a client that spins, or a checker that costs more than its world. The mean is what lets all two hundred end within a minute on
    /// two cores. Wall time would tell of whatever else the machine does.
    private static let (eventLimit, worldMilliseconds, meanMilliseconds) = (500_000, 20_000, 600)

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
        // In a share of the worlds the state is compared after each turn, so that what is wrong for one turn only is seen.
        #expect(lines.count { $0.turns > 0 && $0.comparisons >= $0.turns } >= lines.count / 16)
        #expect(lines.allSatisfy { $0.comparisons > 0 })
        for line in lines {
            #expect(line.events <= Self.eventLimit, "seed \(line.seed) has \(line.events) events")
            #expect(line.processorMilliseconds <= Self.worldMilliseconds, "seed \(line.seed) takes \(line.processorMilliseconds) ms")
        }
        let milliseconds = lines.reduce(0) { $0 + $1.processorMilliseconds }
        #expect(milliseconds <= lines.count * Self.meanMilliseconds, "\(milliseconds) ms of processor time")
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
