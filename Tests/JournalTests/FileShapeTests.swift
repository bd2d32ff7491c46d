//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite("The journal's file")
struct FileShapeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/journal.sqlite" }

    private func pageByteCount() throws -> Int? {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "PRAGMA page_size") }
    }

    @Test("a new file has pages of 16 KiB")
    func newFile() throws {
        let journal = try RunningJournal(folder.path)
        try journal.start()
        _ = journal.commit(1, [1])
        try journal.journal.close()
        #expect(try pageByteCount() == 16_384)
    }

    @Test("a file with pages of 4 KiB, as they were before, is read, written on over several rounds, and read again")
    func oldFile() throws {
        try makeOldFile(rowCount: 20)
        let first = try RunningJournal(folder.path, wallSeconds: 0)
        #expect((first.journal.frontID, first.journal.epoch, first.journal.lastTurn) == (FrontID(9), Epoch(41), TurnNumber(20)))
        #expect(try first.restored().map(\.turn.rawValue) == Array(1...20))
        try first.start()
        for turn in UInt64(21)...140 { #expect(first.commit(turn, bytes(turn)) == .durable(TurnNumber(turn))) }
        try first.journal.close()
        let second = try RunningJournal(folder.path, wallSeconds: 0)
        let rows = try second.restored()
        #expect(rows.map(\.turn.rawValue) == Array(1...140))
        #expect(rows.allSatisfy { $0.entries == bytes($0.turn.rawValue) })
        try second.journal.close()
        #expect(try pageByteCount() == 4_096)
    }

    private func bytes(_ turn: UInt64) -> [UInt8] { [UInt8](repeating: UInt8(turn % 251), count: turn <= 20 ? 900 : 80_000) }

    /// What the first versions wrote: pages as SQLite makes them by itself.
    private func makeOldFile(rowCount: UInt64) throws {
        let head = JournalHead(front: FrontID(9), epoch: Epoch(40))
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL;")
            try db.execute(
                sql: """
                    CREATE TABLE head (
                        id INTEGER PRIMARY KEY CHECK (id = 1), front INTEGER NOT NULL, epoch INTEGER NOT NULL,
                        checkpoint INTEGER NOT NULL, checkpoint_end INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
                    CREATE TABLE log (turn INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT;
                    CREATE TABLE bundle (number INTEGER PRIMARY KEY, facts BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
                    PRAGMA user_version = \(JournalRecord.format);
                    """)
            try JournalStore.write(head, db)
            for turn in 1...rowCount {
                let row = JournalRow(turn: TurnNumber(turn), entries: bytes(turn))
                let record = JournalRecord(row: row, previous: TurnNumber(turn - 1), epoch: head.epoch)
                try db.execute(
                    sql: "INSERT INTO log (turn, record) VALUES (?, ?)", arguments: [Int64(turn), Data(record.encoded())])
            }
        }
        try queue.close()
    }

    @Test("a large file is not read as a whole before it is used, a small one is")
    func bounded() async throws { try await onOwnThread { try Self.countBytes() } }

    private static func countBytes() throws {
        let folder = try TemporaryFolder()
        let journal = try RunningJournal(folder.path)
        try journal.start()
        _ = journal.commit(1, [1])
        try journal.journal.close()
        let most = 4 << 20
        #expect(try bytesRead(byOpening: folder) < most)
        // Something in the file that no start has to look at.
        try grow(folder, to: JournalStore.checkByteLimit / 2)
        #expect(try bytesRead(byOpening: folder) > JournalStore.checkByteLimit / 2)
        try grow(folder, to: JournalStore.checkByteLimit * 3 / 2)
        #expect(try bytesRead(byOpening: folder) < most)
    }

    private static func grow(_ folder: TemporaryFolder, to byteCount: Int) throws {
        let queue = try DatabaseQueue(path: folder.path + "/journal.sqlite")
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS ballast (bytes BLOB)")
            let present = try Int.fetchOne(db, sql: "SELECT coalesce(sum(length(bytes)), 0) FROM ballast") ?? 0
            try db.execute(sql: "INSERT INTO ballast VALUES (zeroblob(?))", arguments: [byteCount - present])
        }
        try queue.close()
    }

    private static func bytesRead(byOpening folder: TemporaryFolder) throws -> Int {
        let probe = try ChildProgram([KillTests.probe, "open", folder.path])
        let line = try probe.nextLine()
        _ = try probe.exit()
        return try #require(line.flatMap { Int($0) })
    }
}
