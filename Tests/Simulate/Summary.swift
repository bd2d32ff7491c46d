//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
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
    private(set) var grants = GrantCounts()
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
        grants.add(report.grants)
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
                + "\(faults.total) faults")
        let share = grants.all == 0 ? 0 : grants.full * 100 / grants.all
        output(
            "\(grants.all) grants, \(grants.limited) of jobs with limits, \(grants.full) (\(share) %) at a full limit, of which \(grants.last) took "
                + "the last permit")
        output("faults:")
        for kind in FaultKind.allCases where faults[kind] > 0 { output("    \(kind.rawValue): \(faults[kind])") }
        output("bounds that were met:")
        for bound in MetBound.allCases where metBounds[bound] > 0 { output("    \(bound.rawValue): \(metBounds[bound])") }
        output("bounds at which somebody was told busy:")
        for bound in BusyBound.allCases where busy[bound] > 0 { output("    \(bound.rawValue): \(busy[bound])") }
    }
}

/// What came of one seed, as a line of JSON.
struct SeedLine: Encodable {
    private let seed: UInt64
    private let invariant: String?
    private let violation: String?
    private let faults: [String: UInt64]
    private let metBounds: [String: UInt64]
    /// How often somebody was told `busy`, by bound.
    private let busy: [String: UInt64]
    private let simulatedMilliseconds: Int64
    private let events: UInt64
    private let acceptedJobs: Int
    /// Grants: all, those of jobs with limits, those of them after whose turn a limit was full, and those that took its last permit.
    private let grants: UInt64
    private let limitedGrants: UInt64
    private let fullLimitGrants: UInt64
    private let lastPermitGrants: UInt64
    private let runs: UInt64
    private let verified: UInt64
    private let turns: UInt64
    private let comparisons: UInt64
    private let processorMilliseconds: Int64
    /// A sum over all events, in hexadecimal digits: equal for equal seeds.
    private let fingerprint: String

    init(_ report: SeedReport, processorMilliseconds: Int64) {
        self.processorMilliseconds = processorMilliseconds
        seed = report.seed
        invariant = report.violation?.promise.rawValue
        violation = report.violation?.text
        faults = Dictionary(uniqueKeysWithValues: FaultKind.allCases.map { ($0.rawValue, report.faults[$0]) })
        metBounds = Dictionary(uniqueKeysWithValues: MetBound.allCases.map { ($0.rawValue, report.metBounds[$0]) })
        busy = Dictionary(uniqueKeysWithValues: BusyBound.allCases.map { ($0.rawValue, report.busy[$0]) })
        simulatedMilliseconds = report.simulatedMilliseconds
        events = report.eventCount
        acceptedJobs = report.acceptedCount
        (grants, limitedGrants) = (report.grants.all, report.grants.limited)
        (fullLimitGrants, lastPermitGrants) = (report.grants.full, report.grants.last)
        runs = report.runCount
        verified = report.verifiedCount
        turns = report.turnCount
        comparisons = report.comparisonCount
        fingerprint = String(report.fingerprint, radix: 16)
    }

    /// One line, keys in order.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// Prints a line at once: a sweep that is ended, or that ends itself, has then said what it had found.
func output(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
