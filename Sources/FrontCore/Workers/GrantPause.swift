//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Nothing is granted at first by a front that does not journal grants: those of an earlier life may still run, unseen.
struct GrantPause {
    /// When every lease of an earlier life is over, with its grace.
    let until: MonotonicTime
    /// The same for people; fixed, so that the reason of a wait does not change from turn to turn.
    let shown: WallTime

    /// A pause of so many milliseconds.
    init(milliseconds: Int64, from now: FrontTime) {
        until = now.monotonic.adding(milliseconds: milliseconds)
        shown = now.wall.adding(milliseconds: milliseconds)
    }
}

extension FrontMachine {
    /// Whether jobs may be granted; ends the pause once it is over, or as soon as every known worker has come back, has renewed (it says before
    /// that what of its dropped work has not ended), and has ended what it was told to drop.
    mutating func mayGrant() -> Bool {
        guard let pause = grantPause else { return true }
        let areAllBack = state.workers.all.allSatisfy { $0.isAttached && $0.renewal != .none && !$0.isOverdue }
        guard areAllBack || turn.now.monotonic >= pause.until else {
            turn.check(.grants, by: pause.until)
            return false
        }
        grantPause = nil
        questionAllWaits()
        return true
    }
}
