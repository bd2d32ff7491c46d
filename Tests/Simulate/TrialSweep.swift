//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import Simulation

/// Trials of limits, one seed after another.
struct TrialSweep {
    let bug: TrialBug?
    let first: UInt64
    /// How many lines of a failing trial's trace are shown.
    let events: Int
    let isJSON: Bool
    let endsAtFirst: Bool

    /// What many trials came to.
    private struct Totals {
        var faults = KindCounts<TrialFault>()
        var grants = GrantCounts()
        var (trials, failed, runs, accepted, fronts): (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
        var (milliseconds, processorMilliseconds): (Int64, Int64) = (0, 0)

        mutating func add(_ report: TrialReport, _ processorMilliseconds: Int64) {
            faults.add(report.faults)
            grants.add(report.grants)
            (trials, failed) = (trials + 1, failed + (report.violation == nil ? 0 : 1))
            (runs, accepted, fronts) = (runs + report.runCount, accepted + report.acceptedCount, fronts + report.frontCount)
            milliseconds += report.simulatedMilliseconds
            self.processorMilliseconds += processorMilliseconds
        }
    }

    /// Trials until so many seeds are over, or so many jobs were granted.
    /// - Throws: the exit code, as of worlds.
    func run(seeds: UInt64, grants: UInt64?, width: Int) async throws {
        var (totals, next, running) = (Totals(), first, 0)
        let bug = bug
        await withTaskGroup(of: (report: TrialReport, processorMilliseconds: Int64).self) { group in
            while true {
                let isLeft = grants.map { totals.grants.all < $0 } ?? (next - first < seeds)
                let isOver = totals.failed > 0 && (bug != nil || endsAtFirst)
                if isLeft, !isOver, running < width {
                    let seed = next
                    // The last ones are no longer than they need to be.
                    let rest = grants.map { max(1_000, $0 - totals.grants.all) }.flatMap { $0 < 20_000 ? $0 : nil }
                    group.addTask { Simulate.measure { TrialReport.run(seed, grants: rest, bug: bug) } }
                    (next, running) = (next + 1, running + 1)
                    continue
                }
                guard let (report, processorMilliseconds) = await group.next() else { break }
                running -= 1
                totals.add(report, processorMilliseconds)
                show(report, totals)
            }
        }
        if !isJSON { show(totals) }
        guard let bug else {
            if totals.failed > 0 { throw ExitCode(1) }
            return
        }
        guard totals.failed == 0 else { return }
        if !isJSON { output("\(bug): noticed by none of \(totals.trials) trials") }
        throw ExitCode(1)
    }

    private func show(_ report: TrialReport, _ totals: Totals) {
        if isJSON { return output(TrialLine(report).text) }
        if totals.trials.isMultiple(of: 10) { output("\(totals.trials) trials, \(totals.failed) failed, \(totals.grants.all) grants") }
        guard let violation = report.violation else { return }
        output("seed \(report.seed): \(violation)")
        guard events > 0 else { return }
        for line in TrialReport.run(report.seed, bug: bug, isTraced: true).trace.suffix(events) { output("    \(line)") }
    }

    private func show(_ totals: Totals) {
        let grants = totals.grants
        let seconds = Double(totals.processorMilliseconds / 100) / 10
        let hours = Double(totals.milliseconds / 36_000) / 100
        output("\(totals.trials) trials, \(totals.failed) failed, \(hours) simulated hours, \(seconds) s of processor time")
        output("\(totals.accepted) accepted jobs, \(totals.runs) runs, \(totals.fronts) lives of fronts, \(totals.faults.total) faults")
        let share = grants.all == 0 ? 0 : grants.full * 100 / grants.all
        let rate = totals.processorMilliseconds == 0 ? 0 : Int64(grants.all) * 1_000 / totals.processorMilliseconds
        output(
            "\(grants.all) grants, \(grants.limited) of jobs with limits, \(grants.full) (\(share) %) at a full limit; \(rate) a second of processor time"
        )
        output("faults:")
        for fault in TrialFault.allCases where totals.faults[fault] > 0 { output("    \(fault.rawValue): \(totals.faults[fault])") }
    }
}

/// What came of one trial, as a line of JSON.
private struct TrialLine: Encodable {
    let seed: UInt64
    let invariant: String?
    let violation: String?
    let faults: [String: UInt64]
    let grants: UInt64
    let limitedGrants: UInt64
    let fullLimitGrants: UInt64
    let runs: UInt64
    let acceptedJobs: UInt64
    let simulatedMilliseconds: Int64

    init(_ report: TrialReport) {
        (seed, invariant, violation) = (report.seed, report.violation?.promise.rawValue, report.violation?.text)
        faults = Dictionary(uniqueKeysWithValues: TrialFault.allCases.map { ($0.rawValue, report.faults[$0]) })
        (grants, limitedGrants, fullLimitGrants) = (report.grants.all, report.grants.limited, report.grants.full)
        (runs, acceptedJobs, simulatedMilliseconds) = (report.runCount, report.acceptedCount, report.simulatedMilliseconds)
    }

    /// One line, keys in order.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
