//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What the records say of a limit with one of its values.
package struct AuditedValue: Sendable {
    /// How many run from a time on, and what the limit allows.
    package struct Step: Hashable, Sendable {
        /// In nanoseconds since 1970.
        package var at: Int64
        /// Permits of what runs.
        package var running: Int
        /// What the newest grant among them was allowed; nil: nothing runs, or nothing bounds it.
        package var capacity: UInt32?

        /// Whether more run than may.
        var isOver: Bool { capacity.map { running > Int($0) } ?? false }
    }

    /// A time in which more ran than the limit allowed.
    package struct Excess: Hashable, Sendable {
        /// In nanoseconds since 1970.
        package var from: Int64
        package var to: Int64
        /// The most that ran, and what was allowed.
        package var running: Int
        package var capacity: UInt32
        /// Whether it is sure, though nobody may have closed some of the runs.
        package var isSure: Bool
        /// The runs at its beginning, by their indexes among all; 64 at most.
        package var runs: [Int]
    }

    /// The limit and the value.
    package let key: LimitKey
    /// Runs within the time, and jobs that began in it.
    package private(set) var runCount = 0
    package private(set) var attemptCount = 0
    /// The most that ran, and when; and the capacity then.
    package private(set) var most = Step(at: 0, running: 0)
    /// The least and the greatest capacity that grants were given under; nil: none had one.
    package private(set) var capacities: ClosedRange<UInt32>?
    /// How many ran, from time to time.
    package private(set) var steps: [Step] = []
    /// When more ran than might.
    package private(set) var excesses: [Excess] = []
    /// Its attempts, where it has had a rate.
    package private(set) var rate: AuditedRate?

    init(_ key: LimitKey, _ uses: [AuditedUse], of runs: [AuditedRun], _ fronts: FrontOrder, from: Int64, to: Int64) {
        self.key = key
        for use in uses {
            let run = runs[use.run]
            guard run.end >= from, run.start <= to else { continue }
            runCount += 1
            if run.start >= from { attemptCount += use.starts.count }
            guard let capacity = use.rule?.capacity else { continue }
            capacities = min(capacities?.lowerBound ?? capacity, capacity)...max(capacities?.upperBound ?? capacity, capacity)
        }
        var sweep = AuditSweep(uses, of: runs, fronts, isSure: false)
        (steps, excesses) = sweep.look(from: from, to: to)
        for step in steps where step.running > most.running { most = step }
        if uses.contains(where: { runs[$0.run].sureEnd != runs[$0.run].end }) {
            var sure = AuditSweep(uses, of: runs, fronts, isSure: true)
            let certain = sure.look(from: from, to: to).excesses
            for index in excesses.indices {
                excesses[index].isSure = certain.contains { $0.from <= excesses[index].to && $0.to >= excesses[index].from }
            }
        }
        rate = AuditedRate(uses, of: runs, fronts, from: from, to: to)
    }

    /// Whether the limit was passed.
    package var state: LimitAudit.State {
        if excesses.contains(where: \.isSure) || !(rate?.early.isEmpty ?? true) { return .passed }
        return excesses.isEmpty ? .held : .unsure
    }
}

/// Goes over the starts and ends of the uses of one value.
///
/// A permit belongs to a run from its grant to its end. So whatever runs together held its permits when the one of them that was granted last was
/// granted, and at no time may more run than that grant was allowed. A capacity that was lowered stops nobody: who runs then was granted before.
struct AuditSweep {
    private struct Event {
        let at: Int64
        let isStart: Bool
        let use: Int
    }

    private let uses: [AuditedUse]
    private let keys: [GrantKey]
    private var events: [Event] = []
    /// The uses that run, by their grants, oldest first.
    private var running: [Int] = []
    private var permits = 0

    private static let namedRuns = 64

    /// - Parameter isSure: whether a run that nobody closed counts only as long as its worker surely lived.
    init(_ uses: [AuditedUse], of runs: [AuditedRun], _ fronts: FrontOrder, isSure: Bool) {
        self.uses = uses
        keys = uses.map { fronts.key($0.front, $0.lease) }
        for (index, use) in uses.enumerated() {
            let run = runs[use.run]
            events.append(Event(at: run.start, isStart: true, use: index))
            // One that runs still has no end yet; one that has ended at once has begun before.
            guard run.ending != .running else { continue }
            events.append(Event(at: max(isSure ? run.sureEnd : run.end, run.start + 1), isStart: false, use: index))
        }
        // What ends in the same nanosecond has ended before.
        events.sort { ($0.at, $0.isStart ? 1 : 0, $0.use) < ($1.at, $1.isStart ? 1 : 0, $1.use) }
    }

    mutating func look(from: Int64, to: Int64) -> (steps: [AuditedValue.Step], excesses: [AuditedValue.Excess]) {
        var steps: [AuditedValue.Step] = []
        var excesses: [AuditedValue.Excess] = []
        var isOver = false
        func note(_ sweep: AuditSweep, at time: Int64) {
            let step = AuditedValue.Step(at: time, running: sweep.permits, capacity: sweep.capacity)
            if steps.last?.at == time { steps[steps.count - 1] = step } else { steps.append(step) }
            if isOver { excesses[excesses.count - 1].to = time }
            defer { isOver = step.isOver }
            guard step.isOver, let capacity = step.capacity else { return }
            if !isOver {
                excesses.append(
                    AuditedValue.Excess(from: time, to: time, running: 0, capacity: capacity, isSure: true, runs: sweep.namedRuns))
            }
            guard step.running > excesses[excesses.count - 1].running else { return }
            excesses[excesses.count - 1].running = step.running
            (excesses[excesses.count - 1].capacity, excesses[excesses.count - 1].runs) = (capacity, sweep.namedRuns)
        }
        var next = 0
        while next < events.count, events[next].at < from {
            take(events[next])
            next += 1
        }
        note(self, at: from)
        while next < events.count, events[next].at <= to {
            take(events[next])
            note(self, at: events[next].at)
            next += 1
        }
        note(self, at: to)
        return (steps, excesses)
    }

    private var capacity: UInt32? { running.last.flatMap { uses[$0].rule?.capacity } }

    private var namedRuns: [Int] { running.suffix(Self.namedRuns).map { uses[$0].run } }

    private mutating func take(_ event: Event) {
        let place = place(of: event.use)
        if event.isStart {
            running.insert(event.use, at: place)
            permits += uses[event.use].weight
        } else if place < running.count, running[place] == event.use {
            running.remove(at: place)
            permits -= uses[event.use].weight
        }
    }

    /// Where a use stands among those that run, or would.
    private func place(of use: Int) -> Int {
        var (low, high) = (0, running.count)
        while low < high {
            let middle = (low + high) / 2
            if (keys[running[middle]], running[middle]) < (keys[use], use) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

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
