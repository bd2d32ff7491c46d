//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import FrontService
import Loaders
import Settings
import WorkerKit

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
            let data = effective.data
            cache = try FileCache(
                root: data.objects, note: FrontFolder.objectsNote(in: data.path), limits: CacheLimits(sortByteCount: sortByteCount))
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
