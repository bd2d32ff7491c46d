//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import StateJSON

/// `gantry bench queue`: what a waiting job costs, and how fast a front is back with many of them.
struct BenchQueue: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Measure memory per waiting job, and a killed front's restart with them to its first grant.",
        discussion: "Example: gantry bench queue --jobs 100000")

    @Option(name: .long, help: "How many jobs wait.")
    var jobs = 100_000
    @Option(name: .long, help: "Bytes of each job's argument.")
    var payload = 64
    @Option(name: .long, help: "full or memory; without a journal nothing is there after a restart.")
    var durability = FrontServiceCommand.DurabilityOption.full
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...2_000_000).contains(jobs), BenchPlace.payloads.contains(payload) else {
            throw ValidationError("jobs is 1 to 2000000, payload is 0 to \(BenchPlace.payloads.upperBound)")
        }
    }

    func run() async throws {
        let report = try await BenchProcesses.with(in: place.folder) { try await QueueMeasurement(command: self).run($0) }
        guard !printing.isJSON else { return try printing.line(report.json.text) }
        var line =
            "peer=gantry mode=queue-\(durability.rawValue) n=\(jobs) submit_per_s=\(Int(report.submitPerSecond)) "
            + "bytes_per_queued_job=\(Int(report.bytesPerQueuedJob)) payload=\(payload)"
        if let ready = report.restartToReadySeconds, let grant = report.restartToFirstGrantSeconds {
            line += " restart_to_ready_ms=\(Int(ready * 1_000)) restart_to_first_grant_ms=\(Int(grant * 1_000))"
        }
        try printing.line(line)
    }
}
