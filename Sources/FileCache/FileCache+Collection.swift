//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FileCache {
    /// Removes objects that nobody names and that are older than a bound, and old temporary files of writers that died.
    ///
    /// Readers that have an object open keep reading it. Writers that are putting an object in place are never waited for: what would
    /// need that is left for the next collection.
    ///
    /// - Parameters:
    ///   - named: the objects that durable or pending state names.
    ///   - bound: only files last added or renewed before this instant (by the file system's clock) are removed.
    /// - Throws: `notWritable`, `notReadable`, `ioFailed`; what was removed before stays removed.
    public func collect(keeping named: Set<ObjectDigest>, olderThan bound: WallTime) throws(FileCacheError) -> CollectionReport {
        try folder.collect(keeping: named, olderThan: bound)
    }
}
