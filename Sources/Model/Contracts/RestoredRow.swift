//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One row of the journal at restart, in the order in which they are to be applied.
public struct RestoredRow: Hashable, Sendable {
    /// The turn at which the facts were true.
    public var turn: TurnNumber
    /// The facts, encoded.
    public var facts: [UInt8]
    /// Whether it is a slice of a checkpoint; all slices come before all log rows.
    public var isSlice: Bool

    public init(turn: TurnNumber, facts: [UInt8], isSlice: Bool) {
        self.turn = turn
        self.facts = facts
        self.isSlice = isSlice
    }
}
