//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import FrontCore
import Simulation

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
