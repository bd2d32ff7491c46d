//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How fast jobs end: the ends of about the last minute.
struct Pace: Sendable {
    /// How long ends are counted before the count begins anew: long enough to even out jobs of seconds, short enough to follow a change.
    private static let span: Duration = .seconds(60)
    /// What was counted for less tells nothing yet: the pace of the time before stands in for it.
    private static let leastSpan: Duration = .seconds(1)

    private var started: MonotonicTime?
    private var endedAtStart: UInt64 = 0
    private var previousPerSecond: Double?

    /// Notes how many jobs had ended at a time.
    mutating func note(ended: UInt64, at time: MonotonicTime) {
        guard let begin = started else {
            (started, endedAtStart) = (time, ended)
            return
        }
        let elapsed = time.duration(since: begin)
        guard elapsed >= Self.span || ended < endedAtStart else { return }
        previousPerSecond = ended < endedAtStart ? nil : Double(ended - endedAtStart) / elapsed.inSeconds
        (started, endedAtStart) = (time, ended)
    }

    /// Ends per second of the last minute; nil when unknown or none.
    func perSecond(ended: UInt64, at time: MonotonicTime) -> Double? {
        guard let begin = started else { return nil }
        let elapsed = time.duration(since: begin)
        let isTelling = elapsed >= Self.leastSpan && ended > endedAtStart
        let current = isTelling ? Double(ended - endedAtStart) / elapsed.inSeconds : previousPerSecond
        return current.flatMap { $0 > 0 ? $0 : nil }
    }
}
