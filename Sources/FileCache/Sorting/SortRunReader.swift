//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Reads a sorted run back from the nameless file, a bounded part at a time.
///
/// A record is: key length (4), position (4), place (8), key; little-endian.
struct SortRunReader {
    static let recordHeadByteCount = 16
    private static let chunkByteCount = 256 * 1024

    private let file: CacheFile
    private var next: UInt64
    private let end: UInt64
    private var chunk: [UInt8] = []
    private var offset = 0

    /// The record that was read last; the reader is at its end when nil.
    private(set) var key: [UInt8]?
    private(set) var position: UInt32 = 0
    private(set) var place: UInt64 = 0

    init(file: CacheFile, start: UInt64, end: UInt64) throws(FileCacheError) {
        self.file = file
        self.next = start
        self.end = end
        try advance()
    }

    mutating func advance() throws(FileCacheError) {
        guard try fill(Self.recordHeadByteCount) else {
            key = nil
            return
        }
        let keyCount = Int(LittleEndian.half(chunk, offset))
        position = LittleEndian.half(chunk, offset + 4)
        place = LittleEndian.word(chunk, offset + 8)
        guard try fill(Self.recordHeadByteCount + keyCount) else {
            throw FileCacheError(.ioFailed, "a sorted run ended inside a record: sort again")
        }
        key = Array(chunk[offset + Self.recordHeadByteCount..<offset + Self.recordHeadByteCount + keyCount])
        offset += Self.recordHeadByteCount + keyCount
    }

    /// Whether this reader's record comes before `other`'s; a reader at its end comes last.
    func precedes(_ other: Self) -> Bool {
        guard let key else { return false }
        guard let otherKey = other.key else { return true }
        return key == otherKey ? position < other.position : key.lexicographicallyPrecedes(otherKey)
    }

    private mutating func fill(_ count: Int) throws(FileCacheError) -> Bool {
        guard chunk.count - offset < count else { return true }
        let missing = max(count - (chunk.count - offset), Self.chunkByteCount)
        let readable = Int(min(UInt64(missing), end - next))
        chunk.removeSubrange(..<offset)
        offset = 0
        chunk += try file.read(at: next, count: readable)
        next += UInt64(readable)
        return chunk.count >= count
    }
}
