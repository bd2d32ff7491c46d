//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedSettings
public import GantryFileCache
public import GantryModel
import GantryWire
public import GantryWorker

/// Code that writes the items of a feed: its source in the configuration is `{ loader: NAME, settings: { … } }`.
///
/// The article <doc:FeedsFromYourLoader> has one in 15 lines.
///
/// Only the content is the loader's: sorting, filtering, editing and merging are done as for every feed. A second run of a load must be harmless.
public protocol FeedLoader: Sendable {
    /// The name that the configuration says: a lower-case letter, then up to 62 lower-case letters, digits or dashes. Unique in a worker, and none of
    /// `http`, `list`, `noop` and `sleep`.
    var name: String { get }
    /// Most items that a load writes; 1,000,000 unless said otherwise. 48 bytes of the worker's memory for each are set aside before a load begins;
    /// a load that writes more fails with `tooLarge`.
    var itemLimit: Int { get }

    /// Gets what all loads need, as `prepare` of every loader of a worker does; nothing unless said otherwise.
    /// - Throws: whatever keeps the loader from working: the worker then ends with `loaderNotPrepared`.
    func prepare() async throws

    /// Gives back what `prepare` got, when no load runs any more; nothing unless said otherwise.
    func shutdown() async

    /// Writes the items of a feed, in the feed's own order. The feed keeps the content that it has until all are written.
    ///
    /// The task is cancelled when somebody cancels the load: then return soon. Never block the thread for long.
    /// - Parameters:
    ///   - feed: what is to be loaded, and where to report progress.
    ///   - items: where the items go.
    /// - Throws: `LoaderFailure` to say what went wrong and whether a repeat may help; any other error counts as `loaderFailed`, retryable.
    func load(_ feed: FeedLoad, into items: FeedItems) async throws

    /// The detail of an item, where the configuration says `detail: loader`.
    ///
    /// - Parameter id: of an item that the feed has.
    /// - Returns: JSON text, at most 64 MiB; nil: the item itself, which is what every loader answers unless it says otherwise.
    /// - Throws: as `load`.
    func detail(of id: String, in feed: FeedLoad) async throws -> String?
}

extension FeedLoader {
    /// A million items.
    public var itemLimit: Int { 1_000_000 }

    /// Nothing to get.
    public func prepare() async throws {}

    /// Nothing to give back.
    public func shutdown() async {}

    /// The item is its own detail.
    public func detail(of id: String, in feed: FeedLoad) async throws -> String? { nil }
}

/// What a loader is to load: a feed with its parameters and settings.
public struct FeedLoad: Sendable {
    /// The job's id.
    public let job: JobID
    /// How often the job was granted, from 1.
    public let attempt: UInt32
    /// The feed, with all parameters that have a value.
    public let key: FeedKey
    /// How many items the feed has now; nil: it has never been loaded.
    public let previousItemCount: UInt64?
    /// `settings` of the source in the configuration, a JSON object as text.
    public let settings: String

    private let context: JobContext

    init(_ context: JobContext, _ work: FeedWork, settings: String) {
        (job, attempt, key) = (context.job, context.attempt, work.key)
        previousItemCount = work.content?.itemCount
        (self.settings, self.context) = (settings, context)
    }

    /// The value of one of the feed's parameters; nil: it has none.
    public func parameter(_ name: String) -> String? { key.value(of: name) }

    /// The settings as a value of your own type.
    /// - Throws: `invalidData` naming the setting that does not fit.
    public func settings<Settings: Decodable>(_ type: Settings.Type = Settings.self) throws(LoaderFailure) -> Settings {
        do throws(FieldFault) { return try FieldFault.decode(type, from: Data(settings.utf8)) } catch {
            throw LoaderFailure(
                .invalidData, "source.settings of feed \(key.name) does not fit: \(error.context); correct them in gantry.yaml",
                arguments: ["feed", key.name])
        }
    }

    /// Makes a call that may block, on a thread where it may; the flag that `body` gets is raised when the load is cancelled, and this then throws at
    /// once.
    public func blocking<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws -> Value) async throws -> Value {
        try await context.blocking(body)
    }

    /// Says how far the load is, where the number of items says little. At most 20 reports a second leave the worker.
    public func report(_ progress: JobProgress) { context.report(progress) }
}

extension [any Loader] {
    /// Loaders that write feeds, as loaders of a worker; `list` is among them, so that the worker can also sort and edit what they write.
    ///
    /// ```swift
    /// let cache = try FileCache(ofFront: arguments[1])
    /// let configuration = try WorkerConfiguration(ofFront: arguments[1], name: "towns")
    /// try await Worker(configuration, loaders: .feeds(Towns(), cache: cache)).runUntilSignal()
    /// ```
    ///
    /// - Parameters:
    ///   - loaders: each name once.
    ///   - cache: that of the front, where the items go.
    ///   - resources: the threads and the memory that they share.
    public static func feeds(
        _ loaders: any FeedLoader..., cache: FileCache, resources: LoaderResources = LoaderResources()
    ) -> [any Loader] {
        loaders.map { FeedLoaderJobs($0, cache: cache, resources: resources) } + [ListLoader(cache: cache, resources: resources)]
    }
}

/// Does the jobs of feeds with a loader that writes items: all but load and detail are done as `list` does them.
package struct FeedLoaderJobs: Loader {
    /// What a list takes for each item until it is finished, in bytes: 32 while it is written, and half as much again while its ids are put in order.
    static let itemByteCount = 48

    package var name: String { loader.name }
    private let loader: any FeedLoader
    private let cache: FileCache
    private let resources: LoaderResources

    package init(_ loader: any FeedLoader, cache: FileCache, resources: LoaderResources = LoaderResources()) {
        (self.loader, self.cache, self.resources) = (loader, cache, resources)
    }

    package func prepare() async throws { try await loader.prepare() }

    package func shutdown() async { await loader.shutdown() }

    package func run(_ job: JobContext) async throws -> LoaderResult {
        guard let work = job.feedWork else {
            throw LoaderFailure(.invalidData, "the loader \(name) works for feeds only: use gantry feed")
        }
        let settings = try work.loaderSettings()
        guard let source = settings.loaderSource, source.name == name else {
            throw LoaderFailure(.invalidData, "the source of feed \(work.key.name) is not the loader \(name): name it in gantry.yaml")
        }
        let feed = FeedLoad(job, work, settings: source.settings)
        switch work.operation {
        case .load: return LoaderResult(feed: try await load(feed, job, work, settings.item))
        case .detail where source.givesDetails: return LoaderResult(feed: try await detail(feed, job, work))
        case .detail, .merge, .create, .update, .sort:
            return LoaderResult(feed: try await ListWork.run(on: cache, with: resources, job, work) { try $0.run() })
        }
    }

    /// The items of the content that a job made; none if it made none.
    package func items(of result: LoaderResult) throws -> [FeedItem] {
        guard let content = result.feed?.content else { return [] }
        let list = try cache.openList(content.digest)
        return try (0..<list.count).map { FeedItem(try list.item(at: $0)) }
    }

    private func load(_ feed: FeedLoad, _ job: JobContext, _ work: FeedWork, _ mapping: ItemMapping) async throws -> FeedResult {
        let cache = cache
        let output = try await resources.withFiles { _ in try ListOutput(in: cache, firstSeen: work.firstSeen) }
        output.hold(try await resources.memory.reserve(itemLimitByteCount, for: "loader \(name)") { job.report(JobProgress(message: $0)) })
        let items = FeedItems(loader, FeedItemReader(mapping), output, resources, job)
        try await loader.load(feed, into: items)
        try Task.checkCancellation()
        let fetched = try await items.finish()
        let share = try await LoadMemory(work, fetched: fetched).reserve(cache.limits, of: resources, job, work)
        return try await ListWork.run(on: cache, with: resources, job, work, holding: share) { try $0.finish(fetched) }
    }

    /// The most that the list can take while it is written.
    private var itemLimitByteCount: Int { max(0, min(loader.itemLimit, cache.limits.itemCount)) * Self.itemByteCount }

    private func detail(_ feed: FeedLoad, _ job: JobContext, _ work: FeedWork) async throws -> FeedResult {
        try await ListWork.run(on: cache, with: resources, job, work) { try $0.requireItem() }
        guard let id = work.itemID, let text = try await loader.detail(of: id, in: feed) else {
            return try await ListWork.run(on: cache, with: resources, job, work) { try $0.run() }
        }
        return try await LoaderFailure.naming("loader \(name): the detail of item \"\(id.prefix(60))\"") {
            let json = Array(text.utf8)
            guard json.count <= MessageBounds.storedDetailByteCount else {
                throw LoaderFailure(.tooLarge, "has \(json.count) bytes (limit \(MessageBounds.storedDetailByteCount)): give less")
            }
            try await resources.withParser {
                var scanner = JSONScanner(items: nil)
                try scanner.push(json) { _ in }
                try scanner.finish()
            }
            return try await ListWork.run(on: cache, with: resources, job, work) { try $0.detail(json, source: .network) }
        }
    }
}
