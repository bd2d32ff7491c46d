//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryFileCache
import GantryModel
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
