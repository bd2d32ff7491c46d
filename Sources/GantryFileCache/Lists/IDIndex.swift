//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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

/// One item in a list's id index: entries are in order of sum, then of the sum's second half, then of position.
struct IDEntry {
    var sum: UInt64
    var position: UInt32

    func append(to bytes: inout [UInt8]) {
        LittleEndian.append(sum, to: &bytes)
        LittleEndian.append(position, to: &bytes)
    }
}
