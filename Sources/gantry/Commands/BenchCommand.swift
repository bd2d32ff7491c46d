//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import Platform
import Settings

/// `gantry bench`.
struct BenchCommand: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure no-op jobs end to end with a front and workers of its own, in a folder of its own.",
        discussion: """
            One client keeps jobs in flight, then sends one at a time. The line is like those of the peers' benchmarks.

            Example: gantry bench --durability memory --jobs 20000
            """)

    @Option(name: .long, help: "How many jobs.")
    var jobs = 1_000_000
    @Option(name: .long, help: "How many of them are open at once.")
    var inFlight = 1_000
    @Option(name: .long, help: "Bytes of each job's argument.")
    var payload = 64
    @Option(name: .long, help: "How many workers.")
    var workers = 2
    @Option(name: .long, help: "How many observers of the topic jobs.")
    var observers = 1
    @Option(name: .long, help: "full or memory.")
    var durability = FrontServiceCommand.DurabilityOption.full
    @Option(name: .long, help: "Where the folder of the run is made; its disk is what full measures.")
    var folder = "/tmp"
    @Option(name: .long, help: "Seconds after which a run is given up.")
    var limit = 120.0
    @OptionGroup var printing: OutputOptions

    func run() async throws {
        guard jobs > 0, inFlight > 0, workers > 0, (0...65_536).contains(payload) else {
            throw ValidationError("jobs, in-flight and workers are at least 1, payload is 0 to 65536")
        }
        let report = try await BenchRun(command: self).run()
        try printing.line(printing.isJSON ? JSONLine.text(report) : report.line)
        if report.failed > 0 {
            throw CommandFailure(.failed, code: "failed", message: "\(report.failed) of \(report.jobs) jobs did not succeed")
        }
    }
}
