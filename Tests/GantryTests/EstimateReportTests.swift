//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import StateFormatting
import Testing

@testable import Measuring

/// What `gantry bench estimates` makes of waits that were estimated and of what came.
@Suite("The report about estimates")
struct EstimateReportTests {
    private func report(_ scores: [(estimate: Double?, waited: Double)]) -> EstimateMeasurement.Report {
        EstimateMeasurement.Report(
            scores.map { EstimateMeasurement.Score(estimate: $0.estimate, waited: $0.waited) }, jobs: 40, clients: 2)
    }

    @Test("waits that nobody could estimate are counted, and are no part of the errors")
    func unknown() {
        let report = report([(1, 1), (nil, 9), (1.5, 1), (nil, 1), (3, 1)])
        #expect(report.estimated == 3 && report.unknown == 2 && report.wrong == 0)
        #expect(report.medianError == 0.5 && report.p90Error == 2)
        #expect(
            report.line.contains("n=40 clients=2 estimated=3 unknown=2 median_error_percent=50 p90_error_percent=200"), "\(report.line)")
        #expect(report.json.text.contains("\"unknown\":2") && !report.json.text.contains("permits"), "\(report.json.text)")
    }

    @Test("where the jobs waited for a limit the report says how many it let run at once")
    func permits() {
        let report = EstimateMeasurement.Report([EstimateMeasurement.Score(estimate: 1, waited: 1)], jobs: 4, clients: 1, permits: 2)
        #expect(report.line.contains("n=4 clients=1 permits=2 estimated=1 unknown=0"), "\(report.line)")
        #expect(report.json.text.contains("\"permits\":2"), "\(report.json.text)")
    }

    @Test("an estimate that is wrong by more than three times is one in either direction, and exactly three times is none")
    func wrong() {
        #expect(report([(3, 1), (1, 3), (2, 2)]).wrong == 0)
        #expect(report([(3.1, 1), (1, 3.1), (0, 1), (nil, 100)]).wrong == 3)
    }

    @Test("where nothing was estimated nothing is wrong")
    func nothing() {
        let report = report([(nil, 2)])
        #expect(report.estimated == 0 && report.unknown == 1 && report.wrong == 0 && report.medianError == 0)
    }
}
