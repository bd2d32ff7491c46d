//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Items with their keys in memory, sorted by key, then by position.
///
/// Keys lie one behind the other in one array: a million items cost a few allocations, not a million.
struct SortRun {
    /// One item: where its key lies, and what the order writes for it.
    struct Entry {
        /// The eight key bytes behind what all keys have in common: most comparisons end here.
        var prefix: UInt64
        var keyStart: UInt32
        var keyEnd: UInt32
        var position: UInt32
        var place: UInt64
    }

    private(set) var entries: [Entry] = []
    private(set) var keys: [UInt8] = []

    var byteCount: Int { keys.count + entries.count * MemoryLayout<Entry>.stride }

    /// Adds an item; `makeKey` appends its key.
    mutating func append(position: UInt32, place: UInt64, makeKey: (inout [UInt8]) -> Void) {
        let start = UInt32(keys.count)
        makeKey(&keys)
        entries.append(Entry(prefix: 0, keyStart: start, keyEnd: UInt32(keys.count), position: position, place: place))
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
    }

    /// Puts the entries in order of their keys.
    ///
    /// - Throws: `cancelled`; what is in memory is then in no order.
    mutating func sort(asking meter: WorkMeter) throws(FileCacheError) {
        // Keys often begin alike, as dates and addresses do; the eight bytes behind tell more of them apart.
        let common = commonPrefixCount()
        for index in entries.indices { entries[index].prefix = prefix(entries[index], from: common) }
        let keys = keys
        try entries.sort(asking: meter) { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            return Self.precedes(left, right, in: keys, from: common + 8)
        }
    }

    private static func precedes(_ left: Entry, _ right: Entry, in keys: [UInt8], from offset: Int) -> Bool {
        var first = Int(left.keyStart) + offset
        var second = Int(right.keyStart) + offset
        while first < Int(left.keyEnd), second < Int(right.keyEnd) {
            if keys[first] != keys[second] { return keys[first] < keys[second] }
            first += 1
            second += 1
        }
        let leftRest = left.keyEnd - left.keyStart
        let rightRest = right.keyEnd - right.keyStart
        return leftRest != rightRest ? leftRest < rightRest : left.position < right.position
    }

    private func commonPrefixCount() -> Int {
        guard let first = entries.first else { return 0 }
        var common = Int(first.keyEnd - first.keyStart)
        for entry in entries.dropFirst() where common > 0 {
            common = min(common, Int(entry.keyEnd - entry.keyStart))
            var same = 0
            while same < common, keys[Int(first.keyStart) + same] == keys[Int(entry.keyStart) + same] { same += 1 }
            common = same
        }
        return common
    }

    private func prefix(_ entry: Entry, from offset: Int) -> UInt64 {
        var word: UInt64 = 0
        let start = Int(entry.keyStart) + offset
        for index in start..<start + 8 { word = word << 8 | (index < Int(entry.keyEnd) ? UInt64(keys[index]) : 0) }
        return word
    }
}

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
