//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FileCache {
    /// Removes objects that nobody names and that are older than a bound, and temporary files of writers that died.
    ///
    /// Readers that have an object open keep reading it. Writers that are putting an object in place are never waited for: what would
    /// need that is left for the next collection.
    ///
    /// - Parameters:
    ///   - named: the objects that durable or pending state names.
    ///   - bound: only objects last added or renewed before this instant (by the file system's clock) are removed.
    ///   - goesOn: asked before each folder of names, one in 256 of all objects; answering false stops with `cancelled`.
    /// - Throws: `away`, `notWritable`, `notReadable`, `ioFailed`, `cancelled`; what was removed before stays removed.
    /// - Complexity: memory for the names of one folder.
    public func collect(
        keeping named: Set<ObjectDigest>, olderThan bound: WallTime, goesOn: @escaping () -> Bool = { true }
    ) throws(FileCacheError) -> CollectionReport {
        try folder.collect(keeping: named, olderThan: bound, WorkMeter { _ in goesOn() })
    }

    /// Bytes of the files of all objects. What comes or goes meanwhile may be in it or not.
    ///
    /// - Throws: `away`, `notReadable`, `ioFailed`.
    /// - Complexity: looks at each object; memory for the names of one folder.
    public func byteCount() throws(FileCacheError) -> UInt64 { try folder.byteCount() }
}
