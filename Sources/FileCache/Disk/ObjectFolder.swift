//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform
import Synchronization

/// The objects folder: opens, adds and removes files beneath it, and nothing outside.
///
/// Putting an object in place and removing one exclude each other by a lock file (shared for adding, exclusive for removing), so that an
/// object whose adder was told its name cannot be removed by a collection that saw the file's old time.
///
/// The folder is the one that has the path at that moment: a cache that was restored or moved to a larger disk is used at once, by front and workers
/// alike. What has begun in one folder ends there or fails.
final class ObjectFolder: Sendable {
    let path: String
    let limits: CacheLimits
    /// Looks at a lock that is taken: ten seconds of them unless said otherwise. A collection holds it for milliseconds, so whoever holds
    /// it longer is a stranger or stands still.
    let lockAttempts: Int
    /// Between two of them.
    static let lockPauseMilliseconds = 10
    private let opened: Mutex<ObjectRoot>

    init(path: String, limits: CacheLimits, lockAttempts: Int = 1_000) throws(FileCacheError) {
        self.path = path
        self.limits = limits
        self.lockAttempts = lockAttempts
        let root: ObjectRoot
        do throws(SystemError) { root = ObjectRoot(try DirectoryDescriptor(ownedAt: path)) } catch {
            throw error.code == .permissionDenied ? .reading(error) : .writing(error)
        }
        opened = Mutex(root)
        // Made now, so that a disk which is full later does not keep a collection from it. Who may only read the folder does without.
        _ = try? root.openLock()
    }

    /// The folder that has the path now.
    ///
    /// - Throws: `away` when none has it; why another one that has it cannot be used.
    func root() throws(FileCacheError) -> ObjectRoot {
        let current = opened.withLock { $0 }
        let place: FolderPlace
        do throws(SystemError) { place = try current.folder.place() } catch { throw .reading(error) }
        switch place {
        case .here: return current
        case .away: throw .away("the objects folder \(path) is away: put it back, or make it with: mkdir -m 700 \(path)")
        case .replaced: break
        }
        let next: ObjectRoot
        do throws(SystemError) { next = ObjectRoot(try DirectoryDescriptor(existingOwnedAt: path)) } catch { throw .reading(error) }
        opened.withLock { $0 = next }
        return next
    }

    /// Opens an object for reading.
    ///
    /// - Returns: the file and its size in bytes.
    /// - Throws: `notFound`; `away`, which says nothing of the object; `damaged` for a link, a file with a second name, or anything that is not a plain file.
    func open(_ digest: ObjectDigest) throws(FileCacheError) -> (file: CacheFile, byteCount: UInt64) {
        let root = try root()
        let file: CacheFile
        do throws(SystemError) {
            file = CacheFile(try root.folder.openFile(ObjectPath(digest).text, options: [.read, .withoutWaiting]))
        } catch {
            switch error.code {
            case .notFound: throw absent(digest, in: root)
            case .symbolicLink, .leavesFolder, .notAFolder: throw .damaged(digest, "its path goes through a link or no folder")
            default: throw .reading(error)
            }
        }
        let status = try file.status()
        guard status.kind == .file, status.linkCount <= 1 else { throw .damaged(digest, "it is not a plain file with one name") }
        return (file, UInt64(status.byteCount))
    }

    func makeTemporaryFile() throws(FileCacheError) -> TemporaryFile {
        let root = try root()
        do throws(SystemError) { return try TemporaryFile.make(in: root) } catch { throw .writing(error) }
    }

    /// A file without a name: its room is free again when it is closed, however the process ends.
    func makeNamelessFile() throws(FileCacheError) -> CacheFile {
        let temporary = try makeTemporaryFile()
        do throws(SystemError) { try temporary.root.folder.unlink(temporary.name) } catch { throw .writing(error) }
        return temporary.file
    }

    /// Removes a temporary file; one that cannot be removed is left for the collection.
    func remove(_ temporary: TemporaryFile) { try? temporary.root.folder.unlink(temporary.name) }

    /// Why there is no such file. A folder without any object is one that is not filled again yet, or a place where nothing is mounted.
    private func absent(_ digest: ObjectDigest, in root: ObjectRoot) -> FileCacheError {
        let isEmpty: Bool
        do throws(SystemError) { isEmpty = try root.isEmpty() } catch { return .reading(error) }
        if isEmpty { return .away("no object at all is in \(path): put back what was there, or load again", digest: digest) }
        return FileCacheError(.notFound, "no object of this name is in \(path); it was collected or never added", digest: digest)
    }
}
