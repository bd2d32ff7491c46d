//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// The attempts of a value of a limit that has a rate, by the times at which they took their tokens at the front: what a slow network brings together
/// was granted apart.
package struct AuditedRate: Sendable {
    /// An attempt for which there was no token.
    package struct Early: Hashable, Sendable {
        /// The job, and how often it was granted.
        package var job: JobID
        package var attempt: UInt32
        /// When it began, in nanoseconds since 1970.
        package var start: Int64
        /// How many tokens there were, below one.
        package var tokens: Double
        /// The rate by which it was granted.
        package var refill: LimitRefill
    }

    /// The rate of the last attempt.
    package private(set) var refill: LimitRefill
    /// The most attempts that took tokens within one period, and when the first of them began, in nanoseconds since 1970.
    package private(set) var mostInPeriod = 0
    package private(set) var mostAt: Int64 = 0
    /// Attempts that began though there was no token, the first 64.
    package private(set) var early: [Early] = []
    /// How many there were.
    package private(set) var earlyCount = 0

    private struct Taken {
        let key: GrantKey
        let start: RecordedStart
        let refill: LimitRefill
        let ratedFrom: UInt64
        let began: Int64
    }

    private static let namedAttempts = 64
    /// Tokens are counted as fractions here, and in whole shares at the front: what differs by less is equal.
    private static let tolerance = 0.001

    /// - Returns: nil where no attempt had to take a token.
    init?(_ uses: [AuditedUse], of runs: [AuditedRun], _ fronts: FrontOrder, from: Int64, to: Int64) {
        var all: [Taken] = []
        for use in uses where runs[use.run].start <= to {
            for (start, limit) in use.starts {
                guard let refill = limit.rule?.refill else { continue }
                all.append(
                    Taken(
                        key: fronts.key(start.limited.front, start.limited.lease), start: start, refill: refill, ratedFrom: limit.ratedFrom,
                        began: runs[use.run].start))
            }
        }
        all.sort { $0.key < $1.key }
        guard let last = all.last else { return nil }
        refill = last.refill
        count(all, from: from)
        lookForMost(all, from: from)
    }

    /// Follows the bucket. Where the rate has changed between two attempts, tokens came by the faster of both: when that was, nobody has written down.
    private mutating func count(_ all: [Taken], from: Int64) {
        var (tokens, time) = (0.0, Int64(0))
        var before: Taken?
        for taken in all {
            if let before, before.key.front == taken.key.front, before.ratedFrom == taken.ratedFrom {
                let perMillisecond = max(before.refill.perMillisecond, taken.refill.perMillisecond)
                let passed = Double(max(0, taken.start.limited.takenAt - time))
                tokens = min(Double(taken.refill.burst), tokens + passed * perMillisecond)
                time = max(time, taken.start.limited.takenAt)
            } else {
                (tokens, time) = (Double(taken.refill.burst), taken.start.limited.takenAt)
            }
            before = taken
            guard tokens < 1 - Self.tolerance else {
                tokens -= 1
                continue
            }
            guard taken.began >= from else { continue }
            earlyCount += 1
            guard early.count < Self.namedAttempts else { continue }
            early.append(
                Early(
                    job: taken.start.job, attempt: taken.start.attempt, start: taken.began, tokens: max(0, tokens), refill: taken.refill))
        }
    }

    private mutating func lookForMost(_ all: [Taken], from: Int64) {
        let timed = all.filter { $0.began >= from }
        var first = 0
        for (index, taken) in timed.enumerated() {
            let period = taken.refill.period.wholeMilliseconds
            while timed[first].key.front != taken.key.front
                || taken.start.limited.takenAt - timed[first].start.limited.takenAt >= period
            { first += 1 }
            guard index - first + 1 > mostInPeriod else { continue }
            (mostInPeriod, mostAt) = (index - first + 1, timed[first].began)
        }
    }
}

extension LimitRefill {
    /// Tokens that come in a millisecond.
    fileprivate var perMillisecond: Double { Double(count) / Double(max(1, period.wholeMilliseconds)) }
}
