//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Joins a source list into an editable one by id; see `FileCache.merge`. Holds about 50 bytes for each item of the editable list.
struct ListMerge {
    private struct Known {
        var index: UInt64
        var check: UInt64
        var createdAt: Int64?
        var position: UInt32
        var isByHand: Bool
        var isTaken = false
    }

    private let list: ListReader?
    private let firstSeen: WallTime
    /// The editable list's items in the order of their id sums.
    private var known: [Known] = []

    init(list: ListReader?, firstSeen: WallTime) throws(FileCacheError) {
        self.list = list
        self.firstSeen = firstSeen
        guard let list else { return }
        known.reserveCapacity(list.count)
        var scanner = ListScanner(list)
        while let (item, position, _) = try scanner.next() {
            let sums = item.idSums
            known.append(
                Known(index: sums.index, check: sums.check, createdAt: item.createdAt, position: position, isByHand: item.origin != .source)
            )
        }
        known.sort { $0.index != $1.index ? $0.index < $1.index : $0.check < $1.check }
    }

    mutating func run(source: ListReader, into writer: ListWriter) throws(FileCacheError) {
        var scanner = ListScanner(source)
        while let (item, _, _) = try scanner.next() { try append(item, to: writer) }
        guard let list else { return }
        var left: [UInt32] = known.filter { $0.isByHand && !$0.isTaken }.map(\.position)
        left.sort()
        for position in left { try writer.append(list.encodedItem(at: Int(position))) }
    }

    private mutating func append(_ item: EncodedItem, to writer: ListWriter) throws(FileCacheError) {
        let sums = item.idSums
        let place = place(of: sums)
        if let place { known[place].isTaken = true }
        if let list, let place, known[place].isByHand {
            try writer.append(list.encodedItem(at: Int(known[place].position)), sums: sums)
        } else if item.createdAt == nil, var dated = item.decoded() {
            dated.createdAt = place.flatMap { known[$0].createdAt }.map { WallTime(milliseconds: $0) } ?? firstSeen
            dated.origin = .source
            try writer.append(dated)
        } else {
            try writer.append(item, sums: sums)
        }
    }

    private func place(of sums: (index: UInt64, check: UInt64)) -> Int? {
        var low = 0
        var high = known.count
        while low < high {
            let middle = low + (high - low) / 2
            let entry = known[middle]
            if entry.index < sums.index || entry.index == sums.index && entry.check < sums.check { low = middle + 1 } else { high = middle }
        }
        return low < known.count && known[low].index == sums.index && known[low].check == sums.check ? low : nil
    }
}
