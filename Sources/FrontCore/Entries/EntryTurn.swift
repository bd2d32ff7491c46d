//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Which records an entry may change, by the turn that it is of.
struct EntryTurn {
    /// Records that a checkpoint stored at that turn or later have the entry in them already.
    let number: UInt64
    /// The turn of the checkpoint that brings it, which its record notes; nil: it is of the log, or of the present turn.
    let stored: UInt64?

    /// It was decided just now: it is later than anything that is stored.
    static let serving = EntryTurn(number: .max, stored: nil)

    /// It was decided in an earlier life.
    static func logged(_ turn: TurnNumber) -> EntryTurn { EntryTurn(number: turn.rawValue, stored: nil) }

    /// A checkpoint wrote it: it is taken as it is.
    static func stored(_ turn: TurnNumber) -> EntryTurn { EntryTurn(number: .max, stored: turn.rawValue) }
}
