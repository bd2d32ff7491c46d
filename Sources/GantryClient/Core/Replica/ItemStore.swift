//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The items of one topic as bytes, with their running checksum.
struct ItemStore: Sendable {
    private(set) var values: [[UInt8]: [UInt8]] = [:]
    private(set) var byteCount = 0
    private(set) var runningChecksum = TopicChecksum()

    /// The checksum over every stored byte, made anew.
    func fullChecksum() -> TopicChecksum {
        var checksum = TopicChecksum()
        for (key, value) in values { checksum.add(key: key, value: value) }
        return checksum
    }

    /// All items, sorted by key.
    var sorted: [TopicItem] {
        values.map { TopicItem(key: $0.key, value: $0.value) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    mutating func put(_ item: TopicItem) {
        remove(item.key)
        values[item.key] = item.value
        byteCount += item.key.count + item.value.count
        runningChecksum.add(key: item.key, value: item.value)
    }

    mutating func remove(_ key: [UInt8]) {
        guard let old = values.removeValue(forKey: key) else { return }
        byteCount -= key.count + old.count
        runningChecksum.remove(key: key, value: old)
    }

    /// Damages one stored byte, as a fault of memory would.
    mutating func flipByte(ofItem key: [UInt8]) {
        guard var value = values[key], !value.isEmpty else { return }
        value[0] ^= 1
        values[key] = value
    }
}

/// Parts of one snapshot as they come in, in order.
struct SnapshotAssembly: Sendable {
    let sequence: SequenceNumber
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
