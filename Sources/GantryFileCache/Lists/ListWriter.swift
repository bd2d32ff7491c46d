//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Writes a list item by item; memory is bounded by the items' number, not their size.
///
/// ```swift
/// let writer = try cache.makeListWriter(durability: .cached)
/// for item in items { try writer.append(item) }
/// let reference = try writer.finish()
/// ```
/// The same items in the same order always give the same object. Without `finish()` nothing stays on disk. One owner at a time.
package final class ListWriter {
    /// What the id index is put in order by.
    private struct ItemSum {
        var index: UInt64
        var check: UInt64
        var position: UInt32
    }

    private static let flushByteCount = 64 * 1024
    private let object: ObjectWriter
    private let limits: CacheLimits
    private var pending: [UInt8] = []
    private var contentByteCount: UInt64 = 0
    private var offsets: [UInt64] = [0]
    private var ids: [ItemSum] = []

    init(folder: ObjectFolder, limits: CacheLimits, durability: Durability) throws(FileCacheError) {
        self.limits = limits
        object = try ObjectWriter(folder: folder, durability: durability)
    }

    /// How many items have been appended.
    package var count: Int { ids.count }

    /// Bytes of the appended items as stored.
    package var byteCount: UInt64 { contentByteCount }

    /// Appends an item at the end of the list.
    ///
    /// - Throws: `invalidItem`, `tooLarge`, `full`, `ioFailed`. After an error the writer can only be dropped.
    package func append(_ item: ListItem) throws(FileCacheError) {
        let start = pending.count
        try ItemEncoder.append(item, limits: limits, to: &pending)
        try noteItem(pendingFrom: start, sums: ObjectName.idSums(Array(item.id.utf8)[...]))
    }

    /// Ends the list and adds it to the cache.
    ///
    /// - Parameter progress: called with the part done (0 to 1) while ids are put in order and blocks are written; answering false stops
    ///   with `cancelled`.
    /// - Throws: `duplicateID` naming both positions; `cancelled`; `full`, `notWritable`, `ioFailed`.
    package func finish(progress: @escaping (Double) -> Bool = { _ in true }) throws(FileCacheError) -> ObjectReference {
        let meter = WorkMeter(progress)
        object.meter = meter
        meter.begin(0...0.2)
        try object.append(pending[...])
        pending = []
        for offset in offsets {
            LittleEndian.append(offset, to: &pending)
            try flushIfLarge()
        }
        offsets = []
        meter.begin(0.2...0.7)
        try ids.sort(asking: meter) { left, right in
            if left.index != right.index { return left.index < right.index }
            return left.check != right.check ? left.check < right.check : left.position < right.position
        }
        try refuseDuplicates()
        meter.begin(0.7...1)
        for id in ids {
            IDEntry(sum: id.index, position: id.position).append(to: &pending)
            try flushIfLarge()
        }
        try object.append(pending[...])
        pending = []
        let head = ObjectHead(kind: .list, contentByteCount: contentByteCount, itemCount: UInt64(ids.count))
        let digest = try object.finish(head)
        return ObjectReference(digest: digest, byteCount: contentByteCount, itemCount: UInt64(ids.count))
    }

    private func noteItem(pendingFrom start: Int, sums: (index: UInt64, check: UInt64)) throws(FileCacheError) {
        guard ids.count < limits.itemCount else {
            throw FileCacheError(.tooLarge, "the list has more than \(limits.itemCount) items: ask the source for fewer")
        }
        contentByteCount += UInt64(pending.count - start)
        guard contentByteCount <= limits.objectByteCount else {
            throw FileCacheError(.tooLarge, "the list has more than \(limits.objectByteCount) bytes: ask the source for less")
        }
        ids.append(ItemSum(index: sums.index, check: sums.check, position: UInt32(ids.count)))
        offsets.append(contentByteCount)
        try flushIfLarge()
    }

    private func flushIfLarge() throws(FileCacheError) {
        guard pending.count >= Self.flushByteCount else { return }
        try object.append(pending[...])
        pending.removeAll(keepingCapacity: true)
    }

    /// Two ids are the same when 128 bits of their SHA-256 are. Names the pair whose second item comes first.
    private func refuseDuplicates() throws(FileCacheError) {
        var worst: (first: UInt32, second: UInt32)?
        for index in ids.indices.dropFirst() {
            let (left, right) = (ids[index - 1], ids[index])
            guard left.index == right.index, left.check == right.check else { continue }
            if let known = worst, known.second < right.position { continue }
            worst = (left.position, right.position)
        }
        guard let worst else { return }
        throw FileCacheError(
            .duplicateID, "items \(worst.first + 1) and \(worst.second + 1) have the same id: make ids unique at the source",
            positions: [UInt64(worst.first), UInt64(worst.second)])
    }
}
