//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import FrontService
import GantryFeedLoaders
import GantryFileCache
import GantryModel
import GantryPlatform
import GantrySettings
import GantryWorker
import Loaders
import Logging

/// `gantry worker run`, which is what `gantry worker` alone does.
struct WorkerRun: AsyncParsableCommand, PlacedCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a worker: it takes jobs from the front and runs loaders.",
        discussion: """
            SIGTERM, Ctrl-C or `gantry worker drain` drains it: it takes no new jobs and ends with code 0 when its last outcome is durable. \
            Jobs that still run at the end of --grace are stopped: \(Worker.stoppedJobs) (`gantry worker drain` waits for these, see its \
            help). The second Ctrl-C stops them at once, in up to \(SignaledService.gracePeriodText), and ends a worker without jobs; a \
            third ends it in any case.

            Example: gantry worker run --slots 4 --name first
            """)

    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Connect to 127.0.0.1:7703 instead of the socket in the data folder.")
    var tcp = false
    @Option(name: .long, parsing: .unconditional, help: "How many jobs run at once, 1 to 64; default: slots in the configuration.")
    var slots: Int?
    @Option(name: .long, parsing: .unconditional, help: "Bulk jobs that are taken ahead, 0 to 4096.")
    var prefetch = 1_024
    @Option(
        name: .long, help: "Memory of all loads and sorts together, for example 256MiB.", transform: { try MemorySize(argument: $0) })
    var memory = MemorySize(byteCount: LoaderResources.defaultMemoryByteCount)
    @Option(
        name: .long, help: "How long running jobs have to end once it drains, for example 90s; at most 24h; default: 30s.",
        transform: { try TimeLimit(argument: $0) })
    var grace: TimeLimit?
    @Option(name: .long, help: "A name for people.")
    var name: String?
    @Option(name: .long, help: .hidden)
    var sampleOriginPort: Int?
    @OptionGroup var readiness: ReadinessOptions

    func validate() throws {
        try Self.check("--slots", slots, 1...MessageBounds.slots)
        try Self.check("--prefetch", prefetch, 0...MessageBounds.prefetch)
        if let grace, grace.duration > WorkerSettings.longestGrace { throw ValidationError("--grace is at most 24h, not \(grace.text)") }
        guard let name, !(1...MessageBounds.labelByteCount).contains(name.utf8.count) else { return }
        throw ValidationError("--name is 1 to \(MessageBounds.labelByteCount) bytes, not \(name.utf8.count)")
    }

    func run() async throws {
        try readiness.tieToParent()
        let effective = try places.load(tcp: tcp, sampleOriginPort: sampleOriginPort, read: readiness.configuration())
        let label = name ?? "\(HostInformation.name)-\(ProcessControl.currentID)"
        let endpoints = tcp ? effective.endpoints : try Endpoints.serving(effective.data, environment: .process)
        var configuration = GantryWorker.WorkerConfiguration(
            endpoint: endpoints.workers, name: label, slots: slots ?? effective.configuration.slots, prefetch: prefetch)
        configuration.recordFolder = effective.data.audit
        if let grace { configuration.grace = grace.duration }
        if endpoints.folder == nil { configuration.token = try RunToken.ensure(in: effective.data.path).bytes }
        let loaders = try WorkerLoaders(effective, memory: memory)
        let announcements = WorkerAnnouncements(readiness, worker: label)
        var worker = try Worker(
            configuration, loaders: loaders.slotted, bulkLoaders: loaders.bulk, logger: Logger(label: "gantry.worker"),
            onRegistered: { announcements.isRegistered() })
        worker.onDrain = { announcements.drains() }
        try await SignaledService(
            service: worker, name: "worker", cancelNotice: Worker.cancelNotice,
            stopNotice: Worker.stopNotice(grace: configuration.grace), notice: readiness.noticeUnlessChild
        ).run()
    }
}

/// The loaders that `gantry worker` offers.
struct WorkerLoaders {
    var slotted: [any Loader]
    var bulk: [any BulkLoader]

    /// - Parameter memory: of all loads and sorts together.
    /// - Throws: `CommandFailure` when the cache folder cannot be used: with 73, or with 3 where another start may find it usable.
    init(_ effective: EffectiveConfiguration, memory: MemorySize) throws {
        let cache: FileCache
        do {
            // A single sort fits even where there is little: half is left for the arrays that grow.
            let limits = CacheLimits()
            let sortByteCount = min(limits.sortByteCount, memory.byteCount / 2)
            cache = try FileCache(ofFront: effective.data.path, limits: CacheLimits(sortByteCount: sortByteCount))
        } catch {
            let message = "the cache folder cannot be used: \(error)"
            throw error.mayPass
                ? CommandFailure(.failed, code: .unavailable, message: message, thenDoctor: true, isRetryable: true)
                : CommandFailure(.cannotWrite, code: .cannotWrite, message: message, thenDoctor: true)
        }
        let policy = HTTPPolicy(allow: effective.configuration.allow, limits: effective.configuration.http)
        slotted = StandardLoaders.make(cache: cache, httpPolicy: policy, resources: LoaderResources(memoryByteCount: memory.byteCount))
        bulk = StandardLoaders.makeBulk()
    }
}

/// The value of `--memory`: a size with its unit, at least 16 MiB, as sizes are written in the configuration.
struct MemorySize: Hashable, CustomStringConvertible {
    let byteCount: Int

    init(byteCount: Int) { self.byteCount = byteCount }

    /// - Throws: `ValidationError` where there is no unit, an unknown one, less than 16 MiB or more than 1,024 GiB.
    init(argument: String) throws {
        guard let count = try? Quantity.size.count(of: argument), count >= 16 << 20 else {
            throw ValidationError("it is 16MiB to 1024GiB, written with its unit, for example 256MiB")
        }
        byteCount = count
    }

    /// As `--help` shows it, and as it can be given.
    var description: String { byteCount.isMultiple(of: 1 << 20) ? "\(byteCount >> 20)MiB" : "\(byteCount)B" }
}
