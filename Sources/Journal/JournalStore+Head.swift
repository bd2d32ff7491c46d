//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GRDB
import Model

extension JournalStore {
    /// Raises the epoch to max(last + 1, `wallSeconds`), durably; gives an empty journal its front id.
    func beginLife(wallSeconds: UInt64, newFrontID: FrontID) throws(JournalError) -> JournalHead {
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
    func readHead(_ db: Database) throws -> JournalHead? {
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
