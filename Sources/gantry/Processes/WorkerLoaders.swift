//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Loaders
import Settings
import WorkerKit

/// The loaders that `gantry worker` offers.
struct WorkerLoaders {
    var slotted: [any Loader]
    var short: [any ShortLoader]

    /// - Throws: `CommandFailure` with 73 when the cache folder cannot be used.
    init(_ effective: EffectiveConfiguration) throws {
        let cache: FileCache
        do {
            cache = try FileCache(root: effective.data.path + "/objects")
        } catch {
            throw CommandFailure(
                .cannotWrite, code: "cannotWrite", message: "the cache folder cannot be used: \(error)", nextStep: "gantry doctor")
        }
        let policy = HTTPPolicy(allow: effective.configuration.allow, limits: effective.configuration.http)
        slotted = StandardLoaders.make(cache: cache, httpPolicy: policy)
        short = StandardLoaders.makeShort()
    }
}
