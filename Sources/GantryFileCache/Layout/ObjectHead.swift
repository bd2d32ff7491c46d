//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform

/// The 64 bytes at the end of every object's file: version, kind, lengths and counts, all covered by the name.
struct ObjectHead: Equatable {
    /// The only version of the layout so far.
    static let version: UInt8 = 1
    static let byteCount = 64
    /// Bytes of an offset in a list's offset index.
    static let offsetByteCount: UInt64 = 8
    /// Bytes of an entry of the id index (sum, position) and of an order (position, place).
    static let entryByteCount: UInt64 = 12

    var kind: ObjectKind
    /// Bytes of the content, without indexes and sums.
    var contentByteCount: UInt64
    /// Items of a list, entries of an order, 0 for bytes.
    var itemCount: UInt64
    /// The list that an order belongs to.
    var list: ObjectDigest?

    /// Content and, for a list, n + 1 offsets and n id entries.
    var bodyByteCount: UInt64 {
        kind == .list ? contentByteCount + (itemCount + 1) * Self.offsetByteCount + itemCount * Self.entryByteCount : contentByteCount
    }

    /// Where a list's id index begins in the body, behind content and offsets.
    var idIndexStart: UInt64 { contentByteCount + (itemCount + 1) * Self.offsetByteCount }

    var blockCount: UInt64 { BlockLayout.blockCount(bodyByteCount) }

    /// The exact size of the file.
    var fileByteCount: UInt64 {
        BlockLayout.storedByteCount(bodyByteCount: bodyByteCount) + blockCount * UInt64(BlockLayout.sumByteCount) + UInt64(Self.byteCount)
    }

    init(kind: ObjectKind, contentByteCount: UInt64, itemCount: UInt64, list: ObjectDigest? = nil) {
        self.kind = kind
        self.contentByteCount = contentByteCount
        self.itemCount = itemCount
        self.list = list
    }

    /// Reads a head; nil for an unknown version or kind, reserved bytes that are not zero, and lengths that cannot be.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes[0] == Self.version, let kind = ObjectKind(rawValue: bytes[1]) else { return nil }
        // What this version does not know it must not pass over: the bytes may change what the rest means.
        guard bytes[2..<8].allSatisfy({ $0 == 0 }), bytes[56..<64].allSatisfy({ $0 == 0 }) else { return nil }
        let contentByteCount = LittleEndian.word(bytes, 8)
        let itemCount = LittleEndian.word(bytes, 16)
        // Sizes beyond this would overflow the sums below, whoever wrote the file.
        guard contentByteCount < 1 << 40, itemCount <= UInt64(UInt32.max) else { return nil }
        let list = kind == .order ? ObjectDigest(bytes: bytes[24..<56]) : nil
        guard kind == .order ? contentByteCount == itemCount * Self.entryByteCount : bytes[24..<56].allSatisfy({ $0 == 0 }) else {
            return nil
        }
        guard kind != .bytes || itemCount == 0 else { return nil }
        self.init(kind: kind, contentByteCount: contentByteCount, itemCount: itemCount, list: list)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [Self.version, kind.rawValue, 0, 0, 0, 0, 0, 0]
        LittleEndian.append(contentByteCount, to: &bytes)
        LittleEndian.append(itemCount, to: &bytes)
        bytes += list?.bytes ?? [UInt8](repeating: 0, count: 32)
        bytes += [UInt8](repeating: 0, count: 8)
        return bytes
    }
}

/// What an object's body holds; byte 1 of its head.
enum ObjectKind: UInt8 {
    /// Content only.
    case bytes = 1
    /// Items, then their offsets, then the index of their ids.
    case list = 2
    /// Entries that put the items of one list in order.
    case order = 3
}

/// Where blocks and pieces lie in a file: see the article "The layout of an object".
enum BlockLayout {
    /// Bytes of one block of the body; only the last block of an object may be shorter.
    static let blockByteCount = 64 * 1024
    /// Bytes of one piece, the smallest unit that can be verified alone; only the last piece may be shorter.
    /// So a single item costs 3 KiB of reading, a piece and the sums of its block, and not the block.
    static let pieceByteCount = 2 * 1024
    /// Bytes of one SHA-256 sum.
    static let sumByteCount = 32
    /// Bytes that a whole block takes in the file: its piece sums, then its content.
    static let storedBlockByteCount = UInt64(blockByteCount + blockByteCount / pieceByteCount * sumByteCount)

    /// How many pieces `byteCount` bytes of one block have.
    static func pieceCount(_ byteCount: Int) -> Int { (byteCount + pieceByteCount - 1) / pieceByteCount }

    /// How many blocks a body of `byteCount` bytes has.
    static func blockCount(_ byteCount: UInt64) -> UInt64 { (byteCount + UInt64(blockByteCount) - 1) / UInt64(blockByteCount) }

    /// Content bytes of block `block` of a body of `bodyByteCount` bytes.
    static func byteCount(ofBlock block: UInt64, bodyByteCount: UInt64) -> Int {
        Int(min(UInt64(blockByteCount), bodyByteCount - block * UInt64(blockByteCount)))
    }

    /// File bytes of all blocks with their piece sums.
    fileprivate static func storedByteCount(bodyByteCount: UInt64) -> UInt64 {
        let whole = bodyByteCount / UInt64(blockByteCount)
        let rest = Int(bodyByteCount % UInt64(blockByteCount))
        return whole * storedBlockByteCount + UInt64(pieceCount(rest) * sumByteCount + rest)
    }
}

/// SHA-256 as objects use it: of pieces, of a block's piece sums, and of head and block sums.
enum ObjectName {
    /// The name: SHA-256 over the head, then the block sums in order.
    static func digest(head: ObjectHead, blockSums: [UInt8]) -> ObjectDigest {
        ObjectDigest(sum: SHA256.hash(head.bytes + blockSums))
    }

    /// The sums of the pieces of one block, in order.
    static func pieceSums(_ block: [UInt8]) -> [UInt8] {
        var sums: [UInt8] = []
        sums.reserveCapacity(BlockLayout.pieceCount(block.count) * BlockLayout.sumByteCount)
        var start = 0
        while start < block.count {
            let end = min(start + BlockLayout.pieceByteCount, block.count)
            sums.append(contentsOf: SHA256.hash(block[start..<end]))
            start = end
        }
        return sums
    }

    /// The sum of a block: SHA-256 over its piece sums.
    static func blockSum(pieceSums: [UInt8]) -> [UInt8] { SHA256.hash(pieceSums) }

    /// Whether `bytes` have the sum that lies at `offset` of `sums`.
    static func verifies(_ bytes: ArraySlice<UInt8>, sums: [UInt8], at offset: Int) -> Bool {
        SHA256.hash(bytes)[...] == sums[offset..<offset + BlockLayout.sumByteCount]
    }

    /// Two independent 64-bit sums of an id: the first 16 bytes of SHA-256 over its UTF-8 bytes, big-endian.
    static func idSums(_ id: ArraySlice<UInt8>) -> (index: UInt64, check: UInt64) {
        var words: (UInt64, UInt64) = (0, 0)
        let sum = SHA256.hash(id)
        for byte in sum[0..<8] { words.0 = words.0 << 8 | UInt64(byte) }
        for byte in sum[8..<16] { words.1 = words.1 << 8 | UInt64(byte) }
        return (words.0, words.1)
    }
}

extension ObjectDigest {
    fileprivate init(sum: [UInt8]) {
        var words: [UInt64] = [0, 0, 0, 0]
        for (offset, byte) in sum.enumerated() { words[offset / 8] = words[offset / 8] << 8 | UInt64(byte) }
        self.init(words: (words[0], words[1], words[2], words[3]))
    }
}
