//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform

/// The objects folder: opens, adds and removes files beneath it, and nothing outside.
///
/// Putting an object in place and removing one exclude each other by a lock file (shared for adding, exclusive for removing), so that an
/// object whose adder was told its name cannot be removed by a collection that saw the file's old time.
final class ObjectFolder: Sendable {
    static let lockName = ".lock"
    /// The lock's permissions: whoever else could open the file could lock it, and every adder would wait for him.
    static let lockMode: UInt32 = 0o600
    let root: DirectoryDescriptor
    let limits: CacheLimits
    /// Looks at a lock that is taken: ten seconds of them unless said otherwise. A collection holds it for milliseconds, so whoever holds
    /// it longer is a stranger or stands still.
    let lockAttempts: Int
    /// Between two of them.
    static let lockPauseMilliseconds = 10

    init(path: String, limits: CacheLimits, lockAttempts: Int = 1_000) throws(FileCacheError) {
        self.limits = limits
        self.lockAttempts = lockAttempts
        do throws(SystemError) { root = try DirectoryDescriptor(ownedAt: path) } catch {
            throw error.code == .permissionDenied ? .reading(error) : .writing(error)
        }
        // Made now, so that a disk which is full later does not keep a collection from it. Who may only read the folder does without.
        _ = try? openLock()
    }

    /// Opens the file by which adders and collections exclude each other.
    func openLock() throws(SystemError) -> OwnedDescriptor {
        try root.openFile(Self.lockName, options: [.read, .write, .create], mode: Self.lockMode)
    }

    /// Opens an object for reading.
    ///
    /// - Returns: the file and its size in bytes.
    /// - Throws: `notFound`; `damaged` for a link, a file with a second name, or anything that is not a plain file.
    func open(_ digest: ObjectDigest) throws(FileCacheError) -> (file: CacheFile, byteCount: UInt64) {
        let file: CacheFile
        do throws(SystemError) {
            file = CacheFile(try root.openFile(ObjectPath(digest).text, options: [.read, .withoutWaiting]))
        } catch {
            switch error.code {
            case .notFound:
                throw FileCacheError(
                    .notFound, "no object of this name is in \(root.path); it was collected or never added", digest: digest)
            case .symbolicLink, .leavesFolder, .notAFolder: throw .damaged(digest, "its path goes through a link or no folder")
            default: throw .reading(error)
            }
        }
        let status = try file.status()
        guard status.kind == .file, status.linkCount <= 1 else { throw .damaged(digest, "it is not a plain file with one name") }
        return (file, UInt64(status.byteCount))
    }

    func makeTemporaryFile() throws(FileCacheError) -> TemporaryFile {
        do throws(SystemError) {
            let number = String(try SystemRandom.next(), radix: 16)
            let name = TemporaryFile.prefix + String(repeating: "0", count: 16 - number.count) + number
            return TemporaryFile(name: name, file: CacheFile(try root.createExclusive(name)))
        } catch { throw .writing(error) }
    }

    /// A file without a name: its room is free again when it is closed, however the process ends.
    func makeNamelessFile() throws(FileCacheError) -> CacheFile {
        let temporary = try makeTemporaryFile()
        do throws(SystemError) { try root.unlink(temporary.name) } catch { throw .writing(error) }
        return temporary.file
    }

    /// Removes a temporary file; one that cannot be removed is left for the collection.
    func remove(_ temporary: TemporaryFile) { try? root.unlink(temporary.name) }
}
