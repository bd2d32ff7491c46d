//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Makes the order of a list: scans it once, sorts keys in bounded memory, writes positions and places.
struct ListSorter {
    private let list: ListReader
    private let encoder: SortKeyEncoder?
    private let filter: TextFilter?
    private let limits: CacheLimits
    private let folder: ObjectFolder
    private let meter: WorkMeter
    private var run = SortRun()
    private var spill: CacheFile?
    private var spilled: [Range<UInt64>] = []
    private var spilledByteCount: UInt64 { spilled.last?.upperBound ?? 0 }

    init(list: ListReader, order: SortOrder?, filter: String, limits: CacheLimits, folder: ObjectFolder, meter: WorkMeter) {
        self.list = list
        self.encoder = order.map(SortKeyEncoder.init)
        self.filter = TextFilter(filter)
        self.limits = limits
        self.folder = folder
        self.meter = meter
    }

    /// Writes the order's entries into `writer`.
    mutating func sort(into writer: inout OrderWriter) throws(FileCacheError) {
        try scan(into: &writer)
        meter.begin(0.7...1)
        guard encoder != nil else { return }
        // Most lists fit into memory, and no file is made for them.
        if spilled.isEmpty {
            try run.sort(asking: meter)
            try meter.reach(1, of: 3)
            for entry in run.entries { try writer.append(position: entry.position, place: entry.place) }
        } else {
            try spillRun()
            try merge(into: &writer)
        }
        try meter.reach(1, of: 1)
    }

    /// Items after which the caller hears how far it is and may stop the work: some milliseconds of it.
    private static var itemsBetweenReports: UInt32 { 8_192 }
    /// Bytes of a run that are written at once: enough that the call costs nothing beside them.
    private static var spillByteCount: Int { 256 << 10 }

    private mutating func scan(into writer: inout OrderWriter) throws(FileCacheError) {
        var scanner = ListScanner(list)
        var scratch: [UInt8] = []
        meter.begin(0...0.7)
        while let (item, position, place) = try scanner.next() {
            if position % Self.itemsBetweenReports == 0 { try meter.reach(Int(position), of: list.count) }
            // Before a key is made, since most items of a filtered list need none.
            if let filter, !filter.keeps(item, scratch: &scratch) { continue }
            // In the list's own order there is nothing to sort: rows are written as they come by.
            guard let encoder else {
                try writer.append(position: position, place: place)
                continue
            }
            run.append(position: position, place: place) { encoder.append(item, to: &$0) }
            if run.byteCount >= limits.sortByteCount { try spillRun() }
        }
    }

    /// Sorts what is in memory and appends it to the nameless file.
    private mutating func spillRun() throws(FileCacheError) {
        guard !run.entries.isEmpty else { return }
        try run.sort(asking: meter)
        let file: CacheFile
        if let spill { file = spill } else { file = try folder.makeNamelessFile() }
        spill = file
        let start = spilledByteCount
        var end = start
        var buffer: [UInt8] = []
        for entry in run.entries {
            LittleEndian.append(entry.keyEnd - entry.keyStart, to: &buffer)
            LittleEndian.append(entry.position, to: &buffer)
            LittleEndian.append(entry.place, to: &buffer)
            buffer.append(contentsOf: run.keys[Int(entry.keyStart)..<Int(entry.keyEnd)])
            if buffer.count >= Self.spillByteCount {
                try file.write(buffer, at: end)
                end += UInt64(buffer.count)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        try file.write(buffer, at: end)
        spilled.append(start..<end + UInt64(buffer.count))
        run.removeAll()
    }

    private func merge(into writer: inout OrderWriter) throws(FileCacheError) {
        guard let spill else { return }
        var readers: [SortRunReader] = []
        for range in spilled { readers.append(try SortRunReader(file: spill, start: range.lowerBound, end: range.upperBound)) }
        var written = 0
        while true {
            var smallest = 0
            for index in readers.indices.dropFirst() where readers[index].precedes(readers[smallest]) { smallest = index }
            guard readers[smallest].key != nil else { return }
            try writer.append(position: readers[smallest].position, place: readers[smallest].place)
            try readers[smallest].advance()
            written += 1
            if written % Int(Self.itemsBetweenReports) == 0 { try meter.reach(written, of: list.count) }
        }
    }
}

/// Turns items into byte strings whose plain byte order is the order of DECISIONS 16.
///
/// A key is: class of the value (1 truth value, 2 number, 3 date, 4 text, 255 missing), the value, then the ties: creation date
/// (1 and 8 bytes, or 2 when missing) and the id's UTF-8 bytes. Descending inverts class and value, but neither "missing" nor the ties.
struct SortKeyEncoder {
    private enum Subject {
        case id
        case title
        case createdAt
        case field([UInt8])
    }

    private static let missing: UInt8 = 0xFF
    private let subject: Subject
    private let isAscending: Bool

    init(_ order: SortOrder) {
        subject =
            switch ItemPart(rawValue: order.field) {
            case .id: .id
            case .title: .title
            case .createdAt: .createdAt
            case .dueAt, .description, .icon, .origin, nil: .field(Array(order.field.utf8))
            }
        isAscending = order.ascending
    }

    /// Appends the item's key.
    func append(_ item: EncodedItem, to key: inout [UInt8]) {
        switch subject {
        case .id: append(.text(item.id), item, to: &key)
        case .title: append(.text(item.title), item, to: &key)
        case .createdAt: append(item.createdAt.map { .date($0) }, item, to: &key)
        case .field(let name): append(item.value(of: name), item, to: &key)
        }
        if let createdAt = item.createdAt {
            key.append(1)
            Self.appendBigEndian(UInt64(bitPattern: createdAt) ^ 1 << 63, to: &key)
        } else {
            key.append(2)  // Never 255: after the end of a text that would read as an escaped NUL.
        }
        key.append(contentsOf: item.bytes[item.id])
    }

    private func append(_ value: EncodedItem.Value?, _ item: EncodedItem, to key: inout [UInt8]) {
        let start = key.count
        switch value {
        case nil:
            key.append(Self.missing)
            return
        case .bool(let flag): key += [1, flag ? 1 : 0]
        case .number(let number):
            key.append(2)
            Self.appendBigEndian(Self.ordered(number), to: &key)
        case .date(let milliseconds):
            key.append(3)
            Self.appendBigEndian(UInt64(bitPattern: milliseconds) ^ 1 << 63, to: &key)
        case .text(let range):
            key.append(4)
            let textStart = key.count
            FoldedText.append(item.bytes, range, to: &key)
            Self.terminate(&key, from: textStart)
        }
        if !isAscending { for index in start..<key.count { key[index] = ~key[index] } }
    }

    /// Ends a text so that it sorts before every longer text that begins with it: 00 at the end, 00 FF for a NUL inside.
    private static func terminate(_ key: inout [UInt8], from start: Int) {
        if key[start...].contains(0) {
            let escaped = key[start...].flatMap { $0 == 0 ? [0, 0xFF] : [$0] }
            key.replaceSubrange(start..., with: escaped)
        }
        key.append(0)
    }

    /// Bits that compare unsigned as the numbers do.
    private static func ordered(_ number: Double) -> UInt64 {
        let bits = (number == 0 ? 0.0 : number).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private static func appendBigEndian(_ word: UInt64, to key: inout [UInt8]) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) { key.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
}

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
