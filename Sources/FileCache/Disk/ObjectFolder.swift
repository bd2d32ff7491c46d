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
    let root: DirectoryDescriptor

    init(path: String) throws(FileCacheError) {
        do throws(SystemError) { root = try DirectoryDescriptor(ownedAt: path) } catch {
            throw error.code == .permissionDenied ? .reading(error) : .writing(error)
        }
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
