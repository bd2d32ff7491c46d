//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import StateJSON

/// `gantry bench jobs`: no-op jobs end to end.
struct BenchJobs: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Measure no-op jobs end to end: throughput with many in flight, then the round trip of one at a time.",
        discussion: "Example: gantry bench jobs --durability memory --jobs 20000 --observers 10")

    @Option(name: .long, help: "How many jobs.")
    var jobs = 1_000_000
    @Option(name: .long, help: "How many of them are under way at once.")
    var inFlight = 1_000
    @Option(
        name: .long, help: "How many jobs one call submits; a quarter of those in flight unless given. Calls of one moment share a frame.")
    var batch: Int?
    @Option(name: .long, help: "Bytes of each job's argument.")
    var payload = 64
    @Option(name: .long, help: "How many workers.")
    var workers = 2
    @Option(
        name: .long, help: "How many observers of the topic jobs, up to 2000; each must prove in the end that it holds what the front has.")
    var observers = 1
    @Option(name: .long, help: "full or memory.")
    var durability = FrontServiceCommand.DurabilityOption.full
    @Option(name: .long, help: "Seconds after which a run is given up.")
    var limit = 120.0
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    /// Jobs that one call submits: several calls are under way at once, so nobody waits for the whole window.
    var jobsPerCall: Int { batch ?? max(1, inFlight / 4) }

    func validate() throws {
        guard jobs > 0, inFlight > 0, workers > 0, jobsPerCall > 0, (0...2_000).contains(observers),
            BenchPlace.payloads.contains(payload)
        else {
            throw ValidationError(
                "jobs, in-flight, batch and workers are at least 1, observers is 0 to 2000, payload 0 to \(BenchPlace.payloads.upperBound)")
        }
    }

    func run() async throws {
        let report = try await BenchRun(command: self).run()
        try printing.line(printing.isJSON ? report.json.text : report.line)
        if report.failed > 0 {
            throw CommandFailure(.failed, code: .failed, message: "\(report.failed) of \(report.jobs) jobs did not succeed")
        }
    }
}
