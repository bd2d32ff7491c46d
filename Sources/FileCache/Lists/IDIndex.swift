//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Walks over the id index of a list in its order.
struct IDIndex {
    private static let chunkEntryCount = 16 * 1024

    private let list: ListReader
    private var chunk: [UInt8] = []
    private var chunkFirst = 0
    private var next = 0

    init(_ list: ListReader) { self.list = list }

    /// The next entry; nil at the end.
    mutating func nextEntry() throws(FileCacheError) -> IDEntry? {
        guard next < list.count else { return nil }
        let size = Int(ObjectHead.entryByteCount)
        if (next - chunkFirst) * size >= chunk.count {
            chunk = try list.idEntries(from: next, count: min(Self.chunkEntryCount, list.count - next))
            chunkFirst = next
        }
        let start = (next - chunkFirst) * size
        let entry = IDEntry(sum: LittleEndian.word(chunk, start), position: LittleEndian.half(chunk, start + 8))
        guard entry.position < list.count else { throw .damaged(list.digest, "the id index names an item outside the list") }
        next += 1
        return entry
    }
}
