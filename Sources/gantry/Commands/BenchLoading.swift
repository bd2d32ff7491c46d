//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import StateJSON

/// `gantry bench loading`: how soon all observers see that a feed is loading.
struct BenchLoading: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "loading",
        abstract: "Measure the time from a load request until the last of many observers sees the feed loading.",
        discussion: "Example: gantry bench loading --observers 20 --requests 2000")

    @Option(name: .long, help: "How many observers of the feed.")
    var observers = 20
    @Option(name: .long, help: "How many requests, one after the other.")
    var requests = 2_000
    @Option(name: .long, help: "full or memory.")
    var durability = FrontServiceCommand.DurabilityOption.full
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...200).contains(observers), requests > 0 else { throw ValidationError("observers is 1 to 200, requests at least 1") }
    }

    func run() async throws {
        let times = try await LoadingMeasurement(observers: observers, requests: requests, durability: durability).run(in: place.folder)
        let report = LoadingMeasurement.Report(
            observers: observers, requests: requests, medianMicroseconds: BenchReport.percentile(times, 0.5),
            p99Microseconds: BenchReport.percentile(times, 0.99), largestMicroseconds: BenchReport.percentile(times, 1))
        let line =
            "peer=gantry mode=loading-\(durability.rawValue) n=\(requests) observers=\(observers) p50_us=\(Int(report.medianMicroseconds)) "
            + "p99_us=\(Int(report.p99Microseconds)) max_us=\(Int(report.largestMicroseconds))"
        try printing.line(printing.isJSON ? report.json.text : line)
    }
}
