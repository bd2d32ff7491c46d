//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform

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

/// A file that becomes an object by getting its name, or is removed.
struct TemporaryFile {
    /// What every temporary name begins with; objects' folders have two hexadecimal digits, so the two are never mixed up.
    static let prefix = ".adding-"
    /// What a name ends with whose maker holds the file's lock for as long as it lives: without that lock the file is nobody's. Where the file system
    /// knows no locks, names lack it, and only a file's age tells.
    static let heldSuffix = "-held"

    /// The folder that it lies in, and in which it becomes an object.
    let root: ObjectRoot
    let name: String
    let file: CacheFile

    /// Makes an empty file.
    static func make(in root: ObjectRoot) throws(SystemError) -> TemporaryFile {
        // A collection may look at a new file before its maker has locked it; it takes that one, and the next has another name.
        for _ in 0..<8 {
            let name = try newName() + heldSuffix
            let file = try root.folder.createExclusive(name)
            do throws(SystemError) {
                if try file.tryLockExclusively(), try file.status().linkCount > 0 {
                    return TemporaryFile(root: root, name: name, file: CacheFile(file))
                }
            } catch {
                try root.folder.unlink(name)
                break
            }
        }
        let name = try newName()
        return TemporaryFile(root: root, name: name, file: CacheFile(try root.folder.createExclusive(name)))
    }

    /// Sixteen random hexadecimal digits.
    static func randomDigits() throws(SystemError) -> String {
        let number = String(try SystemRandom.next(), radix: 16)
        return String(repeating: "0", count: 16 - number.count) + number
    }

    private static func newName() throws(SystemError) -> String {
        prefix + (try randomDigits())
    }
}
