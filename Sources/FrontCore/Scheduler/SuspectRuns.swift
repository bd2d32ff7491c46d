//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The workers in which a suspected job runs alone, and for how long yet.
///
/// A job is alone so that a death of its worker counts against no other job. A job that kills its worker mostly does so soon, and one that
/// runs for an hour must not hold the other slots for an hour: it has been alone for long enough after a time that doubles with each
/// attempt (`JobRecord.aloneFor`). So one that kills its worker late is alone in the end when it does.
struct SuspectRuns {
    /// Workers where such a run has begun since the time was known last, and how long it lasts.
    private var begun: [(worker: Int, length: Duration)] = []
    /// Until when the job of a worker is alone there.
    private var ends: [Int: MonotonicTime] = [:]
    /// Pools of workers where a run has ended since this was looked at last.
    var endedPools: [Int] = []

    /// When the next job has been alone for long enough; nil: none is alone.
    var next: MonotonicTime? { ends.values.min() }

    /// A worker's room changes.
    mutating func note(_ worker: Int, from old: WorkerRoom, to room: WorkerRoom) {
        guard old.isAlone != room.isAlone else { return }
        ends[worker] = nil
        begun.removeAll { $0.worker == worker }
        if let length = room.aloneFor { begun.append((worker, length)) }
    }

    /// Runs that have begun in this turn last from now on.
    mutating func begin(at now: MonotonicTime) {
        while let (worker, length) = begun.popLast() { ends[worker] = now.advanced(by: length) }
    }

    /// The workers whose job has been alone for long enough by now, in order.
    mutating func takeLong(at now: MonotonicTime) -> [Int] {
        begin(at: now)
        guard let next, next <= now else { return [] }
        let long = ends.filter { $0.value <= now }.keys.sorted()
        // Named once: from then on its job may have neighbors.
        for worker in long { ends[worker] = nil }
        return long
    }
}

/// How the suspected jobs of a pool and all others take turns at its workers, so that neither is a wall for the other.
///
/// A suspected job needs a worker that holds nothing. So one is kept from other jobs until it is empty; but a job that runs for an hour
/// must not hold its neighbors' slots for an hour. Keeping it takes at most `gracePeriod`, which doubles until a worker has become empty:
/// some time it is longer than the jobs that run there. Whatever time a worker was kept, others have all workers as long thereafter.
struct SuspectShare {
    /// Long enough for jobs of usual length to end, short enough for jobs that wait beside an empty slot.
    private static let firstGracePeriod = Duration.seconds(10)

    /// Whose turn it is.
    enum State: Equatable {
        /// Nobody's: a worker may be kept. Moves to taken when one is, or when a suspected job gets one that is empty.
        case free
        /// Suspected jobs': since then a worker is kept for them, or runs one. Moves to resting when neither is so any more. `restsUntil`:
        /// the end of the others' time before it, for which a job that finds an empty worker does not wait.
        case taken(since: MonotonicTime, restsUntil: MonotonicTime)
        /// All others': until then no worker is kept. Moves to taken as free does; after that time it is as free as that.
        case resting(until: MonotonicTime)
    }

    private(set) var state = State.free
    private var gracePeriod = Self.firstGracePeriod

    /// Until then a worker is kept for none.
    var restsUntil: MonotonicTime {
        switch state {
        case .free: MonotonicTime(nanoseconds: 0)
        case .taken(_, let until), .resting(let until): until
        }
    }

    /// A worker is kept from now on. Until when it must be empty.
    mutating func keep(at now: MonotonicTime) -> MonotonicTime {
        state = .taken(since: now, restsUntil: restsUntil)
        return now.advanced(by: gracePeriod)
    }

    /// A suspected job has got its worker.
    mutating func granted(at now: MonotonicTime) {
        gracePeriod = Self.firstGracePeriod
        switch state {
        case .free, .resting: state = .taken(since: now, restsUntil: restsUntil)
        // The time before it, in which the worker was kept, counts too.
        case .taken: break
        }
    }

    /// The worker did not become empty in time.
    mutating func gaveUp(at now: MonotonicTime) {
        gracePeriod = gracePeriod.multiplied(by: 2)
        rest(at: now)
    }

    /// No worker is kept any more and none runs a suspected job: others have as long as it took.
    mutating func rest(at now: MonotonicTime) {
        switch state {
        case .free, .resting: break
        case .taken(let since, _): state = .resting(until: now.advanced(by: now.duration(since: since)))
        }
    }
}

/// A worker that is kept from other jobs so that it becomes empty.
struct SuspectClaim {
    let worker: Int
    /// Index of the pool whose suspected jobs wait for it.
    let pool: Int
    /// When it is dropped.
    let until: MonotonicTime
}
