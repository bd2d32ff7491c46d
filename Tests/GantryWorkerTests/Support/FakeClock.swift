//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import GantryWorker

/// A clock that the test sets; arming the timer may take a while, as when the process is stopped just then.
struct FakeClock: WorkerClock {
    var milliseconds: Int64 = 0
    var armedAt: MonotonicTime?
    var armingTakes: Int64 = 0

    func now() -> MonotonicTime { Bench.time(milliseconds) }

    mutating func armKillTimer(at instant: MonotonicTime) {
        armedAt = instant
        milliseconds += armingTakes
    }

    mutating func disarmKillTimer() { armedAt = nil }
}
