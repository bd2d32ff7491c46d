//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import FileCache
public import WorkerKit

/// The loaders that the command `gantry worker` offers.
public enum StandardLoaders {
    /// `http`, `list` and `sleep`.
    ///
    /// - Parameters:
    ///   - cache: the shared cache, where lists and large details go.
    ///   - httpPolicy: which addresses may be asked and what bounds a transfer.
    ///   - resources: the threads and the memory that they share.
    public static func make(cache: FileCache, httpPolicy: HTTPPolicy, resources: LoaderResources = LoaderResources()) -> [any Loader] {
        [HTTPLoader(cache: cache, policy: httpPolicy, resources: resources), ListLoader(cache: cache, resources: resources), SleepLoader()]
    }

    /// `noop`, which runs on the worker's own loop.
    public static func makeBulk() -> [any BulkLoader] { [NoopLoader()] }
}
