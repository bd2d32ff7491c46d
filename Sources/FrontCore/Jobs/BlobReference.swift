//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where the argument or the result of a job lies in the arena, in eight bytes: every record has two.
struct BlobReference: Equatable {
    /// A chunk is filled up to 256 KiB, so 18 bits say where in it a blob begins; what is larger has a chunk of its own and begins with it. No
    /// message and no row of the journal brings more than 26 bits count. So 20 bits are left for the chunk, enough for 256 GiB.
    private static let offsetBits: UInt64 = 18
    private static let countBits: UInt64 = 26

    /// Nothing is stored.
    static let empty = Self(bits: 0)

    /// From the top: chunk, offset, byte count.
    let bits: UInt64

    /// What another reference had.
    init(bits: UInt64) { self.bits = bits }

    init(chunk: Int, offset: Int, byteCount: Int) {
        precondition(byteCount >> Self.countBits == 0 && offset >> Self.offsetBits == 0, "\(byteCount) bytes at \(offset) are no blob")
        bits = (UInt64(chunk) << Self.offsetBits | UInt64(offset)) << Self.countBits | UInt64(byteCount)
    }

    /// Index of the chunk.
    var chunk: Int { Int(bits >> (Self.offsetBits + Self.countBits)) }

    /// First byte in the chunk.
    var offset: Int { Int(bits >> Self.countBits & (1 << Self.offsetBits - 1)) }

    /// How many bytes; 0: nothing is stored.
    var byteCount: Int { Int(bits & (1 << Self.countBits - 1)) }
}
