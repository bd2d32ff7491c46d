//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite struct JournalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func log(_ turn: UInt64, _ entries: [UInt8]) -> RestoredRow {
        RestoredRow(turn: TurnNumber(turn), entries: entries, isSlice: false)
    }

    private func slice(_ checkpoint: UInt64, _ entries: [UInt8], last: Bool = false) -> JournalRow.Slice {
        JournalRow.Slice(checkpoint: TurnNumber(checkpoint), entries: entries, isLast: last)
    }

    @Test("durable rows come back in order, with the same front id and a higher epoch")
    func comesBack() throws {
        let first = try RunningJournal(folder.path, wallSeconds: 100, front: 7)
        #expect(try first.restored().isEmpty)
        #expect((first.journal.epoch, first.journal.frontID) == (Epoch(100), FrontID(7)))
        try first.start()
        #expect(first.commit(1, [1, 2, 3]) == .durable(TurnNumber(1)))
        #expect(first.commit(5, []) == .durable(TurnNumber(5)))
        try first.journal.close()

        let second = try RunningJournal(folder.path, wallSeconds: 50, front: 8)
        #expect((second.journal.epoch, second.journal.frontID) == (Epoch(101), FrontID(7)))
        #expect(second.journal.lastTurn == TurnNumber(5))
        #expect(try second.restored() == [log(1, [1, 2, 3]), log(5, [])])
        try second.journal.close()
    }

    @Test("a complete checkpoint comes first, then the rows from its first slice on; older rows are dropped")
    func checkpoint() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        for turn in 1...600 { _ = first.commit(UInt64(turn), [UInt8(turn % 251)]) }
        _ = first.commit(601, [1], slice: slice(601, [11]))
        _ = first.commit(602, [2])
        _ = first.commit(603, [], slice: slice(601, [13], last: true))
        _ = first.commit(604, [4], slice: slice(604, [99]))
        let whole: [RestoredRow] = [
            RestoredRow(turn: TurnNumber(601), entries: [11], isSlice: true),
            RestoredRow(turn: TurnNumber(603), entries: [13], isSlice: true),
            log(601, [1]), log(602, [2]), log(603, []), log(604, [4]),
        ]
        for turn in 605..<700 { _ = first.commit(UInt64(turn), []) }
        try first.journal.close()

        let second = try RunningJournal(folder.path)
        let rows = try second.restored()
        #expect(Array(rows.prefix(6)) == whole)
        #expect(rows.count == 6 + 95)
        try second.journal.close()
        let store = try JournalStore(folder: folder.path, format: Int(JournalRecord.format), migrations: [])
        #expect(try store.records(from: TurnNumber(1)).first?.row.turn == TurnNumber(601))
    }

    @Test("an incomplete checkpoint does not count")
    func incompleteCheckpoint() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        _ = first.commit(1, [1])
        _ = first.commit(2, [2], slice: slice(2, [12]))
        try first.journal.close()
        #expect(try RunningJournal(folder.path).restored() == [log(1, [1]), log(2, [2])])
    }

    @Test("after a higher epoch was recorded nothing more is written")
    func fenced() throws {
        let first = try RunningJournal(folder.path, wallSeconds: 100)
        try first.start()
        #expect(first.commit(1, [1]) == .durable(TurnNumber(1)))
        try first.journal.recordTakeover(by: Epoch(101))
        #expect(first.commit(2, [2]) == .fenced)
        first.journal.append(JournalRow(turn: TurnNumber(3), entries: [3]))
        try first.journal.close()
        #expect(try RunningJournal(folder.path, wallSeconds: 0).restored() == [log(1, [1])])
    }

    @Test("a row that comes again with the same bytes is durable and stands there once, its checkpoint too; what follows it is in order")
    func repeatedRow() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        #expect(first.commit(2, [2]) == .durable(TurnNumber(2)))
        for _ in 0..<2 { #expect(first.commit(4, [4], slice: slice(4, [14], last: true)) == .durable(TurnNumber(4))) }
        #expect(first.commit(5, [5]) == .durable(TurnNumber(5)))
        #expect(first.commit(4, [4], slice: slice(4, [14], last: true)) == .durable(TurnNumber(4)))
        #expect(first.commit(6, [6]) == .durable(TurnNumber(6)))
        try first.journal.close()
        let whole = [RestoredRow(turn: TurnNumber(4), entries: [14], isSlice: true), log(4, [4]), log(5, [5]), log(6, [6])]
        #expect(try RunningJournal(folder.path).restored() == whole)
    }

    @Test("a row that comes again after another front has taken over is fenced, though it is there")
    func repeatedAfterTakeover() throws {
        let first = try RunningJournal(folder.path, wallSeconds: 100)
        try first.start()
        _ = first.commit(1, [1])
        try first.journal.recordTakeover(by: Epoch(101))
        #expect(first.commit(1, [1]) == .fenced)
        try first.journal.close()
    }

    @Test("several rows may be handed over at once: they become durable in their order")
    func rowsUnderWay() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        for turn in UInt64(1)...4 { first.journal.append(JournalRow(turn: TurnNumber(turn), entries: [UInt8(turn)])) }
        for turn in UInt64(1)...4 { #expect(first.nextEvent() == .durable(TurnNumber(turn))) }
        try first.journal.close()
        #expect(try RunningJournal(folder.path).restored() == (1...4).map { log($0, [UInt8($0)]) })
    }

    @Test("a turn that is there with other bytes is damage: it ends the journal, and what is there stays")
    func repeatedTurn() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        _ = first.commit(2, [2])
        guard case .failed(let cause) = first.commit(2, [3]) else {
            Issue.record("the same turn was written twice")
            return
        }
        #expect(cause.text.contains("turn 2 is there with other bytes"))
        try first.journal.close()
        #expect(try RunningJournal(folder.path).restored() == [log(2, [2])])
    }

    @Test("a second process or connection cannot open the journal")
    func exclusive() throws {
        let first = try RunningJournal(folder.path)
        #expect { try RunningJournal(folder.path) } throws: { ($0 as? JournalError)?.code == .inUse }
        try first.journal.close()
    }

    @Test("a migration copies the file before it changes it")
    func migration() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        _ = first.commit(1, [1])
        try first.journal.close()
        let step = JournalMigration(from: Int(JournalRecord.format)) { try $0.execute(sql: "CREATE TABLE added (id INTEGER PRIMARY KEY)") }
        let migrated = try JournalStore(folder: folder.path, format: Int(JournalRecord.format) + 1, migrations: [step])
        #expect(try migrated.queue.read { try $0.tableExists("added") })
        try migrated.queue.close()
        let copied = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: folder.path + "/journal.sqlite.format-\(JournalRecord.format)", toPath: copied.path + "/journal.sqlite")
        #expect(try RunningJournal(copied.path).restored() == [log(1, [1])])
    }

    @Test("a journal that has no room for its reserve begins with full")
    func noRoomForBallast() throws {
        let journal = try SQLiteJournal.open(
            folder: folder.path, wallSeconds: 1, newFrontID: FrontID(1), ballastByteCount: 1 << 60)
        let signal = DispatchSemaphore(value: 0)
        try journal.start { signal.signal() }
        signal.wait()
        #expect(journal.nextEvent() == .full)
        try journal.close()
    }

    @Test("a reserve that something else than room keeps from being made is no full disk: the start ends with what it is")
    func noBallast() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/ballast/stranger", withIntermediateDirectories: true)
        let error = #expect(throws: JournalError.self) { try RunningJournal(folder.path) }
        #expect(error?.code == .unusable && error?.path == folder.path + "/ballast", "\(String(describing: error))")
    }

    @Test("where the whole reserve finds no room a little is held, which is given up like it")
    func littleBallast() throws {
        let ballast = Ballast(path: folder.path + "/ballast", byteCount: 1 << 60)
        #expect(try !ballast.make())
        let size = try FileManager.default.attributesOfItem(atPath: ballast.path)[.size] as? NSNumber
        #expect(size?.intValue == 4 << 20)
        ballast.release()
        #expect(!FileManager.default.fileExists(atPath: ballast.path))
    }
}
