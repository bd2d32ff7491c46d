//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import Measuring
import StateFormatting

/// `gantry bench`: measures, each time with processes and a folder of its own.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure jobs, the queue, times, loading and large lists, with processes and a folder of its own.",
        discussion: """
            Each prints one line like those of the peers' benchmarks.

            Example: gantry bench jobs --durability memory --jobs 20000
            """,
        subcommands: [
            BenchJobs.self, BenchQueue.self, BenchDelays.self, BenchCancels.self, BenchEstimates.self, BenchLoading.self, BenchList.self,
        ])
}

/// `gantry bench jobs`: no-op jobs end to end.
struct BenchJobs: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Measure no-op jobs end to end: throughput with many in flight, then the round trip of one at a time.",
        discussion: "Example: gantry bench jobs --durability memory --jobs 20000 --observers 10")

    @Option(name: .long, help: "How many jobs.")
    var jobs = 1_000_000
    @Option(name: .long, help: "How many of them are in flight at once.")
    var inFlight = 1_000
    @Option(
        name: .long, help: "How many jobs one call submits; a quarter of those in flight unless given. Calls of one moment share a frame.")
    var batch: Int?
    @Option(name: .long, help: "Bytes of each job's argument.")
    var payload = 64
    @Option(name: .long, help: "How many workers.")
    var workers = 2
    @Option(
        name: .long, help: "How many observers of the topic jobs, up to 2000; each must hold the front's state in the end.")
    var observers = 1
    @Option(name: .long, help: "full or memory.")
    var durability = MeasuredDurability.full
    @Option(name: .long, help: "Which limits the jobs count in: none, one, or keyed, a thousand values of one. All find room.")
    var limits = MeasuredLimits.none
    @Option(name: .long, help: "Seconds after which a run fails.")
    var limit = 120.0
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    /// Jobs that one call submits: several calls are under way at once, so nobody waits for the whole window.
    private var jobsPerCall: Int { batch ?? max(1, inFlight / 4) }

    private var settings: JobsMeasurement.Settings {
        var settings = JobsMeasurement.Settings()
        (settings.jobs, settings.inFlight, settings.batch, settings.payload) = (jobs, inFlight, jobsPerCall, payload)
        (settings.workers, settings.observers, settings.durability) = (workers, observers, durability)
        settings.limits = limits
        (settings.limit, settings.folder) = (limit, place.folder)
        return settings
    }

    func validate() throws {
        guard jobs > 0, inFlight > 0, workers > 0, jobsPerCall > 0, (0...2_000).contains(observers),
            BenchPlace.payloads.contains(payload)
        else {
            throw ValidationError(
                "jobs, in-flight, batch and workers are at least 1, observers is 0 to 2000, payload 0 to \(BenchPlace.payloads.upperBound)")
        }
    }

    func run() async throws {
        let report = try await JobsMeasurement(settings).run()
        try printing.show(report)
        if report.failed > 0 {
            throw CommandFailure(
                .failed, code: .failed, message: "\(report.failed) of \(report.jobs) jobs did not succeed", thenDoctor: true)
        }
    }
}

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
    var durability = MeasuredDurability.full
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...2_000_000).contains(jobs), BenchPlace.payloads.contains(payload) else {
            throw ValidationError("jobs is 1 to 2000000, payload is 0 to \(BenchPlace.payloads.upperBound)")
        }
    }

    func run() async throws {
        try await printing.show(QueueMeasurement(jobs: jobs, payload: payload, durability: durability).run(in: place.folder))
    }
}

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
    var durability = MeasuredDurability.full
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...200).contains(observers), requests > 0 else { throw ValidationError("observers is 1 to 200, requests at least 1") }
    }

    func run() async throws {
        try await printing.show(LoadingMeasurement(observers: observers, requests: requests, durability: durability).run(in: place.folder))
    }
}

/// `gantry bench list`: a large list is loaded, sorted and read in pages.
struct BenchList: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Measure a large list: load, sort, pages at its start, middle and end, and the processes' memory.",
        discussion: "Example: gantry bench list --items 100000")

    @Option(name: .long, help: "How many items, up to 1,000,000.")
    var items = 1_000_000
    @Option(name: .long, help: "How many pages are read at each place.")
    var pages = 300
    @Option(name: .long, help: "Items on a page.")
    var pageSize: UInt32 = 50
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(items), pages > 0, (1...1_000).contains(pageSize) else {
            throw ValidationError("items is 1 to 1000000, pages at least 1, page-size 1 to 1000")
        }
    }

    func run() async throws {
        try await printing.show(ListMeasurement(items: items, pages: pages, pageSize: pageSize).run(in: place.folder))
    }
}

/// Where a measurement keeps its files.
struct BenchPlace: ParsableArguments {
    @Option(name: .long, help: "Where the folder of the run is made; its disk is what full measures.")
    var folder = "/tmp"

    /// Bytes that an argument of a job may have.
    static let payloads = 0...MessageBounds.payloadByteCount
}

extension OutputOptions {
    /// Prints what a measurement has found.
    func show(_ report: some MeasurementReport) throws { try line(isJSON ? report.json.text : report.line) }
}

extension MeasuredDurability: ExpressibleByArgument {}
extension MeasuredLimits: ExpressibleByArgument {}

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
            Jobs run 0.1 to 1 s. The first of several clients submits half of them, the others the rest after it; they take turns. With --permits they \
            wait for a limit that lets as many run at once, and not for slots: where several clients do, nobody can say how long. One estimate that
            is wrong by more than three times is a fault: the exit code is 3 then. How many waits nobody could estimate is printed, too.

            Example: gantry bench estimates --jobs 24 --clients 2
            """)

    @Option(name: .long, help: "How many jobs wait.")
    var jobs = 200
    @Option(name: .long, help: "How many clients submit them.")
    var clients = 1
    @Option(name: .long, help: "How many of them a limit lets run at once. (default: no limit)")
    var permits: UInt32?
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard permits.map({ (1...1_000).contains($0) }) ?? true else { throw ValidationError("permits is 1 to 1000") }
        guard (1...100_000).contains(jobs), (1...100).contains(clients), clients <= jobs else {
            throw ValidationError("jobs is 1 to 100000, clients is 1 to 100 and no more than jobs")
        }
    }

    func run() async throws {
        let report = try await EstimateMeasurement(jobs: jobs, clients: clients, permits: permits).run(in: place.folder)
        try printing.show(report)
        if report.wrong > 0 {
            let count = report.wrong == 1 ? "1 estimate was" : "\(report.wrong) estimates were"
            throw CommandFailure(.failed, code: .failed, message: "\(count) wrong by more than three times")
        }
    }
}
