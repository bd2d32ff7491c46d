//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Byte strings one behind the other, with the length of each: a column of arguments or results.
///
/// That is how they travel and how they are kept in the journal: a row needs no allocation of its own. The lengths always add up to the
/// bytes, because nothing else can be made: what comes from outside is checked once, by `init(lengths:bytes:)`.
///
/// As a collection it gives each row as a part of the bytes, not a copy. Where columns are walked side by side, `ranges` says where each row
/// lies, and an index says in which row of the other columns it stands.
@frozen @usableFromInline
package struct PackedBytes: Hashable, Sendable {
    @usableFromInline var rowLengths: [UInt32]
    @usableFromInline var blob: [UInt8]

    /// No rows.
    @inlinable
    package init() {
        rowLengths = []
        blob = []
    }

    /// Rows of these lengths, which are the parts of `bytes` in order. Nil: the lengths do not add up to the bytes.
    @inlinable
    package init?(lengths: [UInt32], bytes: [UInt8]) {
        guard Self.byteCount(of: lengths) == UInt64(bytes.count) else { return nil }
        rowLengths = lengths
        blob = bytes
    }

    /// A row for each element, each of less than 4 GiB.
    @inlinable
    package init(_ rows: some Sequence<some Collection<UInt8>>) {
        self.init()
        rowLengths.reserveCapacity(rows.underestimatedCount)
        for row in rows { append(row) }
    }

    /// The same row so many times.
    @inlinable
    package init(repeating row: some Collection<UInt8>, count: Int) {
        self.init()
        reserveCapacity(count, byteCount: count * row.count)
        for _ in 0..<count { append(row) }
    }

    /// Byte count of each row.
    @inlinable package var lengths: [UInt32] { rowLengths }

    /// The rows one behind the other.
    @inlinable package var bytes: [UInt8] { blob }

    /// Bytes of all rows.
    @inlinable package var byteCount: Int { blob.count }

    /// What lengths add up to; too many for 64 bits, which needs 16 GiB of them: `UInt64.max`.
    @inlinable
    package static func byteCount(of lengths: [UInt32]) -> UInt64 {
        guard lengths.count <= Int(UInt32.max) else { return .max }
        return lengths.reduce(0) { $0 &+ UInt64($1) }
    }
}

// MARK: Adding rows

extension PackedBytes {
    /// Makes room, so that so many rows of so many bytes together are added without another allocation.
    @inlinable
    package mutating func reserveCapacity(_ count: Int, byteCount: Int) {
        rowLengths.reserveCapacity(count)
        blob.reserveCapacity(byteCount)
    }

    /// Adds a row of less than 4 GiB.
    @inlinable
    package mutating func append(_ row: some Collection<UInt8>) {
        let before = blob.count
        blob.append(contentsOf: row)
        rowLengths.append(UInt32(blob.count - before))
    }

    /// Adds a row without bytes.
    @inlinable package mutating func appendEmpty() { rowLengths.append(0) }

    /// Adds rows of these lengths, which lie one behind the other from the start of `bytes` on: all are copied at once, because a copy for
    /// each costs more than its bytes do. What is behind them is left out; that there are fewer bytes is a mistake of the caller.
    @inlinable
    package mutating func append(lengths: ArraySlice<UInt32>, of bytes: ArraySlice<UInt8>) {
        var byteCount = 0
        for length in lengths { byteCount += Int(length) }
        blob.append(contentsOf: bytes[bytes.startIndex..<bytes.startIndex + byteCount])
        rowLengths.append(contentsOf: lengths)
    }

    /// Adds some rows of others, copied at once.
    @inlinable
    package mutating func append(contentsOf rows: Slice<PackedBytes>) {
        let (start, end) = (rows.startIndex, rows.endIndex)
        append(lengths: rows.base.rowLengths[start.row..<end.row], of: rows.base.blob[start.offset...])
    }

    /// Adds the rows of another column.
    @inlinable
    package mutating func append(contentsOf other: PackedBytes) {
        rowLengths.append(contentsOf: other.rowLengths)
        blob.append(contentsOf: other.blob)
    }
}

extension PackedBytes: Collection {
    /// Where a row begins. It knows how many rows and bytes are before it, so that each step from row to row costs the same.
    @frozen @usableFromInline
    package struct Index: Comparable, Hashable, Sendable {
        /// Which row, from 0: the same one in the columns beside this one.
        @usableFromInline package let row: Int
        /// Where in the bytes of all rows it begins.
        @usableFromInline package let offset: Int

        /// The beginning of any column.
        @inlinable
        package init() { self.init(row: 0, offset: 0) }

        @inlinable
        init(row: Int, offset: Int) {
            self.row = row
            self.offset = offset
        }

        /// The order of the rows.
        @inlinable package static func < (left: Self, right: Self) -> Bool { left.row < right.row }
    }

    /// The first row.
    @inlinable package var startIndex: Index { Index() }

    /// Behind the last row.
    @inlinable package var endIndex: Index { Index(row: rowLengths.count, offset: blob.count) }

    /// How many rows there are.
    @inlinable package var count: Int { rowLengths.count }

    /// Whether there is no row; rows without bytes are rows.
    @inlinable package var isEmpty: Bool { rowLengths.isEmpty }

    /// The next row.
    @inlinable package func index(after index: Index) -> Index { Index(row: index.row + 1, offset: range(at: index).upperBound) }

    /// How many rows lie between two places.
    @inlinable package func distance(from start: Index, to end: Index) -> Int { end.row - start.row }

    /// A row: a part of the bytes, not a copy.
    @inlinable package subscript(index: Index) -> ArraySlice<UInt8> { blob[range(at: index)] }

    /// Where a row lies in the bytes of all rows.
    @inlinable package func range(at index: Index) -> Range<Int> { index.offset..<index.offset + Int(rowLengths[index.row]) }
}

extension PackedBytes {
    /// Where each row lies in the bytes of all rows, in order.
    @inlinable package var ranges: Ranges { Ranges(lengths: rowLengths.makeIterator()) }

    /// Goes over the places of rows, allocates nothing.
    @frozen @usableFromInline
    package struct Ranges: Sequence, IteratorProtocol {
        @usableFromInline var lengths: IndexingIterator<[UInt32]>
        @usableFromInline var offset = 0

        @inlinable
        init(lengths: IndexingIterator<[UInt32]>) { self.lengths = lengths }

        /// The next one.
        @inlinable
        package mutating func next() -> Range<Int>? {
            guard let length = lengths.next() else { return nil }
            let range = offset..<offset + Int(length)
            offset = range.upperBound
            return range
        }
    }
}

extension PackedBytes: ExpressibleByArrayLiteral {
    /// A row for each element.
    @usableFromInline package init(arrayLiteral rows: [UInt8]...) { self.init(rows) }
}

/// A rare value beside columns: which row it belongs to.
@usableFromInline
package struct Indexed<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The row, from 0.
    @usableFromInline package var index: UInt32
    /// What belongs to it.
    @usableFromInline package var value: Value

    /// Joins row and value.
    @inlinable
    package init(index: UInt32, value: Value) {
        self.index = index
        self.value = value
    }
}

/// Rare values beside columns, taken row by row: there may be thousands of each, so none is looked for from the beginning.
@usableFromInline
package struct RareValues<Value: Hashable & Sendable> {
    @usableFromInline let values: [Indexed<Value>]
    @usableFromInline var next = 0

    /// Those values, in whatever order: the protocol leaves it open.
    @inlinable
    package init(_ values: [Indexed<Value>]) {
        let isAscending = zip(values, values.dropFirst()).allSatisfy { $0.index <= $1.index }
        self.values = isAscending ? values : values.sorted { $0.index < $1.index }
    }

    /// What belongs to a row; rows are asked for in order.
    @inlinable
    package mutating func take(_ row: Int) -> Value? {
        while next < values.count, values[next].index < UInt32(row) { next += 1 }
        return next < values.count && values[next].index == UInt32(row) ? values[next].value : nil
    }
}
