//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Outcomes that the front does not yet have durable, in the order of their report numbers.
struct KeptReports: Hashable, Sendable {
    private struct Kept: Hashable, Sendable {
        var ended: WorkerMessage.Ended
        /// How many renewals had been answered when it was sent last.
        var sentAt: UInt64
        let byteCount: Int
    }

    /// Renewal answers without it after which a report is sent again: one may have been on its way when it was sent.
    static let answersBeforeRepeat: UInt64 = 2
    /// Longest pause between two repetitions, in renewal answers.
    static let longestPause: UInt64 = 32
    /// Bytes of reports that are repeated at once. A front whose disk is full answers renewals and holds all else: it must not be filled
    /// with copies of what it holds already. Any report that becomes durable opens the way for the next ones.
    static let repeatByteCount = 1 << 20
    /// What a row takes beside its result, about.
    private static let rowByteCount = 32

    private var answers: UInt64 = 0
    private var repeatAt: UInt64 = 0
    private var pause = answersBeforeRepeat

    private var reports: Deque<Kept> = []
    private var open = WorkerMessage.Ended(report: 0)
    private var openByteCount = 0
    private var nextReport: UInt64 = 1
    /// Ended jobs that are not durable.
    private(set) var jobCount = 0
    /// Bytes of their results.
    private(set) var byteCount = 0

    var isEmpty: Bool { jobCount == 0 }

    /// Bytes of the report that is being gathered.
    var gatheredByteCount: Int { openByteCount }

    /// Gathers an outcome for this turn's report.
    mutating func gather(
        job: UInt64, lease: UInt64, outcome: Outcome, result: [UInt8] = [], failure: Failure? = nil, feed: FeedResult? = nil
    ) {
        let row = UInt32(open.jobs.count)
        open.jobs.append(job)
        open.leases.append(lease)
        open.outcomes.append(outcome.rawValue)
        open.results.append(result)
        if let failure { open.failures.append(Indexed(index: row, value: failure)) }
        if let feed { open.feedResults.append(Indexed(index: row, value: feed)) }
        let bytes = result.count + (failure?.text.utf8.count ?? 0) + (feed?.detail.count ?? 0) + 64
        openByteCount += bytes
        byteCount += bytes
        jobCount += 1
    }

    /// Numbers and keeps what was gathered; nil if nothing was.
    mutating func close() -> WorkerMessage.Ended? {
        guard !open.jobs.isEmpty else { return nil }
        open.report = nextReport
        nextReport += 1
        reports.append(Kept(ended: open, sentAt: answers, byteCount: openByteCount))
        defer {
            open = WorkerMessage.Ended(report: 0)
            openByteCount = 0
        }
        return open
    }

    /// Numbers and keeps columns as they are.
    mutating func keep(_ ended: WorkerMessage.Ended) -> WorkerMessage.Ended {
        var ended = ended
        ended.report = nextReport
        nextReport += 1
        reports.append(Kept(ended: ended, sentAt: answers, byteCount: ended.results.byteCount))
        byteCount += ended.results.byteCount
        jobCount += ended.jobs.count
        return ended
    }

    /// Forgets a durable report; false if it is not known.
    mutating func settle(_ report: UInt64) -> Bool {
        let index = reports.first?.ended.report == report ? 0 : reports.firstIndex { $0.ended.report == report }
        guard let index else { return false }
        let kept = reports.remove(at: index)
        byteCount -= kept.byteCount
        jobCount -= kept.ended.jobs.count
        pause = Self.answersBeforeRepeat
        repeatAt = min(repeatAt, answers + pause)
        return true
    }

    /// Counts a renewal answer; returns what is to be sent again: the oldest, so many bytes of them. While none becomes durable the pauses
    /// between repetitions double.
    mutating func answered() -> [WorkerMessage.Ended] {
        answers += 1
        guard answers >= repeatAt else { return [] }
        var due: [WorkerMessage.Ended] = []
        var byteCount = 0
        for index in reports.indices where reports[index].sentAt + Self.answersBeforeRepeat <= answers {
            byteCount += reports[index].byteCount + reports[index].ended.jobs.count * Self.rowByteCount
            guard due.isEmpty || byteCount <= Self.repeatByteCount else { break }
            reports[index].sentAt = answers
            due.append(reports[index].ended)
        }
        guard !due.isEmpty else { return [] }
        repeatAt = answers + pause
        pause = min(2 * pause, Self.longestPause)
        return due
    }

    /// Whether an outcome under that lease is kept or being gathered.
    func contains(lease: UInt64) -> Bool {
        open.leases.contains(lease) || reports.contains { $0.ended.leases.contains(lease) }
    }

    /// Adds every job with its lease.
    func appendHeld(to held: inout [WorkerMessage.HeldLease]) {
        for kept in reports { Self.appendHeld(of: kept.ended, to: &held) }
        Self.appendHeld(of: open, to: &held)
    }

    /// Gives every outcome the lease that `body` returns, forgetting it for nil, under new report numbers; outcomes of cancelled leases
    /// become `cancelled`. Reports gather anew: `close` them in pieces.
    mutating func reattach(pieceByteCount: Int, _ body: (_ lease: UInt64) -> (lease: UInt64, isCancelled: Bool)?) -> [WorkerMessage.Ended] {
        _ = close()
        let old = reports
        reports.removeAll(keepingCapacity: true)
        (jobCount, byteCount) = (0, 0)
        (repeatAt, pause) = (0, Self.answersBeforeRepeat)
        var renewed: [WorkerMessage.Ended] = []
        for ended in old.lazy.map(\.ended) {
            for place in ended.results.indices {
                let row = place.row
                guard let verdict = body(ended.leases[row]), let outcome = Outcome(rawValue: ended.outcomes[row]) else { continue }
                if verdict.isCancelled {
                    gather(job: ended.jobs[row], lease: verdict.lease, outcome: .cancelled)
                } else {
                    gather(
                        job: ended.jobs[row], lease: verdict.lease, outcome: outcome, result: Array(ended.results[place]),
                        failure: ended.failures.first { $0.index == UInt32(row) }?.value,
                        feed: ended.feedResults.first { $0.index == UInt32(row) }?.value)
                }
                if openByteCount >= pieceByteCount, let piece = close() { renewed.append(piece) }
            }
        }
        if let piece = close() { renewed.append(piece) }
        return renewed
    }

    private static func appendHeld(of ended: WorkerMessage.Ended, to held: inout [WorkerMessage.HeldLease]) {
        for row in ended.jobs.indices {
            held.append(WorkerMessage.HeldLease(job: JobID(ended.jobs[row]), lease: LeaseID(ended.leases[row])))
        }
    }
}
