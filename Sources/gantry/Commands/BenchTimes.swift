//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Measuring
import StateFormatting

/// `gantry bench delays`: what delayed jobs cost, and how late they start.
struct BenchDelays: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "delays",
        abstract: "Measure memory per delayed job, a killed front's restart with them, and how late jobs start that are due beside them.",
        discussion: """
            late: from a job's time until its outcome is at the client, so with its run and all ways.

            Example: gantry bench delays --jobs 20000 --due 1000
            """)

    @Option(name: .long, help: "How many jobs wait for an hour.")
    var jobs = 1_000_000
    @Option(name: .long, help: "How many are due meanwhile, one after the other within ten seconds.")
    var due = 10_000
    @Option(name: .long, help: "full or memory; without a journal nothing is there after a restart.")
    var durability = MeasuredDurability.full
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...2_000_000).contains(jobs), (1...100_000).contains(due) else {
            throw ValidationError("jobs is 1 to 2000000, due is 1 to 100000")
        }
    }

    func run() async throws {
        try await printing.show(DelayMeasurement(jobs: jobs, due: due, durability: durability).run(in: place.folder))
    }
}

/// `gantry bench cancels`: how long a running job goes on after its cancel.
struct BenchCancels: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "cancels",
        abstract: "Measure the time from the cancel of a running job, whose loader heeds it, until its client knows that it has stopped.",
        discussion: "Example: gantry bench cancels --jobs 20")

    @Option(name: .long, help: "How many jobs are cancelled, one after the other.")
    var jobs = 300
    @Option(name: .long, help: "full or memory.")
    var durability = MeasuredDurability.full
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(jobs) else { throw ValidationError("jobs is 1 to 100000") }
    }

    func run() async throws {
        try await printing.show(CancelMeasurement(jobs: jobs, durability: durability).run(in: place.folder))
    }
}

/// `gantry bench estimates`: how far estimates of waits are from what comes.
struct BenchEstimates: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "estimates",
        abstract: "Measure how far the waits that `gantry job explain` estimates are from those that come.",
        discussion: """
            Jobs run 0.1 to 1 s. The first of several clients submits half of them, the others the rest after it; they take turns. One estimate that
            is wrong by more than three times is a fault: the exit code is 3 then. How many waits nobody could estimate is printed, too.

            Example: gantry bench estimates --jobs 24 --clients 2
            """)

    @Option(name: .long, help: "How many jobs wait.")
    var jobs = 200
    @Option(name: .long, help: "How many clients submit them.")
    var clients = 1
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(jobs), (1...100).contains(clients), clients <= jobs else {
            throw ValidationError("jobs is 1 to 100000, clients is 1 to 100 and no more than jobs")
        }
    }

    func run() async throws {
        let report = try await EstimateMeasurement(jobs: jobs, clients: clients).run(in: place.folder)
        try printing.show(report)
        if report.wrong > 0 {
            let count = report.wrong == 1 ? "1 estimate was" : "\(report.wrong) estimates were"
            throw CommandFailure(.failed, code: .failed, message: "\(count) wrong by more than three times")
        }
    }
}
