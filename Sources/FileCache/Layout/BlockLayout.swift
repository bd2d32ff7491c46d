//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where blocks and pieces lie in a file: see the article "The layout of an object".
enum BlockLayout {
    /// Bytes of one block of the body; only the last block of an object may be shorter.
    static let blockByteCount = 64 * 1024
    /// Bytes of one piece, the smallest unit that can be verified alone; only the last piece may be shorter.
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
    static func storedByteCount(bodyByteCount: UInt64) -> UInt64 {
        let whole = bodyByteCount / UInt64(blockByteCount)
        let rest = Int(bodyByteCount % UInt64(blockByteCount))
        return whole * storedBlockByteCount + UInt64(pieceCount(rest) * sumByteCount + rest)
    }
}
