//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One row of the journal at restart, in the order in which they are to be applied.
public struct RestoredRow: Hashable, Sendable {
    /// The turn at which the entries were true.
    public var turn: TurnNumber
    /// The entries, encoded.
    public var entries: [UInt8]
    /// Whether it is a slice of a checkpoint; all slices come before all log rows.
    public var isSlice: Bool

    public init(turn: TurnNumber, entries: [UInt8], isSlice: Bool) {
        self.turn = turn
        self.entries = entries
        self.isSlice = isSlice
    }
}
