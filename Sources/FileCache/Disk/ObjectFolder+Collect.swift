//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform

extension ObjectFolder {
    /// Removes old temporary files and old objects that are not in `named`.
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
                    guard let status = try root.folder.status(of: name), status.isOlder(than: bound) else { continue }
                    if try removeIfPresent(name, in: root.folder) { report.removedTemporaries += 1 }
                } else if ObjectPath.isFolder(name), try root.folder.status(of: name)?.kind == .folder {
                    try collect(folder: name, in: root, keeping: named, olderThan: bound, into: &report)
                }
            } catch { throw .writing(error) }
        }
        return report
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
