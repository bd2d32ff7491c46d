//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import GantryPackedColumns

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
        // Reports become durable in order, so it is nearly always the first.
        let index = reports.first?.ended.report == report ? 0 : reports.firstIndex { $0.ended.report == report }
        guard let index else { return false }
        let retained = reports.remove(at: index)
        byteCount -= retained.byteCount
        jobCount -= retained.ended.jobs.count
        pause = Self.answersBeforeRepeat
        // The front takes reports again: the long pauses of a full disk end with that.
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
            // One at least, so that a report larger than the bound is repeated, too.
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
                // Without its result: nobody may see it any more, and it would only take room.
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

/// One ended job of a report.
struct EndedRow: Hashable, Sendable {
    var job: UInt64
    var lease: UInt64
    var outcome: Outcome
    var result: ArraySlice<UInt8> = []
    var failure: Failure?
    var feed: FeedResult?
    /// Of a snoozed job: after how many milliseconds it is to be run again.
    var snooze: UInt64 = 0
    /// Lines that it has written and that were not sent before.
    var log = JobLog()

    /// What a row takes in a report beside its result, failure and feed result: two ids, the outcome, the length.
    static let byteCount = 27
    /// What the time of a snooze takes there.
    static let snoozeByteCount = 12

    /// No fewer bytes than it takes in a report.
    var greatestByteCount: Int {
        Self.byteCount + result.count + (failure?.greatestByteCount ?? 0) + (feed?.greatestByteCount ?? 0)
            + (outcome == .snoozed ? Self.snoozeByteCount : 0) + (log.isEmpty ? 0 : log.roughByteCount)
    }
}

extension WorkerMessage.Ended {
    /// What a report takes beside its rows.
    static let headByteCount = 96

    /// No fewer bytes than it takes in an envelope: the one measure of a report, whether it is gathered, split or sent.
    var greatestByteCount: Int {
        Self.headByteCount + jobs.count * EndedRow.byteCount + results.byteCount
            + snoozes.count * EndedRow.snoozeByteCount + failures.reduce(0) { $0 + $1.value.greatestByteCount }
            + feedResults.reduce(0) { $0 + $1.value.greatestByteCount } + logs.reduce(0) { $0 + $1.value.roughByteCount }
    }

    mutating func append(_ row: EndedRow) {
        let index = UInt32(jobs.count)
        jobs.append(row.job)
        leases.append(row.lease)
        outcomes.append(row.outcome)
        results.append(row.result)
        if let failure = row.failure { failures.append(Indexed(index: index, value: failure)) }
        if row.outcome == .snoozed { snoozes.append(row.snooze) }
        if !row.log.isEmpty { logs.append(Indexed(index: index, value: row.log)) }
        if let feed = row.feed { feedResults.append(Indexed(index: index, value: feed)) }
    }

    /// Goes over its rows in order; results are not copied. What only few rows have stands in the order of the rows.
    func forEachRow(_ body: (EndedRow) -> Void) {
        var (nextFailure, nextFeed, nextSnooze, nextLog) = (failures[...], feedResults[...], snoozes[...], logs[...])
        for place in results.indices {
            let index = UInt32(place.row)
            var row = EndedRow(job: jobs[place.row], lease: leases[place.row], outcome: outcomes[place.row], result: results[place])
            if row.outcome == .snoozed { row.snooze = nextSnooze.popFirst() ?? 0 }
            if nextFailure.first?.index == index { row.failure = nextFailure.popFirst()?.value }
            if nextLog.first?.index == index { row.log = nextLog.popFirst()?.value ?? JobLog() }
            if nextFeed.first?.index == index { row.feed = nextFeed.popFirst()?.value }
            body(row)
        }
    }
}

extension Failure {
    /// No fewer bytes than it takes in a report.
    fileprivate var greatestByteCount: Int { Self.numbersByteCount + roughByteCount }

    /// Its id, counts, instants and the tags of all its fields.
    private static var numbersByteCount: Int { 128 }
}

extension FeedResult {
    /// The same for what a feed's job made: three references beside the texts.
    fileprivate var greatestByteCount: Int { Self.referencesByteCount + detail.count + (itemID?.utf8.count ?? 0) }

    /// Three references of some 60 bytes, the source of 64 at most, and much room: an outcome too many in a frame loses all of them.
    private static var referencesByteCount: Int { 1_024 }
}

extension WorkerMessage {
    /// No fewer bytes than the message takes in an envelope.
    var greatestByteCount: Int {
        switch self {
        case .register(let registration):
            Self.registrationByteCount + registration.name.utf8.count + Self.heldByteCount * registration.held.count
                + Self.rowByteCount * registration.loaders.count
        case .renewal(_, let numbers, _), .overdue(let numbers): Self.fixedByteCount + MemoryLayout<UInt64>.size * numbers.count
        case .progress(let reports):
            reports.reduce(Self.fixedByteCount) { $0 + Self.rowByteCount + $1.progress.message.utf8.count + $1.progress.unit.utf8.count }
        case .ended(let ended): ended.greatestByteCount
        case .log(let reports): reports.reduce(Self.fixedByteCount) { $0 + Self.rowByteCount + $1.log.roughByteCount }
        case .refusedGrants(let refused):
            Self.rowByteCount + MemoryLayout<UInt64>.size * refused.leases.count + refused.reason.utf8.count
        case .cancelStep, .draining, .close, .unknown, .unreadable: Self.fixedByteCount
        }
    }

    // No fewer than the numbers, tags and lengths of each take: what is counted too low would make a frame that the front does not read.

    /// A message with a few numbers.
    private static var fixedByteCount: Int { 48 }
    /// A row with a lease, some numbers and short texts: a progress report, or a loader with a name of 63 bytes.
    private static var rowByteCount: Int { 96 }
    /// A registration with its secret, token and process.
    private static var registrationByteCount: Int { 256 }
    /// A held job and its lease.
    private static var heldByteCount: Int { 32 }
}
