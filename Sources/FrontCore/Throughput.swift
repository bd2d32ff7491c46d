//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How fast jobs end: the ends of about the last minute.
struct Throughput: Sendable {
    /// How long ends are counted before the count begins anew: long enough to even out jobs of seconds, short enough to follow a change.
    private static let span: Duration = .seconds(60)
    /// What was counted for less tells nothing yet: the pace of the time before stands in for it.
    private static let leastSpan: Duration = .seconds(1)

    /// When so many ends did not come, the pace is another one by now: fewer may be chance.
    private static let missedEnds = 10.0

    private var started: MonotonicTime?
    private var endedAtStart: UInt64 = 0
    private var previousPerSecond: Double?
    /// How many jobs had ended when the last one was noted, and when that was.
    private var last: (ended: UInt64, at: MonotonicTime)?

    /// Notes how many jobs had ended at a time.
    mutating func note(ended: UInt64, at time: MonotonicTime) {
        if last.map({ $0.ended != ended }) ?? true { last = (ended, time) }
        guard let begin = started else {
            (started, endedAtStart) = (time, ended)
            return
        }
        let elapsed = time.duration(since: begin)
        guard elapsed >= Self.span || ended < endedAtStart else { return }
        previousPerSecond = ended < endedAtStart ? nil : Double(ended - endedAtStart) / elapsed.inSeconds
        (started, endedAtStart) = (time, ended)
    }

    /// Ends per second of the last minute; nil when unknown or none, or when many should have come by it since the last one.
    ///
    /// The time since the last one counts only for that: otherwise an estimate made of it would count up while nothing ends.
    func perSecond(ended: UInt64, at time: MonotonicTime) -> Double? {
        guard let begin = started, let last else { return nil }
        let elapsed = last.at.duration(since: begin)
        let isMeaningful = elapsed >= Self.leastSpan && ended > endedAtStart
        let current = isMeaningful ? Double(ended - endedAtStart) / elapsed.inSeconds : previousPerSecond
        guard let current, current > 0 else { return nil }
        let quiet = time.duration(since: last.at)
        return quiet < Self.leastSpan || quiet.inSeconds * current < Self.missedEnds ? current : nil
    }
}
