//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

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
