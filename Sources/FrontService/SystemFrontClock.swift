//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Platform

/// The machine's clocks: boot time for leases, wall time for people.
final class SystemFrontClock: FrontClock {
    /// Both clocks, read now.
    func now() -> FrontTime {
        FrontTime(
            monotonic: MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()),
            wall: WallTime(milliseconds: SystemClock.wallMilliseconds()))
    }
}
