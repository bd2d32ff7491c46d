//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
package import GantryModel

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

    /// Rows and bytes that a restart reads at once: so much is in memory beside the state that they make.
    private static let (readRows, readByteCount) = (4_096, 1 << 20)

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
            // A statement by itself is a commit: most rows need no two more around it.
            guard head != nil || cutBelow != nil || !bundles.isEmpty else {
                return JournalCommit(try insert(record, arguments, db), walByteCount: walByteCount(of: blob.count, Self.rowPageCount))
            }
            var commit = JournalCommit(.fenced)
            try db.inTransaction(.immediate) {
                commit.outcome = try insert(record, arguments, db)
                // What comes beside a row that is there already was written with it, in one commit.
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
            // The length alone, since SQLite reads no more than the head of a blob for it.
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
                    try db.cachedStatement(sql: "SELECT turn, record FROM log WHERE turn >= ? ORDER BY turn LIMIT \(Self.readRows)"),
                    arguments: [Int64(bitPattern: turn.rawValue)])
                var (records, bytes): ([JournalRecord], Int) = ([], 0)
                while bytes < Self.readByteCount, let row = try rows.next() {
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
            // Passive: there is no other reader to wait for, and the next commit writes the log from its start.
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

extension JournalStore {
    /// Raises the epoch to max(last + 1, `wallSeconds`), durably; gives an empty journal its front id.
    func beginEpoch(wallSeconds: UInt64, newFrontID: FrontID) throws(JournalError) -> JournalHead {
        do {
            return try queue.writeWithoutTransaction { db in
                var head: JournalHead?
                try db.inTransaction(.immediate) {
                    let next = JournalHead.next(after: try readHead(db), wallSeconds: wallSeconds, newFrontID: newFrontID)
                    try Self.write(next, db)
                    head = next
                    return .commit
                }
                guard let head else { throw JournalError.corrupt(path, "its head was not written") }
                return head
            }
        } catch {
            throw JournalError(error, path: path)
        }
    }

    /// The last turn in the log; none: it is empty.
    func lastTurn() throws(JournalError) -> TurnNumber {
        do {
            return try queue.writeWithoutTransaction { db in
                TurnNumber(UInt64(bitPattern: try Int64.fetchOne(db, sql: "SELECT max(turn) FROM log") ?? 0))
            }
        } catch {
            throw JournalError(error, path: path)
        }
    }

    /// Refuses a journal without turns that were acknowledged.
    func refuseLoss() throws {
        guard let known = JournalMark.position(ofJournal: path) else { return }
        let (last, head) = (try lastTurn(), try queue.writeWithoutTransaction { try readHead($0) })
        if last < known.turn { throw JournalError.shortened(path, "its last turn is \(last), but turn \(known.turn) was acknowledged") }
        let epoch = head?.epoch ?? Epoch(0)
        if epoch < known.epoch { throw JournalError.shortened(path, "its epoch is \(epoch), but epoch \(known.epoch) had begun") }
    }

    /// The head; nil in a journal without any row. A log without a head is damage.
    private func readHead(_ db: Database) throws -> JournalHead? {
        let row = try Row.fetchOne(db, sql: "SELECT front, epoch, checkpoint, checkpoint_end, checksum FROM head")
        guard let row else {
            guard try Int.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM log)") == 0 else {
                throw JournalError.corrupt(path, "its head is gone")
            }
            return nil
        }
        let numbers: [UInt64] = row.databaseValues.map { UInt64(bitPattern: Int64.fromDatabaseValue($0) ?? 0) }
        let head = JournalHead(
            front: FrontID(numbers[0]), epoch: Epoch(numbers[1]), checkpoint: TurnNumber(numbers[2]),
            checkpointEnd: TurnNumber(numbers[3]))
        guard head.checksum == numbers[4] else { throw JournalError.corrupt(path, "its head does not match its checksum") }
        for number in numbers[1...3] where number > JournalBounds.number {
            throw JournalError.corrupt(path, "its head says \(number), and no front comes to such an epoch or turn")
        }
        return head
    }

    static func write(_ head: JournalHead, _ db: Database) throws {
        let numbers = [
            head.front.rawValue, head.epoch.rawValue, head.checkpoint.rawValue, head.checkpointEnd.rawValue, head.checksum,
        ]
        try db.execute(
            sql: "INSERT OR REPLACE INTO head (id, front, epoch, checkpoint, checkpoint_end, checksum) VALUES (1, ?, ?, ?, ?, ?)",
            arguments: StatementArguments(numbers.map { Int64(bitPattern: $0) }))
    }

    /// Closes the file; SQLite then empties and removes the WAL.
    func close() throws(JournalError) {
        do { try queue.close() } catch { throw JournalError(error, path: path) }
    }
}

// Bundles of ended jobs: a table of their own, written in the commit of the turn that made them.
extension JournalStore {
    /// Writes new bundles and drops forgotten ones.
    /// - Returns: Bytes of those that were written.
    static func change(_ bundles: EndedBundles, _ db: Database) throws -> Int {
        for bundle in bundles.made {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO bundle (number, entries, checksum) VALUES (?, ?, ?)").execute(
                arguments: [number(bundle.number), Data(bundle.entries), checksum(of: bundle.entries)])
        }
        for number in bundles.forgotten {
            try db.cachedStatement(sql: "DELETE FROM bundle WHERE number = ?").execute(arguments: [Self.number(number)])
        }
        return bundles.made.reduce(0) { $0 + $1.entries.count }
    }

    package func entries(of bundle: BundleNumber) -> [UInt8]? {
        let row = try? queue.writeWithoutTransaction { db in
            try Row.fetchOne(
                try db.cachedStatement(sql: "SELECT entries, checksum FROM bundle WHERE number = ?"), arguments: [Self.number(bundle)])
        }
        guard let row, let entries = Data.fromDatabaseValue(row[0]).map({ [UInt8]($0) }) else { return nil }
        return Int64.fromDatabaseValue(row[1]) == Self.checksum(of: entries) ? entries : nil
    }

    private static func number(_ bundle: BundleNumber) -> Int64 { Int64(bitPattern: bundle.rawValue) }

    private static func checksum(of entries: [UInt8]) -> Int64 { Int64(bitPattern: XXH64.hash(entries)) }
}
