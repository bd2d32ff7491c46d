//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryFeedLoaders
import GantryFeedSettings
import GantryFileCache
public import GantryModel
public import GantryWorker
import Synchronization

/// Runs the loads of a feed's loader without a front: each has a loader of its own, which prepares and shuts down, and a cache of its own for the items.
///
/// ```swift
/// let harness = FeedLoaderHarness { _ in Towns() }
/// let run = try await harness.load(settings: settings)
/// #expect(run.items.map(\.title) == ["Ulm", "Bonn"])
/// #expect(run.progress.last?.percent == 100)
/// let report = try await harness.cancelAtEachStep(settings: settings)
/// #expect(report.fault == nil)
/// ```
public struct FeedLoaderHarness: Sendable {
    /// Where in the folder of a run its cache is.
    private static let cacheFolder = "objects"

    private let makeLoader: @Sendable (_ folder: String) async throws -> any FeedLoader

    /// A harness.
    /// - Parameter makeLoader: makes the loader of a run, which may keep files of its own in the folder; it is removed after the run.
    public init(_ makeLoader: @escaping @Sendable (_ folder: String) async throws -> any FeedLoader) { self.makeLoader = makeLoader }

    /// Runs a load of a feed that has no content yet.
    ///
    /// - Parameters:
    ///   - feed: its name and parameters, for example `towns?country=de`.
    ///   - settings: those of the source, a JSON object as text.
    /// - Returns: the items or the failure.
    /// - Throws: what the loader throws in `prepare`, and an error of its own that is no `LoaderFailure`, which a worker would report as `loaderFailed`;
    ///   `invalidData` for a feed that cannot be.
    public func load(_ feed: String = "feed", settings: String = "{}") async throws -> FeedHarnessRun {
        let items = Mutex<[FeedItem]>([])
        let attempt = try await HarnessAttempt.run(HarnessJob()) { folder in
            try await loads(of: feed, settings, in: folder) { written in items.withLock { $0 = written } }
        }
        var failure: LoaderFailure?
        do { _ = try attempt.result.get() } catch let thrown as LoaderFailure { failure = thrown }
        return FeedHarnessRun(
            items: items.withLock { $0 }, failure: failure, progress: attempt.progress, stepCount: attempt.stepCount)
    }

    /// Runs a load to its end, then again and again, cancelled each time one step later, as ``LoaderHarness`` does for jobs.
    ///
    /// It stops at the first step at which the load does not end in time, or leaves files in the loader's folder that the clean run does not leave. Of
    /// the cache a load that is cancelled changes nothing, whatever the loader does.
    ///
    /// - Parameters:
    ///   - feed: its name and parameters.
    ///   - settings: those of the source, a JSON object as text; the clean run must succeed.
    ///   - reason: why the worker cancels the load.
    ///   - limit: how soon after the cancel the load must have ended.
    ///   - maximumRuns: how often it is run at most; a clean run of more steps is cancelled at as many of them, evenly spread.
    /// - Returns: how many steps there are, and what is wrong first.
    /// - Throws: what the clean run fails with, and what the loader throws in `prepare`.
    public func cancelAtEachStep(
        _ feed: String = "feed", settings: String = "{}", because reason: CancelReason = .requested, within limit: Duration = .seconds(2),
        maximumRuns: Int = 1_000
    ) async throws -> CancelReport {
        let jobs = LoaderHarness { folder in try await loads(of: feed, settings, in: folder) { _ in } }
        return try await jobs.cancelAtEachStep(because: reason, within: limit, maximumRuns: maximumRuns) { file in
            file.hasPrefix(Self.cacheFolder + "/")
        }
    }

    private func loads(
        of feed: String, _ settings: String, in folder: String, _ take: @escaping @Sendable ([FeedItem]) -> Void
    ) async throws -> FeedLoads {
        guard let key = FeedKey(text: feed) else {
            throw LoaderFailure(.invalidData, "\"\(feed.prefix(60))\" is no feed: say NAME or NAME?PARAMETER=VALUE")
        }
        let loader = try await makeLoader(folder)
        let source = LoaderSource(name: loader.name, settings: settings)
        let work = try LoaderSettings(source: .loader(source), item: ItemMapping(written: [])).json()
        return FeedLoads(loader, try FileCache(root: folder + "/" + Self.cacheFolder), key, work, take)
    }
}

/// What a load came to in a harness.
public struct FeedHarnessRun: Sendable {
    /// The items as the feed would have them, in the order of the loader: one without a creation date has that of the load. Empty after a failure.
    public let items: [FeedItem]
    /// What the load failed with; nil: it did not.
    public let failure: LoaderFailure?
    /// Every report, in order; a worker sends at most 20 of them a second.
    public let progress: [JobProgress]
    /// How many steps the load took.
    package let stepCount: Int
}

/// Loads a feed in the place of a worker, and reads what it has then.
private struct FeedLoads: Loader {
    let name: String
    private let jobs: FeedLoaderJobs
    private let key: FeedKey
    private let settings: [UInt8]
    private let take: @Sendable ([FeedItem]) -> Void

    init(
        _ loader: any FeedLoader, _ cache: FileCache, _ key: FeedKey, _ settings: [UInt8], _ take: @escaping @Sendable ([FeedItem]) -> Void
    ) {
        (name, jobs) = (loader.name, FeedLoaderJobs(loader, cache: cache))
        (self.key, self.settings, self.take) = (key, settings, take)
    }

    func prepare() async throws { try await jobs.prepare() }

    func shutdown() async { await jobs.shutdown() }

    func run(_ job: JobContext) async throws -> LoaderResult {
        var job = job
        job.feedWork = FeedWork(key: key, operation: .load, settings: settings, acceptedAt: job.grantedAt)
        let result = try await jobs.run(job)
        take(try jobs.items(of: result))
        return result
    }
}
