//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// Jobs whose outcomes are awaited, and when each is asked for if it does not come by itself.
struct OutcomeWatch: Sendable {
    private struct Due: Sendable {
        var at: MonotonicTime
        var job: UInt64
    }

    private var expected: Set<UInt64> = []
    /// One line for each length of pause: inside a line the times only grow, so nothing is ever sorted.
    private var lines: [Deque<Due>]
    private let pauses: [Duration]
    private let limit: Int

    init(_ settings: SessionSettings) {
        var backoff = Backoff(first: settings.firstOutcome, longest: settings.longestOutcome)
        var pauses: [Duration] = [backoff.next()]
        while let last = pauses.last, last < settings.longestOutcome { pauses.append(backoff.next()) }
        self.pauses = pauses
        self.lines = Array(repeating: [], count: pauses.count)
        self.limit = settings.outcomeLimit
    }

    var isFull: Bool { expected.count >= limit }
    var isEmpty: Bool { expected.isEmpty }

    /// Awaits a job's outcome, to be asked for after the first pause.
    mutating func expect(_ job: JobID, at now: MonotonicTime) {
        guard expected.insert(job.rawValue).inserted else { return }
        lines[0].append(Due(at: now.advanced(by: pauses[0]), job: job.rawValue))
    }

    /// Takes an outcome; false when nobody awaits it.
    mutating func finish(_ job: JobID) -> Bool { expected.remove(job.rawValue) != nil }

    /// Makes every missing outcome due at once, after a reconnect.
    mutating func makeAllDue(at now: MonotonicTime) {
        for index in lines.indices { lines[index].removeAll() }
        // Sorted, since the order of a set differs at each start, and the first asked is the first answered.
        for job in expected.sorted() { lines[0].append(Due(at: now, job: job)) }
    }

    /// Awaits a job whose end may lie in the past: asked for at once.
    mutating func expectEarlier(_ job: JobID, at now: MonotonicTime) {
        guard expected.insert(job.rawValue).inserted else { return }
        // In front, because the times of a line must only grow.
        lines[0].prepend(Due(at: now, job: job.rawValue))
    }

    /// Gives up all that is awaited and names it, in order of acceptance.
    mutating func drain() -> [JobID] {
        defer { expected.removeAll() }
        for index in lines.indices { lines[index].removeAll() }
        return expected.sorted().map { JobID($0) }
    }

    /// At most `count` missing jobs that are due; each is due again after its next longer pause.
    mutating func takeDue(at now: MonotonicTime, atMost count: Int) -> [JobID] {
        var jobs: [JobID] = []
        for index in lines.indices {
            while jobs.count < count, let head = lines[index].first, head.at <= now || !expected.contains(head.job) {
                lines[index].removeFirst()
                guard expected.contains(head.job) else { continue }
                let next = min(index + 1, lines.count - 1)
                lines[next].append(Due(at: now.advanced(by: pauses[next]), job: head.job))
                jobs.append(JobID(head.job))
            }
        }
        return jobs
    }

    /// When the next missing one is due; entries of outcomes that came are dropped on the way.
    mutating func nextDue() -> MonotonicTime {
        var next = MonotonicTime.distantFuture
        for index in lines.indices {
            while let head = lines[index].first, !expected.contains(head.job) { lines[index].removeFirst() }
            if let head = lines[index].first { next = min(next, head.at) }
        }
        return next
    }
}
