//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// Outcomes that the front does not yet have durable, in the order of their report numbers.
struct RetainedReports: Hashable, Sendable {
    private struct Retained: Hashable, Sendable {
        var ended: WorkerMessage.Ended
        /// How many renewals had been answered when it was sent last.
        var sentAt: UInt64
        let byteCount: Int
    }

    /// Renewal answers without it after which a report is sent again: one may have been on its way when it was sent.
    static let answersBeforeRepeat: UInt64 = 2
    /// Longest pause between two repetitions, in renewal answers: half a minute at one renewal a second.
    static let longestPause: UInt64 = 32
    /// Bytes of reports that are repeated at once. A front whose disk is full answers renewals and holds all else: it must not be filled
    /// with copies of what it holds already. Any report that becomes durable opens the way for the next ones.
    static let repeatByteCount = 1 << 20

    private var answers: UInt64 = 0
    private var repeatAt: UInt64 = 0
    private var pause = answersBeforeRepeat

    /// Bytes of one report beyond which another is begun; a row that alone has more has a report of its own.
    private let reportByteCount: Int
    private var reports: Deque<Retained> = []
    private var open = WorkerMessage.Ended(report: 0)
    private var openByteCount = WorkerMessage.Ended.headByteCount
    /// Those of the reports that have not been taken to be sent.
    private var closed: [WorkerMessage.Ended] = []
    private var nextReport: UInt64 = 1
    /// Ended jobs that are not durable.
    private(set) var jobCount = 0
    /// Bytes of their reports.
    private(set) var byteCount = 0

    init(reportByteCount: Int) { self.reportByteCount = reportByteCount }

    var isEmpty: Bool { jobCount == 0 }

    /// Gathers an outcome for this turn's reports.
    mutating func gather(
        job: UInt64, lease: UInt64, log: JobLog = JobLog(), outcome: Outcome, result: [UInt8] = [], failure: Failure? = nil,
        feed: FeedResult? = nil, snooze: Duration = .zero
    ) {
        let pause = UInt64(clamping: snooze.millisecondsRoundedUp)
        gather(
            EndedRow(job: job, lease: lease, outcome: outcome, result: result[...], failure: failure, feed: feed, snooze: pause, log: log))
    }

    private mutating func gather(_ row: EndedRow) {
        let rowByteCount = row.greatestByteCount
        if !open.jobs.isEmpty, openByteCount + rowByteCount > reportByteCount { closeOpen() }
        open.append(row)
        openByteCount += rowByteCount
        byteCount += rowByteCount
        jobCount += 1
    }

    /// The same for columns, which have a report of their own, or as many as they need.
    mutating func gather(_ ended: WorkerMessage.Ended) {
        closeOpen()
        let endedByteCount = ended.greatestByteCount
        if endedByteCount <= reportByteCount {
            // As they are: thousands of rows are not copied one by one.
            (open, openByteCount) = (ended, endedByteCount)
            byteCount += endedByteCount - WorkerMessage.Ended.headByteCount
            jobCount += ended.jobs.count
        } else {
            ended.forEachRow { gather($0) }
        }
        closeOpen()
    }

    /// Numbers and keeps what was gathered; what there is to be sent.
    mutating func close() -> [WorkerMessage.Ended] {
        closeOpen()
        defer { closed.removeAll() }
        return closed
    }

    private mutating func closeOpen() {
        guard !open.jobs.isEmpty else { return }
        open.report = nextReport
        nextReport += 1
        reports.append(Retained(ended: open, sentAt: answers, byteCount: openByteCount - WorkerMessage.Ended.headByteCount))
        closed.append(open)
        (open, openByteCount) = (WorkerMessage.Ended(report: 0), WorkerMessage.Ended.headByteCount)
    }

    /// Forgets a durable report; false if it is not known.
    mutating func acknowledge(_ report: UInt64) -> Bool {
        let index = reports.first?.ended.report == report ? 0 : reports.firstIndex { $0.ended.report == report }
        guard let index else { return false }
        let retained = reports.remove(at: index)
        byteCount -= retained.byteCount
        jobCount -= retained.ended.jobs.count
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
            byteCount += reports[index].byteCount
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
        for retained in reports { Self.appendHeld(of: retained.ended, to: &held) }
        Self.appendHeld(of: open, to: &held)
    }

    /// Gives every outcome the lease that `body` returns, forgetting it for nil; outcomes of cancelled leases become `cancelled`. They are
    /// gathered anew, for reports of new numbers.
    mutating func reregister(_ body: (_ lease: UInt64) -> (lease: UInt64, isCancelled: Bool)?) {
        closeOpen()
        let old = reports
        reports.removeAll(keepingCapacity: true)
        closed.removeAll()
        (jobCount, byteCount) = (0, 0)
        (repeatAt, pause) = (0, Self.answersBeforeRepeat)
        for ended in old.lazy.map(\.ended) {
            ended.forEachRow { row in
                guard let decision = body(row.lease) else { return }
                if decision.isCancelled { return gather(job: row.job, lease: decision.lease, outcome: .cancelled) }
                var row = row
                row.lease = decision.lease
                gather(row)
            }
        }
    }

    private static func appendHeld(of ended: WorkerMessage.Ended, to held: inout [WorkerMessage.HeldLease]) {
        for row in ended.jobs.indices {
            held.append(WorkerMessage.HeldLease(job: JobID(ended.jobs[row]), lease: LeaseID(ended.leases[row])))
        }
    }
}
