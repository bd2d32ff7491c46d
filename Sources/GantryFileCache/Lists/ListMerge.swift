//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Joins a source list into an editable one by id; see `FileCache.merge`.
///
/// Each item of the source has one item of the result at its position, so the id index of the result is the source's with the entries of
/// the items that are left over. Nothing is put in order again. Memory: 12 bytes an item of the source, 1 an item of the editable list.
struct ListMerge {
    private static let flushByteCount = 64 * 1024
    private static let nowhere = UInt32.max
    /// How many items are looked at until the caller is asked whether to go on: some milliseconds of work.
    private static let stepsBetweenQuestions = 8_192

    private let source: ListReader
    private let list: ListReader?
    private let firstSeen: WallTime
    private let limits: CacheLimits
    private let object: ObjectWriter
    private let meter: WorkMeter
    private var pending: [UInt8] = []
    private var contentByteCount: UInt64 = 0
    private var offsets: [UInt64] = [0]
    /// For each item of the source the item of the editable list with the same id.
    private var partners: [UInt32]
    /// For each item of the editable list whether the source has it.
    private var isTaken: [Bool]

    init(
        source: ListReader, list: ListReader?, firstSeen: WallTime, limits: CacheLimits, object: ObjectWriter, meter: WorkMeter
    ) throws(FileCacheError) {
        self.source = source
        self.list = list
        self.firstSeen = firstSeen
        self.limits = limits
        self.object = object
        self.meter = meter
        partners = Array(repeating: Self.nowhere, count: source.count)
        isTaken = Array(repeating: false, count: list?.count ?? 0)
        if let list { try findPartners(in: list) }
    }

    mutating func run() throws(FileCacheError) -> ObjectReference {
        var scanner = ListScanner(source)
        var window = list.map { ListWindow($0) }
        meter.begin(0.2...0.8)
        while let (item, position, _) = try scanner.next() {
            if Int(position) % Self.stepsBetweenQuestions == 0 { try meter.reach(Int(position), of: source.count) }
            try append(item, try partner(of: item, at: Int(position), &window))
        }
        meter.begin(0.8...1)
        let left = try appendLeft()
        try flush()
        for offset in offsets {
            LittleEndian.append(offset, to: &pending)
            if pending.count >= Self.flushByteCount { try flush() }
        }
        try appendIndex(left)
        try flush()
        let head = ObjectHead(kind: .list, contentByteCount: contentByteCount, itemCount: UInt64(offsets.count - 1))
        let digest = try object.finish(head)
        return ObjectReference(digest: digest, byteCount: contentByteCount, itemCount: head.itemCount)
    }

    /// The item of the editable list with the same id. Up to here only 64 bits of the ids' sums were compared.
    private mutating func partner(
        of item: EncodedItem, at position: Int, _ window: inout ListWindow?
    ) throws(FileCacheError) -> EncodedItem? {
        guard partners[position] != Self.nowhere, let other = try window?.item(at: Int(partners[position])).item, other.hasID(of: item)
        else { return nil }
        // Only now, because an item whose sum alone is the same is left over.
        isTaken[Int(partners[position])] = true
        return other
    }

    /// One item of the source: the hand's version of it, or itself with a creation date.
    private mutating func append(_ item: EncodedItem, _ partner: EncodedItem?) throws(FileCacheError) {
        let start = pending.count
        if let partner, partner.origin != .source {
            pending.append(contentsOf: partner.bytes[partner.range])
        } else if item.createdAt == nil {
            item.append(datedAt: partner?.createdAt ?? firstSeen.milliseconds, to: &pending)
            guard pending.count - start <= limits.itemByteCount else {
                throw FileCacheError(
                    .tooLarge, "an item has \(pending.count - start) bytes with its creation date (limit \(limits.itemByteCount))")
            }
        } else {
            pending.append(contentsOf: item.bytes[item.range])
        }
        try noteItem(from: start)
    }

    /// The items made or changed by hand that the source does not have, in their old order; gives their old positions.
    private mutating func appendLeft() throws(FileCacheError) -> [UInt32] {
        guard let list else { return [] }
        var left: [UInt32] = []
        var window = ListWindow(list)
        for position in 0..<list.count where !isTaken[position] {
            if position % Self.stepsBetweenQuestions == 0 { try meter.check() }
            let item = try window.item(at: position).item
            guard item.origin != .source else { continue }
            let start = pending.count
            pending.append(contentsOf: item.bytes[item.range])
            try noteItem(from: start)
            left.append(UInt32(position))
        }
        return left
    }

    private mutating func noteItem(from start: Int) throws(FileCacheError) {
        // There is one offset more than items, the end of the last one.
        guard offsets.count <= limits.itemCount else {
            throw FileCacheError(.tooLarge, "the list has more than \(limits.itemCount) items: ask the source for fewer")
        }
        contentByteCount += UInt64(pending.count - start)
        guard contentByteCount <= limits.objectByteCount else {
            throw FileCacheError(.tooLarge, "the list has more than \(limits.objectByteCount) bytes: ask the source for less")
        }
        offsets.append(contentByteCount)
        if pending.count >= Self.flushByteCount { try flush() }
    }

    private mutating func flush() throws(FileCacheError) {
        try object.append(pending[...])
        pending.removeAll(keepingCapacity: true)
    }

    /// The source's id index and the left items' entries, joined in order.
    private mutating func appendIndex(_ left: [UInt32]) throws(FileCacheError) {
        var ofSource = IDIndex(source)
        var ofLeft = try leftEntries(left)[...]
        while let entry = try ofSource.nextEntry() {
            while let first = ofLeft.first, try isBefore(first, left, entry) { append(ofLeft.removeFirst()) }
            append(entry)
            if pending.count >= Self.flushByteCount { try flush() }
        }
        for entry in ofLeft { append(entry) }
    }

    private mutating func append(_ entry: IDEntry) { entry.append(to: &pending) }

    /// The id entries of the left items with their new positions, in order.
    private func leftEntries(_ left: [UInt32]) throws(FileCacheError) -> [IDEntry] {
        guard let list, !left.isEmpty else { return [] }
        var places: [UInt32: UInt32] = [:]
        for (index, position) in left.enumerated() { places[position] = UInt32(source.count + index) }
        var entries: [IDEntry] = []
        var index = IDIndex(list)
        while let entry = try index.nextEntry() {
            if entry.position % UInt32(Self.stepsBetweenQuestions) == 0 { try meter.check() }
            if let place = places[entry.position] { entries.append(IDEntry(sum: entry.sum, position: place)) }
        }
        return entries
    }

    /// Whether a left item's entry comes before one of the source; with equal sums the second halves decide.
    private func isBefore(_ entry: IDEntry, _ left: [UInt32], _ other: IDEntry) throws(FileCacheError) -> Bool {
        guard entry.sum == other.sum, let list else { return entry.sum < other.sum }
        let check = try list.encodedItem(at: Int(left[Int(entry.position) - source.count])).idSums.check
        return try check < source.encodedItem(at: Int(other.position)).idSums.check
    }

    /// Finds the items of both lists that have the same id by walking over both id indexes at once.
    private mutating func findPartners(in list: ListReader) throws(FileCacheError) {
        var ofSource = IDIndex(source)
        var ofList = IDIndex(list)
        var candidate = try ofList.nextEntry()
        // Entries of the editable list with the sum that was last looked for; nearly always one.
        var group: [IDEntry] = []
        meter.begin(0...0.2)
        var looked = 0
        while let entry = try ofSource.nextEntry() {
            if looked % Self.stepsBetweenQuestions == 0 { try meter.reach(looked, of: source.count) }
            looked += 1
            // The group stays for the next entry: items of the source may share a sum, too.
            if group.first?.sum != entry.sum {
                group.removeAll(keepingCapacity: true)
                while let next = candidate, next.sum < entry.sum { candidate = try ofList.nextEntry() }
                while let next = candidate, next.sum == entry.sum {
                    group.append(next)
                    candidate = try ofList.nextEntry()
                }
            }
            // Not compared here: that would read items all over both lists, and they come by in order later.
            if group.count == 1 { partners[Int(entry.position)] = group[0].position }
            guard group.count > 1 else { continue }
            let item = try source.encodedItem(at: Int(entry.position))
            for other in group where try list.encodedItem(at: Int(other.position)).hasID(of: item) {
                partners[Int(entry.position)] = other.position
            }
        }
    }
}

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
