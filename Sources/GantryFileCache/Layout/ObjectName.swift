//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform

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
