//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform

extension ObjectFolder {
    /// Removes temporary files that nobody writes any more, and old objects that are not in `named`.
    func collect(
        keeping named: Set<ObjectDigest>, olderThan bound: WallTime, _ meter: WorkMeter
    ) throws(FileCacheError) -> CollectionReport {
        var report = CollectionReport()
        let root = try root()
        let names: [String]
        do throws(SystemError) { names = try root.folder.list() } catch { throw .writing(error) }
        for name in names {
            try meter.check()
            do throws(SystemError) {
                if name.hasPrefix(TemporaryFile.prefix) {
                    if try removeLeftOver(name, in: root.folder, olderThan: bound) { report.removedTemporaries += 1 }
                } else if ObjectPath.isFolder(name), try root.folder.status(of: name)?.kind == .folder {
                    try collect(folder: name, in: root, keeping: named, olderThan: bound, into: &report)
                }
            } catch { throw .writing(error) }
        }
        return report
    }

    /// Bytes of the files of all objects.
    func byteCount() throws(FileCacheError) -> UInt64 {
        let root = try root()
        var count: UInt64 = 0
        do throws(SystemError) {
            for folderName in try root.folder.list() where ObjectPath.isFolder(folderName) {
                guard try root.folder.status(of: folderName)?.kind == .folder else { continue }
                let folder = try root.folder.openFolder(folderName)
                for name in try folder.list() where ObjectPath.digest(folder: folderName, name: name) != nil {
                    count += UInt64(max(0, try folder.status(of: name)?.byteCount ?? 0))
                }
            }
        } catch { throw .reading(error) }
        return count
    }

    /// Every object, by its name.
    ///
    /// - Throws: the file system's error; a folder that is not there has none.
    static func objects(at path: String) throws(SystemError) -> [StoredObject] {
        var found: [StoredObject] = []
        do throws(SystemError) {
            let root = try DirectoryDescriptor(path: path)
            for folderName in try root.list().sorted() where ObjectPath.isFolder(folderName) {
                guard try root.status(of: folderName)?.kind == .folder else { continue }
                let folder = try root.openFolder(folderName)
                // By name, since the order in which a file system lists is another one on each machine.
                for name in try folder.list().sorted() {
                    guard let digest = ObjectPath.digest(folder: folderName, name: name), let status = try folder.status(of: name),
                        status.kind == .file
                    else { continue }
                    found.append(
                        StoredObject(
                            digest: digest, byteCount: UInt64(max(0, status.byteCount)),
                            addedAt: WallTime(milliseconds: status.modifiedNanoseconds / 1_000_000)))
                }
            }
        } catch {
            guard error.code == .notFound else { throw error }
        }
        return found
    }

    /// Folders that stand where the file of an object belongs, by path, in order.
    ///
    /// - Throws: the file system's error; a folder that is not there has none.
    static func foldersInPlaceOfObjects(at path: String) throws(SystemError) -> [String] {
        var found: [String] = []
        do throws(SystemError) {
            let root = try DirectoryDescriptor(path: path)
            for folderName in try root.list().sorted() where ObjectPath.isFolder(folderName) {
                guard try root.status(of: folderName)?.kind == .folder else { continue }
                let folder = try root.openFolder(folderName)
                for name in try folder.list().sorted() where ObjectPath.digest(folder: folderName, name: name) != nil {
                    if try folder.status(of: name)?.kind == .folder { found.append("\(path)/\(folderName)/\(name)") }
                }
            }
        } catch {
            guard error.code == .notFound else { throw error }
        }
        return found
    }

    /// Makes room at once where the disk is full: removes what killed makers have left in a folder.
    ///
    /// - Returns: whether there was any.
    func removeLeftOvers(in root: ObjectRoot) -> Bool {
        guard let names = try? root.folder.list() else { return false }
        var isAny = false
        for name in names where name.hasPrefix(TemporaryFile.prefix) {
            let isRemoved = try? removeLeftOver(name, in: root.folder, olderThan: WallTime(milliseconds: 0))
            isAny = isAny || isRemoved == true
        }
        return isAny
    }

    /// Removes a temporary file whose maker is gone. Its lock tells, whatever its age; where there is no lock to tell, it is gone if the file is old.
    ///
    /// - Returns: whether it was removed.
    private func removeLeftOver(
        _ name: String, in folder: borrowing DirectoryDescriptor, olderThan bound: WallTime
    ) throws(SystemError) -> Bool {
        guard let status = try folder.status(of: name) else { return false }
        if status.kind == .file, name.hasSuffix(TemporaryFile.heldSuffix) {
            do throws(SystemError) {
                let file = try folder.openFile(name, options: [.read, .withoutWaiting])
                guard try file.tryLockExclusively() else { return false }
                let isRemoved = try removeIfPresent(name, in: folder)
                // Held until the name is gone: a maker that has just made the file sees it, and makes another.
                try file.close()
                return isRemoved
            } catch {
                guard status.isOlder(than: bound) else { return false }
            }
        }
        guard status.isOlder(than: bound) else { return false }
        return try removeIfPresent(name, in: folder)
    }

    private func collect(
        folder folderName: String, in root: ObjectRoot, keeping named: Set<ObjectDigest>, olderThan bound: WallTime,
        into report: inout CollectionReport
    ) throws(SystemError) {
        let folder = try root.folder.openFolder(folderName)
        var candidates: [String] = []
        for name in try folder.list() {
            guard let digest = ObjectPath.digest(folder: folderName, name: name), let status = try folder.status(of: name) else { continue }
            if named.contains(digest) || !status.isOlder(than: bound) { report.remainingObjects += 1 } else { candidates.append(name) }
        }
        guard !candidates.isEmpty else { return }
        // Only now: most folders have nothing to remove, and whoever adds would wait for the lock meanwhile.
        let lock = try root.openLock()
        guard try lock.tryLockExclusively() else {
            report.wasBusy = true
            report.remainingObjects += candidates.count
            return
        }
        for name in candidates {
            // Looked at again: its time may have been renewed before the lock was held.
            guard let status = try folder.status(of: name), status.kind != .folder else { continue }
            guard status.isOlder(than: bound), try removeIfPresent(name, in: folder) else {
                report.remainingObjects += 1
                continue
            }
            report.removedObjects += 1
            report.removedByteCount += UInt64(status.byteCount)
        }
        try lock.close()
    }

    private func removeIfPresent(_ name: String, in folder: borrowing DirectoryDescriptor) throws(SystemError) -> Bool {
        do throws(SystemError) { try folder.unlink(name) } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
        return true
    }
}

extension FileStatus {
    fileprivate func isOlder(than bound: WallTime) -> Bool { modifiedNanoseconds < bound.milliseconds &* 1_000_000 }
}

/// An object's file, as the folder shows it.
package struct StoredObject: Hashable, Sendable {
    /// The object's name.
    package let digest: ObjectDigest
    /// Bytes of its file.
    package let byteCount: UInt64
    /// When it was added last: who adds an object that is there renews its time.
    package let addedAt: WallTime

    /// An object as it was found.
    package init(digest: ObjectDigest, byteCount: UInt64, addedAt: WallTime) {
        (self.digest, self.byteCount, self.addedAt) = (digest, byteCount, addedAt)
    }
}

/// What a collection did.
package struct CollectionReport: Hashable, Sendable {
    /// Objects removed.
    package var removedObjects = 0
    /// Bytes of the removed objects' files.
    package var removedByteCount: UInt64 = 0
    /// Temporary files removed that a dead writer had left.
    package var removedTemporaries = 0
    /// Objects left in place, named or younger than the bound.
    package var remainingObjects = 0
    /// Whether a writer was putting an object in place at that moment, so that some objects were left for the next collection.
    package var wasBusy = false
}
