//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the journal knows besides its log: who it belongs to, which life writes it, and its newest complete checkpoint.
struct JournalHead: Hashable, Sendable {
    var front: FrontID
    var epoch: Epoch
    /// The turn of the newest complete checkpoint's first slice; none: there is no checkpoint.
    var checkpoint: TurnNumber = .none
    /// The turn of its last slice.
    var checkpointEnd: TurnNumber = .none

    /// XXH64 (seed 0) of the four numbers in order, little-endian: a flipped bit must not become another front or epoch.
    var checksum: UInt64 {
        var bytes: [UInt8] = []
        for number in [front.rawValue, epoch.rawValue, checkpoint.rawValue, checkpointEnd.rawValue] {
            bytes.append(littleEndian: number, byteCount: 8)
        }
        return XXH64.hash(bytes)
    }
}
