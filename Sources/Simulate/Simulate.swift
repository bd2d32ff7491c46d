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
        discussion: "Example: Simulate --seeds 200 --from 1. A failing seed ends with exit code 1 and its last events.")

    @Option(help: "How many seeds.") var seeds: UInt64 = 200
    @Option(help: "The first seed.") var from: UInt64 = 1
    @Option(help: "Go on with further seeds until so many seconds are over.") var seconds: Int?
    @Option(help: "A mistake to plant in the front: \(PlantedFault.allCases.map(\.rawValue).joined(separator: ", ")).") var plant: String?
    @Option(help: "How many of the last events of a failing seed are shown.") var events: Int = 60
    @Option(help: "How many worlds happen at the same time.") var width: Int = 2

    func validate() throws {
        if let plant, PlantedFault(rawValue: plant) == nil { throw ValidationError("there is no planted fault \"\(plant)\"") }
        if width < 1 || seeds < 1 { throw ValidationError("--width and --seeds are at least 1") }
    }

    func run() async throws {
        let planted = plant.flatMap { PlantedFault(rawValue: $0) }
        let clock = ContinuousClock()
        let begin = clock.now
        var summary = Summary()
        var next = from
        await withTaskGroup(of: SeedReport.self) { group in
            var running = 0
            while true {
                let isInTime = seconds.map { clock.now - begin < .seconds($0) } ?? (next < from + seeds)
                if isInTime, running < width {
                    let seed = next
                    group.addTask { Seeds.run(seed, planted: planted) }
                    next += 1
                    running += 1
                    continue
                }
                guard let report = await group.next() else { break }
                running -= 1
                summary.add(report)
                if let violation = report.violation { show(violation, of: report.seed, planted) }
            }
        }
        summary.show(elapsed: clock.now - begin)
        if summary.failedSeeds > 0 { throw ExitCode(1) }
    }

    /// The same seed again, this time telling what happens.
    private func show(_ violation: Violation, of seed: UInt64, _ planted: PlantedFault?) {
        print("seed \(seed): \(violation)")
        guard events > 0 else { return }
        for line in Seeds.run(seed, planted: planted, isTraced: true).trace.suffix(events) { print("    \(line)") }
    }
}
