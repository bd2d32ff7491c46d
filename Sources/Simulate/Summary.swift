//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Simulation

/// What many seeds came to.
struct Summary {
    private var faults = KindCounts<FaultKind>()
    private var metBounds = KindCounts<MetBound>()
    private var busy = KindCounts<BusyBound>()
    private var milliseconds: Int64 = 0
    private var eventCount: UInt64 = 0
    private var accepted = 0
    private var runs: UInt64 = 0
    private var verified: UInt64 = 0
    private var comparisons: UInt64 = 0
    private var processorMilliseconds: Int64 = 0
    private(set) var seeds = 0
    private(set) var failedSeeds = 0

    /// Adds one seed.
    mutating func add(_ report: SeedReport, processorMilliseconds: Int64) {
        self.processorMilliseconds += processorMilliseconds
        faults.add(report.faults)
        metBounds.add(report.metBounds)
        busy.add(report.busy)
        milliseconds += report.simulatedMilliseconds
        eventCount += report.eventCount
        accepted += report.acceptedCount
        runs += report.runCount
        verified += report.verifiedCount
        comparisons += report.comparisonCount
        seeds += 1
        if report.violation != nil { failedSeeds += 1 }
    }

    /// Prints all of it.
    func show(elapsed: Duration) {
        let hours = Double(milliseconds) / 3_600_000
        output(
            "\(seeds) seeds, \(failedSeeds) failed, \(Double(Int(hours * 100)) / 100) simulated hours in \(elapsed.components.seconds) s, "
                + "\(Double(processorMilliseconds / 100) / 10) s of processor time")
        output(
            "\(eventCount) events, \(accepted) accepted jobs, \(runs) runs, \(verified) verified replicas, \(comparisons) replays, "
                + "\(faults.total) faults:")
        for kind in FaultKind.allCases where faults[kind] > 0 { output("    \(kind.rawValue): \(faults[kind])") }
        output("bounds that were met:")
        for bound in MetBound.allCases where metBounds[bound] > 0 { output("    \(bound.rawValue): \(metBounds[bound])") }
        output("bounds at which somebody was told busy:")
        for bound in BusyBound.allCases where busy[bound] > 0 { output("    \(bound.rawValue): \(busy[bound])") }
    }
}
