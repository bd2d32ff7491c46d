//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryFeedLoaders
package import GantryFeedSettings
package import GantryFileCache
import GantryModel
package import GantryWorker

/// Loads a feed's list, and the details of its items, from a JSON API by configuration alone.
///
/// The answer is read as it arrives: memory does not grow with the list. Only GET is sent, so a second run is harmless. The total time-out bounds a
/// load from its first call on files to its last, whatever hangs: such a call is left to its threads, as after a cancel.
package struct HTTPLoader: Loader {
    /// `http`.
    package let name = LoaderName.http
    private let cache: FileCache
    private let policy: HTTPPolicy
    private let resources: LoaderResources
    private let closing: ClosingClients
    private let resolve: @Sendable (String, Int) async throws -> [String]
    private let clock: any Clock<Duration>

    /// A loader that writes into the worker's cache and keeps to the worker's policy.
    /// - Parameter resources: shared with the worker's other loaders.
    package init(cache: FileCache, policy: HTTPPolicy, resources: LoaderResources = LoaderResources()) {
        self.init(cache: cache, policy: policy, resources: resources, resolve: HostResolver().addresses)
    }

    init(
        cache: FileCache, policy: HTTPPolicy, resources: LoaderResources = LoaderResources(),
        closing: ClosingClients = ClosingClients(), clock: any Clock<Duration> = ContinuousClock(),
        resolve: @escaping @Sendable (String, Int) async throws -> [String]
    ) {
        self.cache = cache
        self.policy = policy
        self.resources = resources
        self.closing = closing
        self.clock = clock
        self.resolve = resolve
    }

    /// Does a feed's job: load and detail ask the origin, everything else is done as the list loader does it.
    /// - Throws: `LoaderFailure` with a code of decision 23; `CancellationError` at once, whatever the connection does.
    package func run(_ job: JobContext) async throws -> LoaderResult {
        guard let work = job.feedWork else {
            throw LoaderFailure(.invalidData, "the loader http works for feeds only: use gantry feed")
        }
        let settings = try work.loaderSettings()
        if work.operation == .load, let source = settings.httpSource {
            return LoaderResult(feed: try await load(job, work, settings, source))
        }
        if work.operation == .detail, let detail = settings.detail {
            return LoaderResult(feed: try await loadDetail(job, work, settings, at: detail))
        }
        return LoaderResult(feed: try await ListWork.run(on: cache, with: resources, job, work) { try $0.run() })
    }

    private func load(_ job: JobContext, _ work: FeedWork, _ settings: LoaderSettings, _ source: HTTPSource) async throws -> FeedResult {
        let (cache, resources) = (cache, resources)
        let target = try HTTPTarget(Self.address(source.url, of: work) { work.key.value(of: $0) })
        let shown = target.shown
        let limits = policy.limits(with: settings.http)
        let transfer = transfer(limits, BodyBound(list: limits))
        return try await transfer.timed(target) { timer in
            let ingest = try await resources.withFiles { _ in
                try ListIngest(
                    cache: cache, items: source.items, mapping: settings.item, firstSeen: work.firstSeen)
            }
            let sink = HTTPTransfer.Sink { byteCount in
                ingest.hold(try await Self.memory(byteCount, of: resources, for: shown, job))
            } take: { part, received, total in
                try await LoaderFailure.naming(shown) {
                    let items = try await resources.withParser { try ingest.parse(part) }
                    if !items.isEmpty { try await resources.withFiles { _ in try ingest.write(items) } }
                }
                job.report(Self.progress(received, total))
            }
            try await transfer.fetch(target, timer, into: sink)
            let fetched = try await LoaderFailure.naming(shown) { try await resources.withFiles { stop in try ingest.finish(stop) } }
            return try await listWork(job, work, LoadMemory(work, fetched: fetched), timer) { try $0.finish(fetched) }
        }
    }

    private func loadDetail(
        _ job: JobContext, _ work: FeedWork, _ settings: LoaderSettings, at template: URLTemplate
    ) async throws -> FeedResult {
        let resources = resources
        let target = try HTTPTarget(Self.address(template, of: work) { $0 == "id" ? work.itemID : work.key.value(of: $0) })
        let shown = target.shown
        let limits = policy.limits(with: settings.http)
        let transfer = transfer(limits, BodyBound(detail: limits))
        return try await transfer.timed(target) { timer in
            let memory = LoadMemory(work)
            try await listWork(job, work, memory, timer) { try $0.requireItem() }
            let ingest = JSONIngest()
            let sink = HTTPTransfer.Sink { byteCount in
                ingest.hold(try await Self.memory(byteCount, of: resources, for: shown, job))
            } take: { part, received, total in
                try await LoaderFailure.naming(shown) { try await resources.withParser { try ingest.append(part) } }
                job.report(Self.progress(received, total))
            }
            try await transfer.fetch(target, timer, into: sink)
            return try await LoaderFailure.naming(shown) {
                let text = try await resources.withParser { try ingest.finish() }
                // The text keeps its memory until it is written. That asks for none: who holds some and waited for more could wait for ever.
                return try await listWork(job, work, memory, timer) { listWork in
                    try withExtendedLifetime(ingest) { try listWork.detail(text, source: .network) }
                }
            }
        }
    }

    private func transfer(_ limits: HTTPLimits, _ bound: BodyBound) -> HTTPTransfer {
        HTTPTransfer(policy: policy, limits: limits, bound: bound, resolve: resolve, closing: closing, clock: clock)
    }

    /// A part of a load that works on lists of the cache; like every wait for memory, its own does not count as the load's time.
    private func listWork<Value: Sendable>(
        _ job: JobContext, _ work: FeedWork, _ memory: LoadMemory, _ timer: TransferTimer,
        _ body: @escaping @Sendable (ListWork) throws -> Value
    ) async throws -> Value {
        let share = try await timer.during(.waitingForMemory) { try await memory.reserve(cache.limits, of: resources, job, work) }
        return try await ListWork.run(on: cache, with: resources, job, work, holding: share, body)
    }

    private static func memory(
        _ byteCount: Int, of resources: LoaderResources, for shown: String, _ job: JobContext
    ) async throws -> MemoryShare {
        try await resources.memory.reserve(byteCount, for: shown) { job.report(JobProgress(message: $0)) }
    }

    /// - Throws: `invalidData` for values that would lead elsewhere than the configuration says.
    private static func address(_ template: URLTemplate, of work: FeedWork, _ value: (String) -> String?) throws(LoaderFailure) -> String {
        do {
            return try template.expanded(value)
        } catch {
            throw LoaderFailure(.invalidData, "the address of feed \(work.key.name) cannot be made: \(error)")
        }
    }

    private static func progress(_ received: Int, _ total: Int?) -> JobProgress {
        let percent = total.flatMap { $0 > 0 ? UInt8(min(received * 100 / $0, 100)) : nil }
        return JobProgress(percent: percent, completed: UInt64(received), total: total.map { UInt64(max($0, 0)) }, unit: "bytes")
    }
}

/// What the worker's own configuration says of http: it wins over what any job asks for.
package struct HTTPPolicy: Hashable, Sendable {
    /// The loopback and private addresses that may be asked; public ones may always be.
    package var allow: [AllowedAddress]
    /// The largest bounds of a transfer; of these and the job's settings the smaller ones count.
    package var limits: HTTPLimits

    /// A policy; with an empty list nothing on this machine or in a private network can be reached.
    package init(allow: [AllowedAddress] = [], limits: HTTPLimits = HTTPLimits()) {
        self.allow = allow
        self.limits = limits
    }

    /// The bounds that count for a job.
    func limits(with asked: HTTPLimits) -> HTTPLimits {
        HTTPLimits(
            maxBodyBytes: min(limits.maxBodyBytes, asked.maxBodyBytes),
            connectTimeout: min(limits.connectTimeout, asked.connectTimeout),
            idleTimeout: min(limits.idleTimeout, asked.idleTimeout),
            totalTimeout: min(limits.totalTimeout, asked.totalTimeout))
    }

    /// Whether a host that is written as an address, or as `localhost`, is refused; a name is not judged before it is looked up.
    package func refuses(writtenHost host: String, port: Int) -> Bool {
        let address = host.lowercased() == "localhost" ? "127.0.0.1" : host
        return IPAddress(address) != nil && !permits(host: host, address: address, port: port)
    }

    /// Whether an address that a host stands for may be asked. A listed name stands for whatever it resolves to.
    func permits(host: String, address: String, port: Int) -> Bool {
        if let number = IPAddress(address), number.isPublic { return true }
        return allow.contains { entry in
            entry.allows(host: host, port: port) || entry.allows(host: address, port: port)
                || (IPAddress(entry.address.host).map { $0 == IPAddress(address) } ?? false) && entry.allows(port: port)
        }
    }
}
