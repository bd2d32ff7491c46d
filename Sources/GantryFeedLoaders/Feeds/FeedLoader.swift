//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
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
