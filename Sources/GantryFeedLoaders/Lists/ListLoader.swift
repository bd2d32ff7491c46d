//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryFileCache
package import GantryModel
package import GantryWorker

/// Works on lists that are in the cache: merge, create, update, sort and detail; a load gives the content that is there, or an empty list.
///
/// What it makes of an editable feed's list is synced to disk before it is reported. A second run of a job gives the same objects.
package struct ListLoader: Loader {
    /// `list`.
    package let name = LoaderName.list
    private let cache: FileCache
    private let resources: LoaderResources

    /// A loader over the worker's cache.
    /// - Parameter resources: shared with the worker's other loaders.
    package init(cache: FileCache, resources: LoaderResources = LoaderResources()) {
        self.cache = cache
        self.resources = resources
    }

    /// Does a feed's job; the result of a create is the new item's id.
    /// - Throws: `LoaderFailure` with `unknownItem`, `unknownField`, `invalidData`, `tooLarge`, `storageFull` or `storageFailed`;
    ///   `CancellationError`.
    package func run(_ job: JobContext) async throws -> LoaderResult {
        guard let work = job.feedWork else {
            throw LoaderFailure(.invalidData, "the loader list works for feeds only: use gantry feed")
        }
        let result = try await ListWork.run(on: cache, with: resources, job, work) { try $0.run() }
        return LoaderResult(bytes: Array((result.itemID ?? "").utf8), feed: result)
    }
}

/// How much memory a job on lists that are in the cache can need at most, known before it begins. Everything but merging and sorting needs none that
/// grows.
package struct LoadMemory {
    /// Bytes that a merge holds for an item: 13 for its partner and 16 for its place while that array grows; a sort holds 32 beside the key.
    static let itemByteCount = 32

    /// Whether two lists are joined by id.
    private let merges: Bool
    private let sorts: Bool
    private let content: ObjectReference?
    private let fetched: ObjectReference?

    /// - Parameter fetched: the list that has just been loaded for the work; one with undated items is merged for their dates.
    package init(_ work: FeedWork, fetched: FetchedList? = nil) {
        content = work.content
        self.fetched = fetched?.list ?? work.source
        // A filter alone is a scan, and a detail leaves the order of its view as it is.
        switch work.operation {
        case .merge: (merges, sorts) = (true, work.sort != nil)
        case .load: (merges, sorts) = (fetched?.isUndated == true, work.sort != nil)
        case .create, .update, .sort: (merges, sorts) = (false, work.sort != nil)
        case .detail: (merges, sorts) = (false, false)
        }
    }

    /// The bytes, by the bounds of the cache. Merging has ended before sorting begins.
    package func byteCount(_ limits: CacheLimits) -> Int {
        let lists = merges ? [content, fetched] : [fetched ?? content]
        let items = Self.sum(lists.map { ($0?.itemCount ?? 0) }) * Self.itemByteCount
        let keys = sorts ? min(Self.sum(lists.map { $0?.byteCount ?? 0 }) + items, limits.sortByteCount) : 0
        return merges ? max(items, keys) : keys
    }

    /// Waits until the memory is there; the job's observers see that it waits.
    package func reserve(_ limits: CacheLimits, of resources: LoaderResources, _ job: JobContext, _ work: FeedWork) async throws
        -> MemoryShare
    {
        try await resources.memory.reserve(byteCount(limits), for: "feed \(work.key)") { job.report(JobProgress(message: $0)) }
    }

    /// Bounded, so that nothing can overflow whatever an object says of itself.
    private static func sum(_ counts: [UInt64]) -> Int { counts.reduce(0) { $0 + Int(min($1, 1 << 40)) } }
}
