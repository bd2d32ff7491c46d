//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import FrontCore
import Simulation

/// Lets simulated worlds happen, and reports the first broken promise of each.
@main
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs seeded worlds of front, workers and clients under faults, and checks the promises after every step.",
        discussion: """
            Example: Simulate --seeds 200 --from 1. A failing seed ends with exit code 1 and its last events.

            With --plant the front has a mistake and the seeds are to notice it: the first that does ends the run with exit code 0, none with 1.
            """)

    @Option(help: "How many seeds.") var seeds: UInt64 = UInt64(Seeds.standard.count)
    @Option(help: "The first seed.") var from: UInt64 = Seeds.standard.lowerBound
    @Option(help: "Go on with further seeds until so many seconds are over.") var seconds: Int?
    @Option(help: "A mistake to plant in the front: \(PlantedFault.allCases.map(\.rawValue).joined(separator: ", ")).") var plant: String?
    @Option(help: "How many of the last events of a failing seed are shown.") var events: Int = 60
    @Option(help: "How many worlds happen at the same time.") var width: Int = 2
    @Flag(help: "Print one JSON object a seed and nothing else.") var json = false

    func validate() throws {
        if let plant, PlantedFault(rawValue: plant) == nil { throw ValidationError("there is no planted fault \"\(plant)\"") }
        if width < 1 || seeds < 1 { throw ValidationError("--width and --seeds are at least 1") }
    }

    func run() async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        let summary = await sweep(until: seconds.map { begin + .seconds($0) })
        if !json { summary.show(elapsed: clock.now - begin) }
        if let plant {
            guard summary.failedSeeds == 0 else { return }
            if !json { print("planted \(plant): noticed by none of \(summary.seeds) seeds") }
            throw ExitCode(1)
        }
        if summary.failedSeeds > 0 { throw ExitCode(1) }
    }

    private var planted: PlantedFault? { plant.flatMap { PlantedFault(rawValue: $0) } }

    private func sweep(until deadline: ContinuousClock.Instant?) async -> Summary {
        var summary = Summary()
        var next = from
        await withTaskGroup(of: SeedReport.self) { group in
            var running = 0
            while true {
                let isInTime = deadline.map { ContinuousClock.now < $0 } ?? (next < from + seeds)
                let isNoticed = planted != nil && summary.failedSeeds > 0
                if isInTime, !isNoticed, running < width {
                    let (seed, planted) = (next, planted)
                    group.addTask { Seeds.run(seed, planted: planted) }
                    next += 1
                    running += 1
                    continue
                }
                guard let report = await group.next() else { break }
                running -= 1
                summary.add(report)
                if json {
                    print(SeedLine(report).text)
                } else if let violation = report.violation {
                    show(violation, of: report.seed)
                }
            }
        }
        return summary
    }

    /// The same seed again, this time telling what happens.
    private func show(_ violation: Violation, of seed: UInt64) {
        print("seed \(seed): \(violation)")
        guard events > 0 else { return }
        for line in Seeds.run(seed, planted: planted, isTraced: true).trace.suffix(events) { print("    \(line)") }
    }
}
