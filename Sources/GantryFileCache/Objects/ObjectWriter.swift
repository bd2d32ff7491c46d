//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

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
