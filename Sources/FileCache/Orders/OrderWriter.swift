//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
