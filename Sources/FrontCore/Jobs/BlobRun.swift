//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Blobs that lie one behind the other in the arena, to be copied together: a copy for each costs more than its bytes do.
struct BlobRun {
    private var blob = BlobReference.empty
    /// Byte count of each.
    private var lengths: [UInt32] = []

    /// Adds a blob, if it lies right behind the others or has no bytes.
    mutating func join(_ next: BlobReference) -> Bool {
        if next.byteCount > 0 {
            if blob.byteCount == 0 {
                blob = next
            } else {
                guard next.chunk == blob.chunk, next.offset == blob.offset + blob.byteCount else { return false }
                blob = BlobReference(chunk: blob.chunk, offset: blob.offset, byteCount: blob.byteCount + next.byteCount)
            }
        }
        lengths.append(UInt32(next.byteCount))
        return true
    }

    /// Adds a row for each blob to `target`, and begins anew.
    mutating func move(from arena: BlobArena, to target: inout PackedBytes) {
        target.append(lengths: lengths[...], of: arena[blob])
        blob = .empty
        lengths.removeAll(keepingCapacity: true)
    }
}
