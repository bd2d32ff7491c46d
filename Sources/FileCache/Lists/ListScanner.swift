//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Reads a list from its first item to its last in large parts, without making values of the items.
struct ListScanner {
    private static let chunkByteCount: UInt64 = 256 * 1024
    private static let offsetCount = 16 * 1024

    private let list: ListReader
    private var position = 0
    private var offsets: [UInt64] = []
    private var firstOffset = 0
    private var chunk: [UInt8] = []
    private var chunkStart: UInt64 = 0

    init(_ list: ListReader) { self.list = list }

    /// The next item with its position and place; nil at the end.
    mutating func next() throws(FileCacheError) -> (item: EncodedItem, position: UInt32, place: UInt64)? {
        guard position < list.count else { return nil }
        if position + 1 >= firstOffset + offsets.count {
            offsets = try list.offsets(from: position, count: min(Self.offsetCount, list.count + 1 - position))
            firstOffset = position
        }
        let start = offsets[position - firstOffset]
        let end = offsets[position - firstOffset + 1]
        if start < chunkStart || end > chunkStart + UInt64(chunk.count) {
            let rest = list.object.head.contentByteCount - start
            chunk = try list.readContent(at: start, count: Int(min(max(end - start, Self.chunkByteCount), rest)))
            chunkStart = start
        }
        let item = try list.encoded(chunk, Int(start - chunkStart)..<Int(end - chunkStart))
        guard let place = OrderEntry.Place(offset: start, byteCount: Int(end - start)) else {
            throw .damaged(list.digest, "an item is larger than its bound")
        }
        defer { position += 1 }
        return (item, UInt32(position), place.packed)
    }
}
