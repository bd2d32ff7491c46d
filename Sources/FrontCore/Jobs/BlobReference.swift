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
}
