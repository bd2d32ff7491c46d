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

    /// A pause of that length.
    init(_ length: Duration, from now: FrontTime) {
        until = now.monotonic.advanced(by: length)
        shown = now.wall.advanced(by: length)
    }
}
