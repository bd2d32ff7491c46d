//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// An open order: which rows of its list come in which order. It may have fewer rows than the list when it was filtered.
package final class OrderReader: Sendable {
    private let object: ObjectReader

    /// The list that the order belongs to; pages of another list are refused.
    package let list: ObjectDigest

    init(folder: ObjectFolder, digest: ObjectDigest) throws(FileCacheError) {
        object = try ObjectReader(folder: folder, digest: digest, kind: .order)
        guard let list = object.head.list else { throw .damaged(digest, "an order names no list") }
        self.list = list
    }

    /// The order's name.
    package var digest: ObjectDigest { object.digest }
    /// Name and sizes, as the front keeps them.
    package var reference: ObjectReference { object.reference }
    /// Bytes that it holds in memory while it is open.
    package var heldByteCount: Int { object.heldByteCount }
    /// How many rows the order has.
    package var count: Int { Int(object.head.itemCount) }

    /// The positions in the list of up to `limit` rows from `offset` on.
    ///
    /// - Throws: `damaged` naming the block.
    package func positions(offset: Int, limit: Int) throws(FileCacheError) -> [Int] {
        try entries(offset: offset, limit: limit).map(\.position)
    }

    func entries(offset: Int, limit: Int) throws(FileCacheError) -> [OrderEntry] {
        guard offset >= 0, limit > 0, offset < count else { return [] }
        let rows = min(limit, count - offset)
        let size = Int(ObjectHead.entryByteCount)
        let bytes = try object.read(at: UInt64(offset * size), count: rows * size)
        return (0..<rows).map { row in
            OrderEntry(
                position: Int(LittleEndian.half(bytes, row * size)),
                place: OrderEntry.Place(packed: LittleEndian.word(bytes, row * size + 4)))
        }
    }
}

/// Writes the rows of an order.
struct OrderWriter {
    private let object: ObjectWriter
    private let list: ObjectDigest
    private var pending: [UInt8] = []
    private var count: UInt64 = 0

    init(folder: ObjectFolder, list: ObjectDigest, durability: Durability, _ meter: WorkMeter) throws(FileCacheError) {
        self.list = list
        object = try ObjectWriter(folder: folder, durability: durability, meter: meter)
    }

    /// Bytes that are handed on at once: a block.
    private static var writeByteCount: Int { 64 << 10 }

    mutating func append(position: UInt32, place: UInt64) throws(FileCacheError) {
        LittleEndian.append(position, to: &pending)
        LittleEndian.append(place, to: &pending)
        count += 1
        guard pending.count >= Self.writeByteCount else { return }
        try object.append(pending[...])
        pending.removeAll(keepingCapacity: true)
    }

    mutating func finish() throws(FileCacheError) -> ObjectReference {
        try object.append(pending[...])
        pending = []
        let head = ObjectHead(kind: .order, contentByteCount: count * ObjectHead.entryByteCount, itemCount: count, list: list)
        return ObjectReference(digest: try object.finish(head), byteCount: head.contentByteCount, itemCount: count)
    }
}

/// One row of an order: which item, and where its bytes are, so that a page need not read the list's offset index.
///
/// 12 bytes, little-endian: position in the list (4), then a word of 8 with the byte count in the upper 24 bits and the offset in the lower 40.
struct OrderEntry {
    /// Where an item lies in a list's content.
    struct Place {
        let packed: UInt64
        var offset: UInt64 { packed & (1 << 40 - 1) }
        var byteCount: Int { Int(packed >> 40) }

        init(packed: UInt64) { self.packed = packed }

        /// Nil when the offset needs more than 40 bits or the count more than 24.
        init?(offset: UInt64, byteCount: Int) {
            guard offset < 1 << 40, byteCount < 1 << 24 else { return nil }
            packed = UInt64(byteCount) << 40 | offset
        }
    }

    let position: Int
    let place: Place
}
