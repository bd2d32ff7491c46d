//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Items of a list at growing positions, read in chunks while they follow one another closely and singly where they do not.
struct ListWindow {
    private static let chunkByteCount: UInt64 = 256 * 1024
    private static let offsetCount = 16 * 1024
    /// Items may be left out without ending a chunk's use.
    private static let leapLimit = 64

    let list: ListReader
    private var nextPosition = 0
    private var offsets: [UInt64] = []
    private var firstOffset = 0
    private var chunk: [UInt8] = []
    private var chunkStart: UInt64 = 0

    init(_ list: ListReader) { self.list = list }

    /// The item at a position of the list, and where its bytes begin.
    mutating func item(at position: Int) throws(FileCacheError) -> (item: EncodedItem, start: UInt64) {
        let isNear = position >= nextPosition && position - nextPosition <= Self.leapLimit
        nextPosition = position + 1
        if position < firstOffset || position + 1 >= firstOffset + offsets.count {
            offsets = try list.offsets(from: position, count: min(isNear ? Self.offsetCount : 2, list.count + 1 - position))
            firstOffset = position
        }
        let start = offsets[position - firstOffset]
        let end = offsets[position - firstOffset + 1]
        if start < chunkStart || end > chunkStart + UInt64(chunk.count) {
            let rest = list.object.head.contentByteCount - start
            chunk = try list.readContent(at: start, count: Int(min(isNear ? max(end - start, Self.chunkByteCount) : end - start, rest)))
            chunkStart = start
        }
        return (try list.encoded(chunk, Int(start - chunkStart)..<Int(end - chunkStart)), start)
    }
}

/// Walks over all items of a list in order, reading large chunks.
struct ListScanner {
    private var window: ListWindow
    private var position = 0

    init(_ list: ListReader) { window = ListWindow(list) }

    /// The next item with its position and place; nil at the end.
    mutating func next() throws(FileCacheError) -> (item: EncodedItem, position: UInt32, place: UInt64)? {
        guard position < window.list.count else { return nil }
        let (item, start) = try window.item(at: position)
        guard let place = OrderEntry.Place(offset: start, byteCount: item.range.count) else {
            throw .damaged(window.list.digest, "an item is larger than its bound")
        }
        defer { position += 1 }
        return (item, UInt32(position), place.packed)
    }
}
