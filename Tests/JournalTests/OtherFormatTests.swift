//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite("Journals of other formats")
struct OtherFormatTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/journal.sqlite" }

    /// Puts a journal there as a script makes it; where its front was killed, all of it is still in the `-wal` file.
    private func make(_ script: String, isKilled: Bool = false) throws {
        let elsewhere = try TemporaryFolder()
        let queue = try DatabaseQueue(path: elsewhere.path + "/journal.sqlite")
        try queue.writeWithoutTransaction { try $0.execute(sql: script) }
        if !isKilled { try queue.close() }
        for name in try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) {
            try FileManager.default.copyItem(atPath: "\(elsewhere.path)/\(name)", toPath: "\(folder.path)/\(name)")
        }
        // What lay beside it: the ballast, and what was acknowledged.
        try Data([0, 0, 0]).write(to: URL(fileURLWithPath: folder.path + "/ballast"))
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + "-acknowledged"))
        if isKilled { try queue.close() }
    }

    /// The bytes of every file there.
    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        return contents
    }

    /// What opening says.
    private func fault() -> JournalError? {
        do {
            let journal = try RunningJournal(folder.path)
            _ = try journal.restored()
            try journal.journal.close()
            return nil
        } catch { return error as? JournalError }
    }

    @Test(
        "one that an earlier version wrote is refused by name with what to do, and none of its files is touched, also after a kill",
        arguments: OldJournal.formats, [false, true])
    func older(format: Int, isKilled: Bool) throws {
        try make(OldJournal.script(format: format), isKilled: isKilled)
        let before = try contents()
        #expect(before.keys.contains("journal.sqlite-wal") == isKilled && before.keys.contains("journal.sqlite-shm") == isKilled)
        for _ in 0..<2 {
            let refusal = try #require(fault())
            #expect(refusal.code == .olderFormat && !refusal.mayPass)
            #expect(
                refusal.description == """
                    journal \(path): format \(format) was written by an older gantry, this one reads format \(JournalRecord.format); nothing was \
                    changed. Let the older one end its jobs, then move the folder away to begin without it
                    """)
            #expect(try contents() == before)
        }
    }

    @Test("a newer one is refused by name, and none of its files is touched, also after a kill", arguments: [false, true])
    func newer(isKilled: Bool) throws {
        let format = Int(JournalRecord.format) + 1
        try make(OldJournal.script(format: format), isKilled: isKilled)
        let before = try contents()
        let refusal = try #require(fault())
        #expect(refusal.code == .newerFormat && !refusal.mayPass)
        #expect(
            refusal.description == """
                journal \(path): format \(format) was written by a newer gantry; this one reads up to format \(JournalRecord.format). Start the \
                newer one
                """)
        #expect(try contents() == before)
    }

    @Test("where SQLite takes a torn change of the format back when it opens the file, the format before is refused", arguments: [1, -2])
    func takenBack(difference: Int) throws {
        let format = Int(JournalRecord.format) + difference
        let elsewhere = try TemporaryFolder()
        let torn = elsewhere.path + "/journal.sqlite"
        let queue = try DatabaseQueue(path: torn)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: OldJournal.script(format: format))
            try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; PRAGMA user_version = \(JournalRecord.format)")
            // More than the cache holds, so that the rollback journal is on the disk before the end.
            for turn in 1_001...1_200 { try db.execute(sql: "INSERT INTO log VALUES (?, zeroblob(3000))", arguments: [turn]) }
            try FileManager.default.copyItem(atPath: torn + "-journal", toPath: path + "-journal")
            try db.execute(sql: "COMMIT")
        }
        try queue.close()
        try FileManager.default.copyItem(atPath: torn, toPath: path)
        #expect(fault()?.code == (difference > 0 ? .newerFormat : .olderFormat))
    }

    @Test("what an earlier version wrote is read by it to the end: the script is a whole journal", arguments: OldJournal.formats)
    func whole(format: Int) throws {
        try make(OldJournal.script(format: format))
        let queue = try DatabaseQueue(path: path)
        let rows = try queue.read { try Data.fetchAll($0, sql: "SELECT record FROM log ORDER BY turn").map(Array.init) }
        for (index, row) in rows.enumerated() {
            #expect(row[0] == UInt8(format))
            // Under the present number each of them is a row: frame, order and checksum were the same then.
            var present = [JournalRecord.format] + row[1..<row.count - 8]
            LittleEndian.append(XXH64.hash(present), to: &present)
            let record = try JournalRecord(decoding: present, turn: Int64(index + 1), path: path)
            #expect(record.previous == TurnNumber(UInt64(index)) && record.epoch == Epoch(41))
        }
        #expect(rows.count == 3)
    }

    @Test("one of the format before is copied, goes on with all its rows under the present number, and is refused by nobody after that")
    func before() throws {
        let older = JournalRecord.oldestFormat
        let first = try RunningJournal(folder.path)
        try first.start()
        for turn in UInt64(1)...3 { _ = first.commit(turn, [UInt8(turn)]) }
        try first.journal.close()
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            for turn in 1...3 {
                let stored = try #require(try Data.fetchOne(db, sql: "SELECT record FROM log WHERE turn = ?", arguments: [turn]))
                var row = [older] + stored.dropFirst().dropLast(8)
                LittleEndian.append(XXH64.hash(row), to: &row)
                try db.execute(sql: "UPDATE log SET record = ? WHERE turn = ?", arguments: [Data(row), turn])
            }
            try db.execute(sql: "PRAGMA user_version = \(older)")
        }
        try queue.close()
        for round in 0..<2 {
            let next = try RunningJournal(folder.path)
            #expect(try next.restored().count == 3 + round)
            // Said once, when it was done.
            let notice = """
                \(path): upgraded from format \(older) to \(JournalRecord.format); the copy is kept as \(path).format-\(older). Older programs \
                refuse the journal now
                """
            #expect(next.journal.upgradeNotice == (round == 0 ? notice : nil))
            try next.start()
            _ = next.commit(UInt64(4 + round), [9])
            try next.journal.close()
            let copy = try DatabaseQueue(path: path + ".format-\(older)")
            #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM log") } == 3)
            #expect(try copy.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == Int(older))
            try copy.close()
        }
        let raised = try DatabaseQueue(path: path)
        #expect(try raised.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == Int(JournalRecord.format))
        try raised.close()
    }

    @Test(
        "a row of another format in a file of this one is refused by that name and its turn", arguments: [1, 3, JournalRecord.format + 1])
    func row(format: UInt8) throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        for turn in UInt64(1)...3 { _ = first.commit(turn, [UInt8(turn)]) }
        try first.journal.close()
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            let stored = try #require(try Data.fetchOne(db, sql: "SELECT record FROM log WHERE turn = 2"))
            var other = [format] + stored.dropFirst().dropLast(8)
            LittleEndian.append(XXH64.hash(other), to: &other)
            try db.execute(sql: "UPDATE log SET record = ? WHERE turn = 2", arguments: [Data(other)])
        }
        try queue.close()
        let refusal = try #require(fault())
        #expect(refusal.code == (format > JournalRecord.format ? .newerFormat : .olderFormat))
        #expect(refusal.description.contains("the row of turn 2 has format \(format), which was written by"), "\(refusal)")
    }

    @Test(
        "a look at it changes nothing either, and says the same of the folder where it lies", arguments: OldJournal.formats, [false, true])
    func look(format: Int, isKilled: Bool) throws {
        try make(OldJournal.script(format: format), isKilled: isKilled)
        let (before, scratch) = (try contents(), try TemporaryFolder())
        let refusal = #expect(throws: JournalError.self) { try JournalCheck.look(at: folder.path, copyingTo: scratch.path) }
        #expect(refusal?.code == .olderFormat && refusal?.path == path)
        #expect(try contents() == before)
    }
}
