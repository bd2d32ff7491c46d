//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite struct DamageTests {
    /// A journal with its rows still in the WAL, as after a power cut, or all in the main file.
    private func makeJournal(closed: Bool) throws -> (TemporaryFolder, [RestoredRow]) {
        let folder = try TemporaryFolder()
        let living = try TemporaryFolder()
        let journal = try RunningJournal(living.path)
        try journal.start()
        for turn in 1...60 {
            let checkpoint = TurnNumber(20)
            let slice =
                (20...22).contains(turn) ? JournalRow.Slice(checkpoint: checkpoint, entries: [UInt8(turn)], isLast: turn == 22) : nil
            _ = journal.commit(UInt64(turn), [UInt8](repeating: UInt8(turn), count: turn * 37 % 900), slice: slice)
        }
        if closed { try journal.journal.close() }
        for name in ["journal.sqlite"] + (closed ? [] : ["journal.sqlite-wal"]) {
            try FileManager.default.copyItem(atPath: living.path + "/" + name, toPath: folder.path + "/" + name)
        }
        if !closed { try journal.journal.close() }
        let whole = try RunningJournal(living.path)
        let rows = try whole.restored()
        try whole.journal.close()
        #expect(rows.count == 3 + 41)
        return (folder, rows)
    }

    /// What opening and reading a copy with changed bytes gives; nil: refused.
    private func read(
        _ folder: TemporaryFolder, changing file: String, _ seed: UInt64, _ change: (inout Data) -> Void
    ) throws -> [RestoredRow]? {
        let copy = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
            if name == file { change(&bytes) }
            try bytes.write(to: URL(fileURLWithPath: copy.path + "/" + name))
        }
        do {
            let journal = try RunningJournal(copy.path)
            let rows = try journal.restored()
            try journal.journal.close()
            return rows
        } catch let error as JournalError {
            // A changed byte may also name a version of the file that SQLite only reads.
            #expect([.corrupt, .newerFormat, .olderFormat, .unusable].contains(error.code), "seed \(seed): \(error)")
            return nil
        }
    }

    /// Flips one to eight bits that the seed chooses.
    private func flipBits(_ bytes: inout Data, _ seed: UInt64) {
        var random = SplitMix64(mixing: seed)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
    }

    @Test("flipped bits in the main file: every row, or a refusal")
    func mainFile() throws {
        let (folder, rows) = try makeJournal(closed: true)
        var refusals = 0
        for seed in 1...UInt64(150) {
            let answer = try read(folder, changing: "journal.sqlite", seed) { flipBits(&$0, seed) }
            #expect(answer == nil || answer == rows, "seed \(seed)")
            if answer == nil { refusals += 1 }
        }
        #expect(refusals > 0)
    }

    @Test("flipped bits in the WAL: every row, a refusal, or all but what a torn last commit could not have kept")
    func wal() throws {
        let (folder, rows) = try makeJournal(closed: false)
        var refusals = 0
        for seed in 1_001...UInt64(1_150) {
            let answer = try read(folder, changing: "journal.sqlite-wal", seed) { flipBits(&$0, seed) }
            #expect(answer == nil || answer == rows || answer == rows.dropLast(), "seed \(seed)")
            if answer == nil { refusals += 1 }
        }
        #expect(refusals > 100)
    }

    @Test("a WAL that ends anywhere, as after a power cut, opens with the rows up to there and none in between")
    func tornWAL() throws {
        let (folder, rows) = try makeJournal(closed: false)
        let log = rows.filter { !$0.isSlice }
        for seed in 2_001...UInt64(2_060) {
            let answer = try read(folder, changing: "journal.sqlite-wal", seed) { bytes in
                var random = SplitMix64(mixing: seed)
                bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
            }
            let turns = (answer ?? []).filter { !$0.isSlice }.map(\.turn.rawValue)
            #expect(turns == Array((turns.first ?? 1)..<((turns.first ?? 1) + UInt64(turns.count))), "seed \(seed)")
            let known = (answer ?? []).filter { $0.turn >= TurnNumber(20) && !$0.isSlice }
            #expect(known == Array(log.prefix(known.count)), "seed \(seed)")
        }
    }

    @Test("a main file that is gone beside its WAL is refused with a hint what to do")
    func mainFileGone() throws {
        let (folder, _) = try makeJournal(closed: false)
        try FileManager.default.removeItem(atPath: folder.path + "/journal.sqlite")
        #expect { try RunningJournal(folder.path) } throws: { error in
            (error as? JournalError)?.code == .corrupt && "\(error)".contains(".recover")
        }
    }

    @Test("a row or a head whose checksum is right is damage if it has a number that no front comes to")
    func untrueNumbers() throws {
        for turn in [UInt64.max, 1 << 63, JournalBounds.number + 1, 0] {
            let record = JournalRecord(row: JournalRow(turn: TurnNumber(turn), entries: []), previous: .none, epoch: Epoch(1))
            let error = #expect(throws: JournalError.self, "\(turn)") {
                try JournalRecord(decoding: record.encoded(), turn: Int64(bitPattern: turn), path: "/journal.sqlite")
            }
            #expect(error?.code == .corrupt && error?.context.contains("no front comes to a turn") == true, "\(turn)")
        }
        let (folder, _) = try makeJournal(closed: true)
        for (epoch, checkpoint) in [(UInt64.max, UInt64(0)), (200, .max)] {
            let queue = try DatabaseQueue(path: folder.path + "/journal.sqlite")
            let head = JournalHead(front: FrontID(7), epoch: Epoch(epoch), checkpoint: TurnNumber(checkpoint))
            try queue.writeWithoutTransaction { try JournalStore.write(head, $0) }
            try queue.close()
            let error = #expect(throws: JournalError.self) { try RunningJournal(folder.path) }
            #expect(error?.code == .corrupt && error?.context.contains("its head says \(UInt64.max)") == true)
        }
    }

    @Test("a file that is no journal at all is refused and left alone")
    func notAJournal() throws {
        let folder = try TemporaryFolder()
        let text = Data("this is not a database, and long enough to be looked at".utf8)
        try text.write(to: URL(fileURLWithPath: folder.path + "/journal.sqlite"))
        #expect { try RunningJournal(folder.path) } throws: { error in
            (error as? JournalError).map { $0.code == .corrupt && !$0.mayPass } == true
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/journal.sqlite")) == text)
    }
}
