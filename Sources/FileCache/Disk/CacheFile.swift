//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// An open file of the cache: positions are given by the caller, so readers on several threads may share it.
final class CacheFile: Sendable {
    private let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Reads `count` bytes at `offset`; fewer when the file ends there.
    func read(at offset: UInt64, count: Int) throws(FileCacheError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(SystemError) { try descriptor.read(into: &bytes, at: Int64(offset), count: count) } catch { throw .reading(error) }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws(FileCacheError) {
        do throws(SystemError) { try descriptor.write(bytes, at: Int64(offset)) } catch { throw .writing(error) }
    }

    /// Waits until everything written is on the disk.
    func sync() throws(FileCacheError) {
        do throws(SystemError) { try descriptor.sync() } catch { throw .writing(error) }
    }

    /// The same for callers that map errors themselves.
    func syncBeforeReplacing() throws(SystemError) { try descriptor.sync() }

    /// Writes the whole of a small file, for callers that map errors themselves.
    func writeBeforeNaming(_ bytes: [UInt8]) throws(SystemError) { try descriptor.write(bytes, at: 0) }

    func status() throws(FileCacheError) -> FileStatus {
        do throws(SystemError) { return try descriptor.status() } catch { throw .reading(error) }
    }

    /// Renews the file's time.
    func touch() throws(FileCacheError) {
        do throws(SystemError) { try descriptor.touch() } catch { throw .writing(error) }
    }
}
