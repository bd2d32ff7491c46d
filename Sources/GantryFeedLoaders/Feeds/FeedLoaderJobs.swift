//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
public import GantryFileCache
import GantryModel
public import GantryWorker

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
