//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Parts of one snapshot as they come in, in order.
struct SnapshotAssembly: Sendable {
    let sequence: Sequence
    let checksum: TopicChecksum
    let partCount: UInt32
    private(set) var nextPart: UInt32 = 0
    private(set) var items = ItemStore()

    /// An assembly that waits for the first part of that snapshot.
    init(_ part: FrontMessage.SnapshotPart) { (sequence, checksum, partCount) = (part.sequence, part.checksum, part.partCount) }

    var isComplete: Bool { nextPart == partCount }

    /// Takes the next part; false when it is not the next one of this snapshot.
    mutating func append(_ part: FrontMessage.SnapshotPart) -> Bool {
        guard part.part == nextPart, part.partCount == partCount, part.sequence == sequence, part.checksum == checksum else { return false }
        guard nextPart < partCount else { return false }
        for item in part.items { items.put(item) }
        nextPart += 1
        return true
    }
}
