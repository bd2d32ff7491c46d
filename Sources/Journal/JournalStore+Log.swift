//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
package import Model

extension JournalStore: JournalLog {
    /// How much one step of a cut deletes at most.
    private struct CutBound {
        let rowCount: Int
        let byteCount: Int

        /// Beside a row that somebody waits for: more rows than come, so that busy hours leave nothing behind.
        static let besideARow = CutBound(rowCount: 8, byteCount: 256 << 10)
        /// In a commit of its own, which must not be felt by the append behind it.
        static let byItself = CutBound(rowCount: 512, byteCount: 1 << 20)
    }

    /// Pages that a row changes beside those that it fills: the one that it begins in, and the one above or a list of free pages.
    private static let rowPageCount = 2
    /// Pages that a head and a cut change: the head's, the first one, a list of free pages, the edge of the tree. The pages that a few dropped
    /// rows filled are not written (`secure_delete` is off).
    private static let cutPageCount = 6

    package func insert(
        _ record: JournalRecord, bundles: EndedBundles, head: JournalHead?, cutBelow: TurnNumber?
    ) throws(JournalFault) -> JournalCommit {
        let made: JournalCommit
        do { made = try commit(record, bundles, head: head, cutBelow: cutBelow) } catch { throw JournalFault(error) }
        if made.outcome == .written { mark?.note(JournalMark.Position(epoch: record.epoch, turn: record.row.turn)) }
        return made
    }

    private func commit(
        _ record: JournalRecord, _ bundles: EndedBundles, head: JournalHead?, cutBelow: TurnNumber?
    ) throws -> JournalCommit {
        let blob = Data(record.encoded())
        let arguments: StatementArguments = [Int64(bitPattern: record.row.turn.rawValue), blob, Int64(bitPattern: record.epoch.rawValue)]
        return try queue.writeWithoutTransaction { db in
            guard head != nil || cutBelow != nil || !bundles.isEmpty else {
                return JournalCommit(try insert(record, arguments, db), walByteCount: walByteCount(of: blob.count, Self.rowPageCount))
            }
            var commit = JournalCommit(.fenced)
            try db.inTransaction(.immediate) {
                commit.outcome = try insert(record, arguments, db)
                guard commit.outcome == .written else { return .rollback }
                if let head { try Self.write(head, db) }
                let bundledByteCount = try Self.change(bundles, db)
                commit.cutIsDone = try cutBelow.map { try Self.cut(below: $0, atMost: .besideARow, db).isDone } ?? false
                commit.walByteCount = walByteCount(
                    of: blob.count + bundledByteCount,
                    Self.rowPageCount * (1 + bundles.made.count + bundles.forgotten.count) + Self.cutPageCount)
                return .commit
            }
            return commit
        }
    }

    /// What a commit adds to the WAL at most: each page that it changes, whole, below a frame's header of 24 bytes.
    private func walByteCount(of byteCount: Int, _ otherPageCount: Int) -> Int {
        (byteCount / pageByteCount + otherPageCount) * (pageByteCount + 24)
    }

    /// The epoch is compared inside the statement, so no other front can come between the check and the row.
    private func insert(_ record: JournalRecord, _ arguments: StatementArguments, _ db: Database) throws -> JournalInsertion {
        try db.cachedStatement(
            sql: "INSERT INTO log (turn, record) SELECT ?, ? WHERE (SELECT epoch FROM head) <= ? ON CONFLICT (turn) DO NOTHING"
        ).execute(arguments: arguments)
        if db.changesCount == 1 { return .written }
        let (turn, epoch) = (Int64(bitPattern: record.row.turn.rawValue), Int64(bitPattern: record.epoch.rawValue))
        let stored = try Data.fetchOne(
            db, sql: "SELECT record FROM log WHERE turn = ? AND (SELECT epoch FROM head) <= ?", arguments: [turn, epoch])
        guard let stored else { return .fenced }
        let known = try JournalRecord(decoding: Array(stored), turn: turn, path: path)
        if known.row == record.row, known.epoch == record.epoch { return .alreadyThere }
        throw JournalError.corrupt(path, "turn \(record.row.turn) is there with other bytes")
    }

    package func cut(below checkpoint: TurnNumber) throws(JournalFault) -> (isDone: Bool, walByteCount: Int) {
        do { return try cutStep(below: checkpoint) } catch { throw JournalFault(error) }
    }

    private func cutStep(below checkpoint: TurnNumber) throws -> (isDone: Bool, walByteCount: Int) {
        try queue.writeWithoutTransaction { db in
            var cut = (isDone: false, byteCount: 0)
            try db.inTransaction(.immediate) {
                cut = try Self.cut(below: checkpoint, atMost: .byItself, db)
                return .commit
            }
            // Of many small rows some of the pages are written that they filled.
            return (cut.isDone, walByteCount(of: cut.byteCount, Self.cutPageCount))
        }
    }

    /// `isDone`: no row is left below the checkpoint; `byteCount`: of what was dropped.
    private static func cut(
        below checkpoint: TurnNumber, atMost bound: CutBound, _ db: Database
    ) throws -> (isDone: Bool, byteCount: Int) {
        let sizes = try db.cachedStatement(
            sql: "SELECT turn, length(record) FROM log WHERE turn < ? ORDER BY turn LIMIT ?")
        let rows = try Row.fetchCursor(sizes, arguments: [Int64(bitPattern: checkpoint.rawValue), bound.rowCount])
        var (last, count, bytes): (Int64?, Int, Int) = (nil, 0, 0)
        while bytes < bound.byteCount, let row = try rows.next() {
            last = row[0]
            count += 1
            bytes += row[1] ?? 0
        }
        guard let last else { return (true, 0) }
        try db.cachedStatement(sql: "DELETE FROM log WHERE turn <= ?").execute(arguments: [last])
        return (count < bound.rowCount && bytes < bound.byteCount, bytes)
    }

    package func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord] {
        do {
            return try queue.writeWithoutTransaction { db in
                let rows = try Row.fetchCursor(
                    try db.cachedStatement(sql: "SELECT turn, record FROM log WHERE turn >= ? ORDER BY turn LIMIT 4096"),
                    arguments: [Int64(bitPattern: turn.rawValue)])
                var (records, bytes): ([JournalRecord], Int) = ([], 0)
                while bytes < 1 << 20, let row = try rows.next() {
                    guard let turn = Int64.fromDatabaseValue(row[0]), let blob = Data.fromDatabaseValue(row[1]) else {
                        throw JournalError.corrupt(path, "a row of the log has a wrong type")
                    }
                    records.append(try JournalRecord(decoding: Array(blob), turn: turn, path: path))
                    bytes += blob.count
                }
                return records
            }
        } catch {
            throw JournalError(error, path: path)
        }
    }

    package func emptyWAL() throws(JournalFault) {
        do {
            try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
        } catch {
            throw JournalFault(error)
        }
    }

    /// Records the epoch of a front that took over.
    func recordTakeover(by epoch: Epoch) throws {
        try queue.writeWithoutTransaction { db in
            guard var head = try readHead(db) else { return }
            head.epoch = epoch
            try Self.write(head, db)
        }
    }
}
