//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryFeedLoaders
import GantryFileCache
import GantrySettings
import GantryWorker
import Loaders

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
