//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

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
        // First, so that bytes and checksum lose what this value replaces.
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

/// One event of an observed topic, its items decoded.
package struct TopicUpdate: Hashable, Sendable {
    /// The topic as it was asked for.
    package var topic: Topic
    /// The topic under which the front publishes it.
    package var resolved: Topic
    /// What happened.
    package var event: ReplicaEvent
    /// Whose items these are, which epoch, after how many changes, with the replica's own checksum.
    package var position: Publication.Bookmark
    /// Whether a bookmark or change with the same checksum was seen at this very position.
    package var isVerified: Bool
    /// Whether the items of before are gone.
    package var replacesAll: Bool
    /// Items that are new or have a new value, by key.
    package var puts: [Item]
    /// Keys of removed items.
    package var removes: [String]

    /// An item with its key as text.
    package struct Item: Hashable, Sendable {
        /// The key, for example `feed` or `job/42`.
        package var key: String
        /// The value; nil when this version cannot read it.
        package var value: ItemValue?
    }

    /// Decodes the items of a replica's update.
    init(_ update: ReplicaUpdate, _ codec: some EnvelopeCodec) {
        (topic, resolved) = (update.topic, update.resolved)
        event = update.event
        position = update.position
        isVerified = update.isVerified
        replacesAll = update.replacesAll
        puts = update.puts.map { Item(key: String(decoding: $0.key, as: UTF8.self), value: try? codec.decodeItem($0.value)) }
        removes = update.removes.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// One event of a replica, with the difference that it made to the items.
package struct ReplicaUpdate: Hashable, Sendable {
    /// The topic as it was asked for.
    package var topic: Topic
    /// The topic under which the front publishes it.
    package var resolved: Topic
    /// What happened.
    package var event: ReplicaEvent
    /// Whose items these are, which epoch, after how many changes, with the replica's own checksum.
    package var position: Publication.Bookmark
    /// Whether a bookmark or change with the same checksum was seen at this very position.
    package var isVerified: Bool
    /// Whether earlier items are dropped and `puts` are all there are.
    package var replacesAll: Bool
    /// Items that are new or have a new value; all items after a snapshot, then sorted by key.
    package var puts: [TopicItem]
    /// Keys of removed items.
    package var removes: [[UInt8]]
}

/// What happened to a replica.
package enum ReplicaEvent: String, Hashable, Sendable {
    /// A whole snapshot was taken over.
    case snapshot
    /// A change was applied.
    case change
    /// Changes are missing, or nothing was received for too long: a snapshot was asked for.
    case gap
    /// A later epoch, or another front: everything begins again.
    case epoch
    /// Three heartbeats in a row were not answered: the items may be old.
    case lost
    /// The front answers again; the items are being verified anew.
    case back
    /// A bookmark's checksum equals the checksum over the replica's own bytes.
    case verified
    /// A bookmark's checksum differs from the checksum over the replica's own bytes: a snapshot was asked for.
    case checksumDiffers
}
