//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
