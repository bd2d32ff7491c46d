//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A rare value beside columns: which row it belongs to.
public struct Indexed<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The row, from 0.
    public var index: UInt32
    /// What belongs to it.
    public var value: Value

    /// Joins row and value.
    public init(index: UInt32, value: Value) {
        self.index = index
        self.value = value
    }
}
