//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension PackedBytes: Collection {
    /// Where a row begins. It knows how many rows and bytes are before it, so that each step from row to row costs the same.
    @frozen
    public struct Index: Comparable, Hashable, Sendable {
        /// Which row, from 0: the same one in the columns beside this one.
        public let row: Int
        /// Where in the bytes of all rows it begins.
        public let offset: Int

        /// The beginning of any column.
        @inlinable
        public init() { self.init(row: 0, offset: 0) }

        @inlinable
        init(row: Int, offset: Int) {
            self.row = row
            self.offset = offset
        }

        /// The order of the rows.
        @inlinable public static func < (left: Self, right: Self) -> Bool { left.row < right.row }
    }

    /// The first row.
    @inlinable public var startIndex: Index { Index() }

    /// Behind the last row.
    @inlinable public var endIndex: Index { Index(row: rowLengths.count, offset: blob.count) }

    /// How many rows there are.
    @inlinable public var count: Int { rowLengths.count }

    /// Whether there is no row; rows without bytes are rows.
    @inlinable public var isEmpty: Bool { rowLengths.isEmpty }

    /// The next row.
    @inlinable public func index(after index: Index) -> Index { Index(row: index.row + 1, offset: range(at: index).upperBound) }

    /// How many rows lie between two places.
    @inlinable public func distance(from start: Index, to end: Index) -> Int { end.row - start.row }

    /// A row: a part of the bytes, not a copy.
    @inlinable public subscript(index: Index) -> ArraySlice<UInt8> { blob[range(at: index)] }

    /// Where a row lies in the bytes of all rows.
    @inlinable public func range(at index: Index) -> Range<Int> { index.offset..<index.offset + Int(rowLengths[index.row]) }
}

extension PackedBytes {
    /// Where each row lies in the bytes of all rows, in order.
    @inlinable public var ranges: Ranges { Ranges(lengths: rowLengths.makeIterator()) }

    /// Goes over the places of rows, allocates nothing.
    @frozen
    public struct Ranges: Swift.Sequence, IteratorProtocol {
        @usableFromInline var lengths: IndexingIterator<[UInt32]>
        @usableFromInline var offset = 0

        @inlinable
        init(lengths: IndexingIterator<[UInt32]>) { self.lengths = lengths }

        /// The next one.
        @inlinable
        public mutating func next() -> Range<Int>? {
            guard let length = lengths.next() else { return nil }
            let range = offset..<offset + Int(length)
            offset = range.upperBound
            return range
        }
    }
}

extension PackedBytes: ExpressibleByArrayLiteral {
    /// A row for each element.
    public init(arrayLiteral rows: [UInt8]...) { self.init(rows) }
}
