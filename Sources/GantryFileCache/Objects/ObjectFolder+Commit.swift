//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform

extension ObjectFolder {
    /// What is there under a name before an object is put in place.
    private enum Existing {
        case absent
        case damaged
        case whole(CacheFile)
    }

    /// Makes a complete temporary file the object `digest`. When this returns the object exists, whole, with a fresh file time.
    ///
    /// What has the name already is read: if it is the object, its time is renewed and the temporary file goes; if it is damaged, the temporary
    /// file takes its place. A file that replaces another is always synced, because the other may have been promised as kept.
    ///
    /// - Throws: also `away` when the folder was moved or replaced meanwhile: nobody would find the object; `folderInPlace`.
    func commit(
        _ temporary: TemporaryFile, as digest: ObjectDigest, durability: Durability, _ meter: WorkMeter
    ) throws(FileCacheError) {
        let existing = try look(for: digest, meter)
        switch existing {
        case .absent: if durability == .persistent { try temporary.file.sync() }
        case .damaged: try temporary.file.sync()
        case .whole(let file): if durability == .persistent { try file.sync() }
        }
        let byteCount = try temporary.file.status().byteCount
        let path = ObjectPath(digest)
        let root = temporary.root
        let lock = try lockForAdding(in: root, meter)
        let place: FolderPlace
        do throws(SystemError) {
            let folder = try makeFolder(path.folder, in: root)
            try put(temporary, over: existing, in: folder, as: path.name, durability: durability)
            if durability == .persistent {
                try folder.sync()
                try root.folder.sync()
            }
            guard let status = try folder.status(of: path.name), status.kind == .file, status.byteCount == byteCount else {
                throw SystemError(code: .deviceFailed, context: "\(root.path)/\(path.text) is not whole after it was added")
            }
            try lock.close()
            place = try root.folder.place()
        } catch { throw .writing(error) }
        guard place == .here else {
            throw .away("the objects folder \(root.path) was moved or replaced meanwhile: try again", digest: digest)
        }
    }

    /// Waits until no collection removes names: it holds the lock for one folder of them at a time.
    ///
    /// - Throws: `cancelled`; `ioFailed` when the lock stays taken: then it is no collection of ours that holds it.
    private func lockForAdding(in root: ObjectRoot, _ meter: WorkMeter) throws(FileCacheError) -> OwnedDescriptor {
        let lock: OwnedDescriptor
        do throws(SystemError) { lock = try root.openLock() } catch { throw .writing(error) }
        for _ in 0..<lockAttempts {
            do throws(SystemError) { if try lock.tryLockShared() { return lock } } catch { throw .writing(error) }
            try meter.check()
            SystemClock.pause(for: Self.lockPause)
        }
        let gracePeriod = (Self.lockPause * lockAttempts).inSeconds
        throw FileCacheError(
            .ioFailed,
            "somebody has held \(root.path)/\(ObjectRoot.lockName) for \(gracePeriod) s: find out who with `fuser`, then try again")
    }

    private func look(for digest: ObjectDigest, _ meter: WorkMeter) throws(FileCacheError) -> Existing {
        do throws(FileCacheError) {
            try ObjectReader(folder: self, digest: digest, kind: nil).verify(meter)
            return .whole(try open(digest).file)
        } catch {
            switch error.code {
            case .notFound: return .absent
            case .damaged, .notReadable, .ioFailed: return .damaged
            default: throw error
            }
        }
    }

    private func put(
        _ temporary: TemporaryFile, over existing: Existing, in folder: borrowing DirectoryDescriptor, as name: String,
        durability: Durability
    ) throws(SystemError) {
        let root = temporary.root
        switch existing {
        case .whole(let file):
            if renew(file, in: folder, as: name) { return try root.folder.unlink(temporary.name) }
            try temporary.file.syncBeforeReplacing()
            try root.folder.rename(temporary.name, to: name, in: folder)
        case .absent where durability == .cached:
            do throws(SystemError) { try root.folder.renameIfNew(temporary.name, to: name, in: folder) } catch {
                // Somebody added the same object in between, maybe synced: theirs is as new as ours, so it stays.
                guard error.code == .exists else { throw error }
                try root.folder.unlink(temporary.name)
            }
        case .absent, .damaged: try root.folder.rename(temporary.name, to: name, in: folder)
        }
    }

    /// Renews the time of the object that was verified; false if the name stands for another file by now or the time cannot be set.
    private func renew(_ file: CacheFile, in folder: borrowing DirectoryDescriptor, as name: String) -> Bool {
        do {
            try file.touch()
            return try folder.status(of: name)?.inode == file.status().inode
        } catch { return false }
    }

    private func makeFolder(_ name: String, in root: ObjectRoot) throws(SystemError) -> DirectoryDescriptor {
        do throws(SystemError) { try root.folder.makeFolder(name) } catch {
            guard error.code == .exists else { throw error }
        }
        return try root.folder.openFolder(name)
    }
}
