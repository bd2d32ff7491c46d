//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// An open order: which rows of its list come in which order. It may have fewer rows than the list when it was filtered.
public final class OrderReader: Sendable {
    private let object: ObjectReader

    /// The list that the order belongs to; pages of another list are refused.
    public let list: ObjectDigest

    init(folder: ObjectFolder, digest: ObjectDigest) throws(FileCacheError) {
        object = try ObjectReader(folder: folder, digest: digest, kind: .order)
        guard let list = object.head.list else { throw .damaged(digest, "an order names no list") }
        self.list = list
    }

    /// The order's name.
    public var digest: ObjectDigest { object.digest }
    /// Name and sizes, as the front keeps them.
    public var reference: ObjectReference { object.reference }
    /// Bytes that it holds in memory while it is open.
    public var heldByteCount: Int { object.heldByteCount }
    /// How many rows the order has.
    public var count: Int { Int(object.head.itemCount) }

    /// The positions in the list of up to `limit` rows from `offset` on.
    ///
    /// - Throws: `damaged` naming the block.
    public func positions(offset: Int, limit: Int) throws(FileCacheError) -> [Int] {
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
