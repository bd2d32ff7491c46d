//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// What the journal knows besides its log: who it belongs to, which life writes it, and its newest complete checkpoint.
package struct JournalHead: Hashable, Sendable {
    package var front: FrontID
    package var epoch: Epoch
    /// The turn of the newest complete checkpoint's first slice; none: there is no checkpoint.
    package var checkpoint: TurnNumber = .none
    /// The turn of its last slice.
    package var checkpointEnd: TurnNumber = .none

    /// The head of the next life: its epoch is above the last one and not below the wall clock's seconds.
    package static func next(after last: JournalHead?, wallSeconds: UInt64, newFrontID: FrontID) -> JournalHead {
        guard var head = last else { return JournalHead(front: newFrontID, epoch: Epoch(wallSeconds)) }
        head.epoch = Epoch(max(head.epoch.rawValue + 1, wallSeconds))
        return head
    }

    /// XXH64 (seed 0) of the four numbers in order, little-endian: a flipped bit must not become another front or epoch.
    var checksum: UInt64 {
        var bytes: [UInt8] = []
        for number in [front.rawValue, epoch.rawValue, checkpoint.rawValue, checkpointEnd.rawValue] {
            LittleEndian.append(number, to: &bytes)
        }
        return XXH64.hash(bytes)
    }
}
