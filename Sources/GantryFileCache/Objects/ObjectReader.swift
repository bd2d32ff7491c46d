//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// An open object. Every byte that it hands out has been verified: piece by its sum, piece sums by the block sum, block sums by the name.
final class ObjectReader: Sendable {
    let digest: ObjectDigest
    let head: ObjectHead
    private let blockSums: [UInt8]
    private let file: CacheFile

    /// Opens an object, reads its head and block sums and proves them by the name.
    ///
    /// - Throws: `notFound`; `damaged` when size, head or sums are not what the name says, or are over the bounds of the cache: nothing is
    ///   set aside for a size before it is known to be within them; `mismatch` for another kind.
    init(folder: ObjectFolder, digest: ObjectDigest, kind: ObjectKind?) throws(FileCacheError) {
        let (file, size) = try folder.open(digest)
        let headByteCount = UInt64(ObjectHead.byteCount)
        guard size >= headByteCount else { throw .damaged(digest, "the file is shorter than a head") }
        let headBytes = try Self.read(ObjectHead.byteCount, of: file, digest, at: size - headByteCount)
        guard let head = ObjectHead(bytes: headBytes) else {
            throw .damaged(digest, "the head is not one of version \(ObjectHead.version)")
        }
        // Before anything is set aside for the sums, whose number the head says.
        guard head.fileByteCount == size else { throw .damaged(digest, "the file has \(size) bytes, its head says \(head.fileByteCount)") }
        guard head.contentByteCount <= folder.limits.objectByteCount, head.itemCount <= UInt64(folder.limits.itemCount) else {
            throw .damaged(digest, "it says that it has \(head.contentByteCount) bytes and \(head.itemCount) items, over the bounds")
        }
        let sumsByteCount = Int(head.blockCount) * BlockLayout.sumByteCount
        blockSums = try Self.read(sumsByteCount, of: file, digest, at: size - headByteCount - UInt64(sumsByteCount))
        guard ObjectName.digest(head: head, blockSums: blockSums) == digest else {
            throw .damaged(digest, "the list of block sums does not have the name")
        }
        if let kind, kind != head.kind {
            throw FileCacheError(.mismatch, "the object is of kind \(head.kind), not \(kind)", digest: digest)
        }
        self.digest = digest
        self.head = head
        self.file = file
    }

    var reference: ObjectReference { ObjectReference(digest: digest, byteCount: head.contentByteCount, itemCount: head.itemCount) }

    /// Bytes that it holds in memory while it is open.
    var heldByteCount: Int { blockSums.count }

    /// Reads a part of the body, proving the pieces that it touches.
    func read(at start: UInt64, count: Int) throws(FileCacheError) -> [UInt8] {
        guard start <= head.bodyByteCount, UInt64(count) <= head.bodyByteCount - start else {
            throw .damaged(digest, "an index points outside the object")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var offset = start
        let end = start + UInt64(count)
        while offset < end {
            let block = offset / UInt64(BlockLayout.blockByteCount)
            let blockStart = block * UInt64(BlockLayout.blockByteCount)
            let part = Int(offset - blockStart)..<Int(min(end - blockStart, UInt64(BlockLayout.blockByteCount)))
            try append(part, ofBlock: block, to: &bytes)
            offset = blockStart + UInt64(part.upperBound)
        }
        return bytes
    }

    /// Reads and proves the whole object.
    func verify(_ meter: WorkMeter = WorkMeter()) throws(FileCacheError) {
        for block in 0..<head.blockCount {
            try meter.reach(Int(block), of: Int(head.blockCount))
            let byteCount = BlockLayout.byteCount(ofBlock: block, bodyByteCount: head.bodyByteCount)
            var bytes: [UInt8] = []
            try append(0..<byteCount, ofBlock: block, to: &bytes)
        }
    }

    /// A block with its piece sums, as it is in the file, and its sum; all of it verified.
    func storedBlock(_ block: UInt64) throws(FileCacheError) -> (bytes: [UInt8], sum: ArraySlice<UInt8>) {
        let byteCount = BlockLayout.byteCount(ofBlock: block, bodyByteCount: head.bodyByteCount)
        let sumsByteCount = BlockLayout.pieceCount(byteCount) * BlockLayout.sumByteCount
        let bytes = try read(sumsByteCount + byteCount, ofBlock: block, at: block * BlockLayout.storedBlockByteCount)
        try verify(bytes[sumsByteCount...], fromPiece: 0, ofBlock: block, sums: Array(bytes[..<sumsByteCount]))
        let sumStart = Int(block) * BlockLayout.sumByteCount
        return (bytes, blockSums[sumStart..<sumStart + BlockLayout.sumByteCount])
    }

    /// Proves the pieces that follow one another in `data`.
    private func verify(_ data: ArraySlice<UInt8>, fromPiece first: Int, ofBlock block: UInt64, sums: [UInt8]) throws(FileCacheError) {
        guard ObjectName.verifies(sums[...], sums: blockSums, at: Int(block) * BlockLayout.sumByteCount) else {
            throw .damaged(digest, block: block, "the piece sums do not have the block's sum")
        }
        var piece = first
        var offset = data.startIndex
        while offset < data.endIndex {
            let pieceEnd = min(offset + BlockLayout.pieceByteCount, data.endIndex)
            guard ObjectName.verifies(data[offset..<pieceEnd], sums: sums, at: piece * BlockLayout.sumByteCount) else {
                throw .damaged(digest, block: block, "piece \(piece) does not have its sum")
            }
            piece += 1
            offset = pieceEnd
        }
    }

    /// Reads file bytes. A file that ended early is damage like any other; a disk that fails is not yet: it may answer the next time.
    private func read(_ count: Int, ofBlock block: UInt64, at offset: UInt64) throws(FileCacheError) -> [UInt8] {
        let bytes = try Self.read(count, of: file, digest, block: block, at: offset)
        guard bytes.count == count else { throw .damaged(digest, block: block, "the file ends inside the block") }
        return bytes
    }

    private static func read(
        _ count: Int, of file: CacheFile, _ digest: ObjectDigest, block: UInt64? = nil, at offset: UInt64
    ) throws(FileCacheError) -> [UInt8] {
        do throws(FileCacheError) { return try file.read(at: offset, count: count) } catch {
            throw error.of(digest, block: block)
        }
    }

    private func append(_ part: Range<Int>, ofBlock block: UInt64, to bytes: inout [UInt8]) throws(FileCacheError) {
        let blockByteCount = BlockLayout.byteCount(ofBlock: block, bodyByteCount: head.bodyByteCount)
        let sumsByteCount = BlockLayout.pieceCount(blockByteCount) * BlockLayout.sumByteCount
        let fileStart = block * BlockLayout.storedBlockByteCount
        let firstPiece = part.lowerBound / BlockLayout.pieceByteCount
        let dataStart = firstPiece * BlockLayout.pieceByteCount
        let dataEnd = min(
            (part.upperBound + BlockLayout.pieceByteCount - 1) / BlockLayout.pieceByteCount * BlockLayout.pieceByteCount, blockByteCount)
        let sums: [UInt8]
        let data: ArraySlice<UInt8>
        // The sums lie right before the first piece, so one call reads both.
        if firstPiece == 0 {
            let both = try read(sumsByteCount + dataEnd, ofBlock: block, at: fileStart)
            sums = Array(both[..<sumsByteCount])
            data = both[sumsByteCount...]
        } else {
            sums = try read(sumsByteCount, ofBlock: block, at: fileStart)
            data = try read(dataEnd - dataStart, ofBlock: block, at: fileStart + UInt64(sumsByteCount + dataStart))[...]
        }
        try verify(data, fromPiece: firstPiece, ofBlock: block, sums: sums)
        let shift = data.startIndex - dataStart
        bytes.append(contentsOf: data[part.lowerBound + shift..<part.upperBound + shift])
    }
}
