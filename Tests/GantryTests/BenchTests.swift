//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

/// Runs of `gantry bench jobs` with processes of their own: what it says of itself is true.
@Suite("Measurements", .timeLimit(.minutes(5)))
struct BenchTests {
    private struct Report: Decodable {
        var jobs: Int
        var batch: Int
        var calls: Int
        var observers: Int
        var observersVerified: Int
        var subscriptionsAtFront: Int
        var verifiedChanges: Int
        var checksum: String?
        var failed: Int
        var frontCPUMicrosecondsPerJob: Double
        var workersCPUMicrosecondsPerJob: Double
        var clientCPUMicrosecondsPerJob: Double
        var frontBusyShare: Double
        var workersBusyShare: Double
        var clientBusyShare: Double
        var slowest: String
    }

    private func measure(_ arguments: [String]) async throws -> Report {
        let run = try await onOwnThread {
            try ProgramRun(["bench", "jobs", "--durability", "memory", "--workers", "1", "--output", "json"] + arguments)
        }
        #expect(run.exit == .exited(code: 0), "\(run.errors)")
        return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    }

    @Test("alone it measures nothing, and prints its help like other groups of commands")
    func alone() throws {
        let run = try ProgramRun(["bench"])
        #expect(run.exit == .exited(code: 0) && run.output.contains("SUBCOMMANDS:") && run.output.contains("loading"), "\(run.output)")
        let wrong = try ProgramRun(["bench", "--jobs", "5"])
        #expect(wrong.exit == .exited(code: 64), "\(wrong.output) \(wrong.errors)")
    }

    @Test("each observer of a measurement subscribes, which the front itself counts, and holds in the end what the front has")
    func observers() async throws {
        let report = try await measure(["--jobs", "600", "--in-flight", "100", "--observers", "25"])
        #expect(report.observers == 25)
        #expect(report.subscriptionsAtFront == 25)
        #expect(report.observersVerified == 25)
        // Each has verified its first state, and at least one that came after it.
        #expect(report.verifiedChanges >= 50)
        #expect(report.checksum?.count == 16)
        #expect(report.failed == 0)
    }

    @Test("the client of a measurement is not what bounds it: its busiest thread does less than the front's, and it is not always at work")
    func client() async throws {
        let report = try await measure(["--jobs", "40000", "--in-flight", "1000", "--observers", "0"])
        #expect(report.failed == 0 && report.slowest == "front")
        #expect(report.clientBusyShare > 0 && report.clientBusyShare < 0.9, "\(report)")
        #expect(report.clientBusyShare < report.frontBusyShare && report.workersBusyShare < report.frontBusyShare, "\(report)")
        #expect(report.clientCPUMicrosecondsPerJob < report.frontCPUMicrosecondsPerJob, "\(report)")
        #expect(report.frontBusyShare <= 1.1, "one thread cannot be at work longer than it lasts")
    }

    @Test("the window of a measurement is filled again by whole batches")
    func batches() async throws {
        let quarter = try await measure(["--jobs", "1000", "--in-flight", "100", "--observers", "0"])
        #expect(quarter.batch == 25 && quarter.calls == 40)
        let uneven = try await measure(["--jobs", "1000", "--in-flight", "64", "--batch", "300", "--observers", "0"])
        #expect(uneven.calls == 16)
    }
}
