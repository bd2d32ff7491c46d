//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// A state alone goes the road of a whole front: there is no other.
extension FrontState {
    /// Applies an entry as a front that serves does.
    mutating func apply(_ entry: JournalEntry) { change { $0.record(entry) } }

    /// Applies an entry of an earlier life.
    mutating func restore(_ entry: JournalEntry, of turn: TurnNumber, isSlice: Bool) {
        change { state in
            do throws(CodecError) { try state.restore([entry], of: turn, isSlice: isSlice) } catch { Issue.record(error) }
        }
    }

    private mutating func change(_ change: (inout FrontTurn) -> Void) {
        let now = FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: 0))
        var turn = FrontTurn(settings: FrontSettings(front: FrontID(1), epoch: Epoch(5), sessionKey: SessionKey(1, 5)), now: now)
        swap(&turn.state, &self)
        change(&turn)
        swap(&turn.state, &self)
    }
}
