//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
