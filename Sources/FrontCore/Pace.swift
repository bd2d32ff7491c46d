//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How fast jobs end: the ends of about the last minute.
struct Pace: Sendable {
    private var started: MonotonicTime?
    private var endedAtStart: UInt64 = 0
    private var previousPerSecond: Double?

    /// Notes how many jobs had ended at a time.
    mutating func note(ended: UInt64, at time: MonotonicTime) {
        guard let begin = started else {
            (started, endedAtStart) = (time, ended)
            return
        }
        let elapsed = time.milliseconds(since: begin)
        guard elapsed >= 60_000 || ended < endedAtStart else { return }
        previousPerSecond = ended < endedAtStart ? nil : Double(ended - endedAtStart) * 1_000 / Double(elapsed)
        (started, endedAtStart) = (time, ended)
    }

    /// Ends per second of the last minute; nil when unknown or none.
    func perSecond(ended: UInt64, at time: MonotonicTime) -> Double? {
        guard let begin = started else { return nil }
        let elapsed = time.milliseconds(since: begin)
        let current = elapsed >= 1_000 && ended > endedAtStart ? Double(ended - endedAtStart) * 1_000 / Double(elapsed) : previousPerSecond
        return current.flatMap { $0 > 0 ? $0 : nil }
    }
}
