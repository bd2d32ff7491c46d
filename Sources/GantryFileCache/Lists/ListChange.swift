//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Makes a list that differs from another in one item. What stays is copied as it is stored; nothing of it is parsed or put in order again.
struct ListChange {
    private static let chunkOffsetCount = 16 * 1024
    private static let copyByteCount: UInt64 = 1 << 20

    private let list: ListReader
    private let limits: CacheLimits
    private let object: ObjectWriter
    private let old: ObjectHead
    private let meter: WorkMeter

    init(_ list: ListReader, folder: ObjectFolder, limits: CacheLimits, durability: Durability, _ meter: WorkMeter) throws(FileCacheError) {
        self.list = list
        self.limits = limits
        old = list.object.head
        object = try ObjectWriter(folder: folder, durability: durability, meter: meter)
        self.meter = meter
    }

    /// The list with an item more at its end; its id is not in the list yet.
    func appending(_ item: ListItem) throws(FileCacheError) -> ObjectReference {
        guard list.count < limits.itemCount else {
            throw FileCacheError(.tooLarge, "the list has \(limits.itemCount) items (limit): nothing can be added")
        }
        var bytes: [UInt8] = []
        try ItemEncoder.append(item, limits: limits, to: &bytes)
        let head = try head(contentByteCount: old.contentByteCount + UInt64(bytes.count), itemCount: old.itemCount + 1)
        try copy(0..<old.contentByteCount)
        try object.append(bytes[...])
        try object.append(old.contentByteCount..<old.idIndexStart, of: list.object)
        var end: [UInt8] = []
        LittleEndian.append(head.contentByteCount, to: &end)
        try object.append(end[...])
        let place = old.idIndexStart + UInt64(try idPlace(of: item.id)) * ObjectHead.entryByteCount
        try object.append(old.idIndexStart..<place, of: list.object)
        var entry: [UInt8] = []
        IDEntry(sum: ObjectName.idSums(Array(item.id.utf8)[...]).index, position: UInt32(old.itemCount)).append(to: &entry)
        try object.append(entry[...])
        try object.append(place..<old.bodyByteCount, of: list.object)
        return try finish(head)
    }

    /// The list with another item of the same id at a position.
    func replacing(_ position: Int, with item: ListItem) throws(FileCacheError) -> ObjectReference {
        var bytes: [UInt8] = []
        try ItemEncoder.append(item, limits: limits, to: &bytes)
        let place = try list.offsets(from: position, count: 2)
        let growth = Int64(bytes.count) - Int64(place[1] - place[0])
        let head = try head(contentByteCount: UInt64(Int64(old.contentByteCount) + growth), itemCount: old.itemCount)
        try copy(0..<place[0])
        try object.append(bytes[...])
        try copy(place[1]..<old.contentByteCount)
        try appendOffsets(after: position, growth: growth)
        try object.append(old.idIndexStart..<old.bodyByteCount, of: list.object)
        return try finish(head)
    }

    /// Copies content as it is stored, a megabyte at a time, so that the caller sees how far it is.
    private func copy(_ part: Range<UInt64>) throws(FileCacheError) {
        var start = part.lowerBound
        while start < part.upperBound {
            let end = min(part.upperBound, (start / Self.copyByteCount + 1) * Self.copyByteCount)
            try object.append(start..<end, of: list.object)
            try meter.reach(Int(end >> 10), of: Int(old.bodyByteCount >> 10))
            start = end
        }
    }

    /// The offset index, in which all items behind a position have moved.
    private func appendOffsets(after position: Int, growth: Int64) throws(FileCacheError) {
        let firstMoved = position + 1
        let moved = old.contentByteCount + UInt64(firstMoved) * ObjectHead.offsetByteCount
        guard growth != 0 else { return try object.append(old.contentByteCount..<old.idIndexStart, of: list.object) }
        try object.append(old.contentByteCount..<moved, of: list.object)
        var bytes: [UInt8] = []
        for start in stride(from: firstMoved, to: list.count + 1, by: Self.chunkOffsetCount) {
            bytes.removeAll(keepingCapacity: true)
            for offset in try list.offsets(from: start, count: min(Self.chunkOffsetCount, list.count + 1 - start)) {
                // A list that was made to deceive may have offsets that grow nowhere near its items.
                let (moved, isOut) = Int64(offset).addingReportingOverflow(growth)
                guard !isOut, moved >= 0 else { throw .damaged(list.digest, "the offset index is out of order") }
                LittleEndian.append(UInt64(moved), to: &bytes)
            }
            try object.append(bytes[...])
        }
    }

    /// Where an id that is new to the list belongs in its id index.
    private func idPlace(of id: String) throws(FileCacheError) -> Int {
        let sums = ObjectName.idSums(Array(id.utf8)[...])
        var place = try list.idPlace(of: sums.index)
        while place < list.count {
            let entry = try list.idEntry(place)
            guard entry.sum == sums.index, try list.encodedItem(at: entry.position).idSums.check <= sums.check else { break }
            place += 1
        }
        return place
    }

    private func head(contentByteCount: UInt64, itemCount: UInt64) throws(FileCacheError) -> ObjectHead {
        guard contentByteCount <= limits.objectByteCount else {
            throw FileCacheError(.tooLarge, "the list has more than \(limits.objectByteCount) bytes: remove some items first")
        }
        return ObjectHead(kind: .list, contentByteCount: contentByteCount, itemCount: itemCount)
    }

    private func finish(_ head: ObjectHead) throws(FileCacheError) -> ObjectReference {
        let digest = try object.finish(head)
        return ObjectReference(digest: digest, byteCount: head.contentByteCount, itemCount: head.itemCount)
    }
}
