//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The workers in which a suspected job runs alone, and for how long yet.
///
/// A job is alone so that a death of its worker speaks against nobody else. What kills its worker mostly does so soon, and one that runs for
/// an hour must not hold the other slots for an hour: it has been alone for long enough after a time that doubles with each attempt. So one that
/// kills its worker late is alone in the end when it does.
struct SuspectRuns {
    /// How long a job is alone at its second attempt, and at most.
    private static let (first, most): (Duration, Duration) = (.seconds(10), .seconds(3_600))
    /// The attempt that is the first one alone, and one at which ten seconds have doubled beyond an hour: nothing is shifted further.
    private static let (secondAttempt, longestFrom) = (2, 12)

    /// Workers where such a run has begun since the time was known last, and how long it lasts.
    private var begun: [(worker: Int, length: Duration)] = []
    /// Until when the job of a worker is alone there.
    private var ends: [Int: MonotonicTime] = [:]
    /// Pools of workers where a run has ended since this was looked at last.
    var endedPools: [Int] = []

    /// How long a job is alone that is granted so often.
    static func length(attempts: Int) -> Duration {
        attempts < longestFrom ? min(first * (1 << max(0, attempts - secondAttempt)), most) : most
    }

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
        for worker in long { ends[worker] = nil }
        return long
    }
}
