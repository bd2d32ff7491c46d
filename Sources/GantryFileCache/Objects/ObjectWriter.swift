//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform

/// Cuts a body into blocks, sums them and writes them to a temporary file that becomes an object at `finish`.
///
/// Without `finish` the temporary file is removed when the writer goes. Memory: one block and 32 bytes for each block written.
final class ObjectWriter {
    private let folder: ObjectFolder
    private let durability: Durability
    /// Asked once a block.
    var meter: WorkMeter
    private let temporary: TemporaryFile
    private var block: [UInt8] = []
    private var blockSums: [UInt8] = []
    private var fileOffset: UInt64 = 0
    private var bodyByteCount: UInt64 = 0
    private var isFinished = false

    init(folder: ObjectFolder, durability: Durability, meter: WorkMeter = WorkMeter()) throws(FileCacheError) {
        self.folder = folder
        self.meter = meter
        self.durability = durability
        temporary = try folder.makeTemporaryFile()
        block.reserveCapacity(BlockLayout.blockByteCount)
    }

    deinit {
        if !isFinished { folder.remove(temporary) }
    }

    /// Appends a part of another object's body. Whole blocks that keep their place keep their sums: they are verified, but not summed again.
    func append(_ part: Range<UInt64>, of object: ObjectReader) throws(FileCacheError) {
        let blockByteCount = UInt64(BlockLayout.blockByteCount)
        var offset = part.lowerBound
        while offset < part.upperBound {
            let blockEnd = (offset / blockByteCount + 1) * blockByteCount
            if offset % blockByteCount == 0, bodyByteCount == offset, blockEnd <= part.upperBound {
                try meter.check()
                let (bytes, sum) = try object.storedBlock(offset / blockByteCount)
                blockSums += sum
                try write(bytes)
                bodyByteCount += blockByteCount
                offset = blockEnd
            } else {
                let end = min(blockEnd, part.upperBound)
                try append(object.read(at: offset, count: Int(end - offset))[...])
                offset = end
            }
        }
    }

    /// Appends to the body.
    func append(_ bytes: ArraySlice<UInt8>) throws(FileCacheError) {
        bodyByteCount += UInt64(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            let part = rest.prefix(BlockLayout.blockByteCount - block.count)
            block.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            if block.count == BlockLayout.blockByteCount { try writeBlock() }
        }
    }

    /// Writes the rest, the block sums and the head, and puts the object in its place.
    ///
    /// - Returns: the object's name. If it existed and is whole its file time is renewed.
    func finish(_ head: ObjectHead) throws(FileCacheError) -> ObjectDigest {
        if !block.isEmpty { try writeBlock() }
        let digest = ObjectName.digest(head: head, blockSums: blockSums)
        try write(blockSums)
        try write(head.bytes)
        guard fileOffset == head.fileByteCount else {
            throw FileCacheError(.ioFailed, "wrote \(fileOffset) bytes where the head says \(head.fileByteCount)", digest: digest)
        }
        try folder.commit(temporary, as: digest, durability: durability, meter)
        isFinished = true
        return digest
    }

    private func writeBlock() throws(FileCacheError) {
        try meter.check()
        let pieceSums = ObjectName.pieceSums(block)
        blockSums += ObjectName.blockSum(pieceSums: pieceSums)
        try write(pieceSums + block)
        block.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: [UInt8]) throws(FileCacheError) {
        do throws(FileCacheError) { try temporary.file.write(bytes, at: fileOffset) } catch {
            // What killed writers have left may be all the room there is.
            guard error.code == .full, folder.removeLeftOvers(in: temporary.root) else { throw error }
            try temporary.file.write(bytes, at: fileOffset)
        }
        fileOffset += UInt64(bytes.count)
    }
}

/// Writes plain bytes (a detail, a result over 64 KiB) as an object. Without `finish()` nothing stays on disk. One owner at a time.
package final class BytesWriter {
    private let object: ObjectWriter
    private let limits: CacheLimits

    /// How many bytes have been appended.
    package private(set) var byteCount: UInt64 = 0

    init(folder: ObjectFolder, limits: CacheLimits, durability: Durability) throws(FileCacheError) {
        self.limits = limits
        object = try ObjectWriter(folder: folder, durability: durability)
    }

    /// Appends bytes.
    ///
    /// - Throws: `tooLarge`, `full`, `ioFailed`. After an error the writer can only be dropped.
    package func append(_ bytes: [UInt8]) throws(FileCacheError) {
        byteCount += UInt64(bytes.count)
        guard byteCount <= limits.objectByteCount else {
            throw FileCacheError(.tooLarge, "the value has more than \(limits.objectByteCount) bytes: ask the source for less")
        }
        try object.append(bytes[...])
    }

    /// Ends the value and adds it to the cache.
    package func finish() throws(FileCacheError) -> ObjectReference {
        let digest = try object.finish(ObjectHead(kind: .bytes, contentByteCount: byteCount, itemCount: 0))
        return ObjectReference(digest: digest, byteCount: byteCount, itemCount: 0)
    }
}

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
        // Outside of the lock: a sync may take long, and a collection that finds the lock taken leaves what it came for.
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
            // A collection removes no younger file, but whoever clears the folder by hand may: the name is given out only for what is
            // there.
            guard let status = try folder.status(of: path.name), status.kind == .file, status.byteCount == byteCount else {
                throw SystemError(code: .deviceFailed, context: "\(root.path)/\(path.text) is not whole after it was added")
            }
            try lock.close()
            // Last, since the folder may be moved at any moment before.
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
            // What cannot be read is as good as damaged: a whole file takes its place.
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
            // Somebody may have put another file under the name since it was read.
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
