//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a job's argument or result lies in the arena.
struct BlobReference {
    /// Index of the chunk.
    var chunk: UInt32
    /// First byte in the chunk.
    var offset: UInt32
    /// How many bytes; 0: nothing is stored.
    var byteCount: UInt32

    static let empty = BlobReference(chunk: 0, offset: 0, byteCount: 0)

    /// Makes this the reference to two neighbours, if `next` lies right behind it.
    mutating func join(_ next: BlobReference) -> Bool {
        guard next.byteCount > 0 else { return true }
        if byteCount == 0 {
            self = next
            return true
        }
        guard next.chunk == chunk, next.offset == offset + byteCount else { return false }
        byteCount += next.byteCount
        return true
    }
}
