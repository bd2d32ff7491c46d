//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// An open list. It reads only what it is asked for and proves every byte; a list of a million items costs it its block sums.
///
/// Stays readable after the object has been collected, as long as it is open. May be used from several threads.
package final class ListReader: Sendable {
    /// Most bytes of items that one page holds; a page ends before the item that would pass it, but has at least one item.
    package static let pageByteCount = 4 << 20
    /// Most bytes that are read at once for a sorted page.
    private static let runByteCount: UInt64 = 256 << 10

    let object: ObjectReader

    init(folder: ObjectFolder, digest: ObjectDigest) throws(FileCacheError) {
        object = try ObjectReader(folder: folder, digest: digest, kind: .list)
    }

    /// The list's name.
    package var digest: ObjectDigest { object.digest }
    /// Name and sizes, as the front keeps them.
    package var reference: ObjectReference { object.reference }
    /// Bytes that it holds in memory while it is open.
    package var heldByteCount: Int { object.heldByteCount }
    /// How many items the list has.
    package var count: Int { Int(object.head.itemCount) }

    /// The item at a position counted from 0.
    ///
    /// - Throws: `damaged` naming the block; `unknownItem` for a position outside the list.
    package func item(at position: Int) throws(FileCacheError) -> ListItem {
        try decode(encodedItem(at: position))
    }

    /// Up to `limit` items from `offset` on, in the list's own order; none past the end.
    ///
    /// - Throws: `damaged` naming the block.
    package func page(offset: Int, limit: Int) throws(FileCacheError) -> [ListItem] {
        guard offset >= 0, limit > 0, offset < count else { return [] }
        // No item has fewer than 8 bytes, so a page never needs more offsets than that, whatever the limit asks for.
        let offsets = try self.offsets(from: offset, count: min(limit, count - offset, Self.pageByteCount / 8) + 1)
        let start = offsets[0]
        let end = offsets.dropFirst(2).last { $0 <= start + UInt64(Self.pageByteCount) } ?? offsets[1]
        let bytes = try object.read(at: start, count: Int(end - start))
        var items: [ListItem] = []
        for index in 1..<offsets.count where offsets[index] <= end {
            items.append(try decode(encoded(bytes, Int(offsets[index - 1] - start)..<Int(offsets[index] - start))))
        }
        return items
    }

    /// Up to `limit` items from row `offset` of an order of this list on; none past its end.
    ///
    /// - Throws: `mismatch` when the order belongs to another list; `damaged` naming the block.
    package func page(order: OrderReader, offset: Int, limit: Int) throws(FileCacheError) -> [ListItem] {
        guard order.list == digest else {
            throw FileCacheError(.mismatch, "order \(order.digest) belongs to another list: sort this one", digest: digest)
        }
        let entries = try order.entries(offset: offset, limit: limit)
        var byteCount = 0
        let places = entries.map(\.place).prefix { place in
            byteCount += place.byteCount
            return byteCount <= Self.pageByteCount || byteCount == place.byteCount
        }
        for place in places where place.offset + UInt64(place.byteCount) > object.head.contentByteCount {
            throw .damaged(order.digest, "a row points outside the content of its list")
        }
        // Read in the list's own order, neighbors at once: each piece is read and verified once, however the page is sorted.
        let sorted = places.indices.sorted { places[$0].offset < places[$1].offset }
        var items = [ListItem?](repeating: nil, count: places.count)
        var next = 0
        while next < sorted.count {
            let run = Self.run(of: places, sorted[next...])
            let start = places[sorted[next]].offset
            let bytes = try readContent(at: start, count: Int(run.end - start))
            for index in sorted[next..<next + run.count] {
                let first = Int(places[index].offset - start)
                let item = EncodedItem(bytes: bytes, range: first..<first + places[index].byteCount)?.decoded()
                guard let item else { throw try fault(of: entries[index], in: order) }
                items[index] = item
            }
            next += run.count
        }
        return items.compactMap(\.self)
    }

    /// Who is at fault when there is no item where a row of an order says: the list only if it has an item of its own there.
    private func fault(of entry: OrderEntry, in order: OrderReader) throws(FileCacheError) -> FileCacheError {
        guard entry.position < count, try offsets(from: entry.position, count: 2).first == entry.place.offset else {
            return .damaged(order.digest, "a row names a place where its list has no item")
        }
        return .damaged(digest, "an item cannot be read")
    }

    /// How many of the places, which grow, lie so close that they are read at once, and where the last of them ends.
    private static func run(of places: ArraySlice<OrderEntry.Place>, _ order: ArraySlice<Int>) -> (count: Int, end: UInt64) {
        var count = 0
        var start: UInt64 = 0
        var end: UInt64 = 0
        for index in order {
            let place = places[index]
            if count == 0 { (start, end) = (place.offset, place.offset) }
            let placeEnd = place.offset + UInt64(place.byteCount)
            let isNear = place.offset <= end + UInt64(BlockLayout.pieceByteCount) && placeEnd <= start + runByteCount
            guard count == 0 || isNear else { break }
            end = max(end, placeEnd)
            count += 1
        }
        return (count, end)
    }

    /// The position of the item with this id; nil when the list has none.
    ///
    /// - Complexity: O(log n) reads of a few KiB.
    package func index(ofID id: String) throws(FileCacheError) -> Int? {
        let bytes = Array(id.utf8)
        let wanted = ObjectName.idSums(bytes[...]).index
        var low = try idPlace(of: wanted)
        while low < count {
            let entry = try idEntry(low)
            guard entry.sum == wanted else { return nil }
            let item = try encodedItem(at: entry.position)
            // The sum is only a part of the id's hash: two ids may share it.
            if item.bytes[item.id].elementsEqual(bytes) { return entry.position }
            low += 1
        }
        return nil
    }

    /// The item at a position, not decoded.
    func encodedItem(at position: Int) throws(FileCacheError) -> EncodedItem {
        guard position >= 0, position < count else {
            throw FileCacheError(.unknownItem, "the list has \(count) items, none at \(position)", digest: digest)
        }
        let offsets = try self.offsets(from: position, count: 2)
        let bytes = try object.read(at: offsets[0], count: Int(offsets[1] - offsets[0]))
        return try encoded(bytes, 0..<bytes.count)
    }

    /// `count` entries of the offset index; increasing and inside the content.
    func offsets(from first: Int, count: Int) throws(FileCacheError) -> [UInt64] {
        let bytes = try object.read(at: object.head.contentByteCount + UInt64(first) * ObjectHead.offsetByteCount, count: count * 8)
        let offsets = (0..<count).map { LittleEndian.word(bytes, $0 * 8) }
        var previous: UInt64 = 0
        for offset in offsets {
            guard offset >= previous, offset <= object.head.contentByteCount else {
                throw .damaged(digest, "the offset index is out of order")
            }
            previous = offset
        }
        // Said before anything is set aside for it: an item has at most the size that an order entry can say.
        for (start, end) in zip(offsets, offsets.dropFirst()) where end - start > UInt64(CacheLimits.largestItem) {
            throw .damaged(digest, "it says that one item has \(end - start) bytes (limit \(CacheLimits.largestItem))")
        }
        return offsets
    }

    func readContent(at offset: UInt64, count: Int) throws(FileCacheError) -> [UInt8] {
        guard offset <= object.head.contentByteCount, UInt64(count) <= object.head.contentByteCount - offset else {
            throw .damaged(digest, "an entry points outside the content")
        }
        return try object.read(at: offset, count: count)
    }

    func encoded(_ bytes: [UInt8], _ range: Range<Int>) throws(FileCacheError) -> EncodedItem {
        guard let item = EncodedItem(bytes: bytes, range: range) else { throw .damaged(digest, "an item cannot be read") }
        return item
    }

    private func decode(_ item: EncodedItem) throws(FileCacheError) -> ListItem {
        guard let decoded = item.decoded() else { throw .damaged(digest, "an item's fields cannot be read") }
        return decoded
    }

    /// Where a sum belongs in the id index: before the first entry that is not smaller.
    func idPlace(of sum: UInt64) throws(FileCacheError) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if try idEntry(middle).sum < sum { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func idEntry(_ index: Int) throws(FileCacheError) -> (sum: UInt64, position: Int) {
        let bytes = try idEntries(from: index, count: 1)
        return (LittleEndian.word(bytes, 0), Int(LittleEndian.half(bytes, 8)))
    }

    /// `count` entries of the id index as stored.
    func idEntries(from first: Int, count: Int) throws(FileCacheError) -> [UInt8] {
        let start = object.head.idIndexStart + UInt64(first) * ObjectHead.entryByteCount
        return try object.read(at: start, count: count * Int(ObjectHead.entryByteCount))
    }
}
