//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How the suspected jobs of a pool and all others take turns at its workers, so that neither is a wall for the other.
///
/// A suspected job needs a worker that holds nothing. So one is kept from other jobs until it is empty; but a job that runs for an hour
/// must not hold its neighbours' slots for an hour. Keeping it takes at most `gracePeriod`, which doubles until a worker has become empty:
/// some time it is longer than the jobs that run there. Whatever time a worker was kept, others have all workers as long thereafter.
struct SuspectShare {
    /// Long enough for jobs of usual length to end, short enough for whoever waits beside an empty slot.
    private static let firstGracePeriod = Duration.seconds(10)

    /// Since when a worker is kept for suspected jobs, or runs one; nil: none is.
    private var keptSince: MonotonicTime?
    /// Until then a worker is kept for none.
    private(set) var restsUntil = MonotonicTime(nanoseconds: 0)
    private var gracePeriod = Self.firstGracePeriod

    /// A worker is kept from now on. Until when it must be empty.
    mutating func keep(at now: MonotonicTime) -> MonotonicTime {
        keptSince = now
        return now.advanced(by: gracePeriod)
    }

    /// A suspected job has got its worker.
    mutating func granted(at now: MonotonicTime) {
        keptSince = keptSince ?? now
        gracePeriod = Self.firstGracePeriod
    }

    /// The worker did not become empty in time.
    mutating func gaveUp(at now: MonotonicTime) {
        gracePeriod = gracePeriod.multiplied(by: 2)
        rest(at: now)
    }

    /// No worker is kept any more and none runs a suspected job: others have as long as it took.
    mutating func rest(at now: MonotonicTime) {
        guard let since = keptSince else { return }
        keptSince = nil
        restsUntil = now.advanced(by: now.duration(since: since))
    }
}
