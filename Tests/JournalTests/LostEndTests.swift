//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite("A journal that has lost its end")
struct LostEndTests {
    private static let names = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-acknowledged"]

    /// The files of a life that was killed after twelve turns: too few to be moved into the main file while nobody waits.
    private func killed() throws -> TemporaryFolder {
        let (living, folder) = try (TemporaryFolder(), TemporaryFolder())
        let journal = try RunningJournal(living.path)
        try journal.start()
        for turn in UInt64(1)...12 { #expect(journal.commit(turn, [UInt8](repeating: 1, count: 500)) == .durable(TurnNumber(turn))) }
        for name in Self.names { try FileManager.default.copyItem(atPath: "\(living.path)/\(name)", toPath: "\(folder.path)/\(name)") }
        try journal.journal.close()
        return folder
    }

    private func change(_ name: String, in folder: TemporaryFolder, _ change: (inout Data) -> Void) throws {
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        var bytes = try Data(contentsOf: file)
        change(&bytes)
        try bytes.write(to: file)
    }

    /// The turns that a next life finds; nil: it refuses the journal, with what to do.
    private func turns(in folder: TemporaryFolder, refused text: String = "its -wal file was cut or lost") throws -> [UInt64]? {
        do {
            let journal = try RunningJournal(folder.path)
            defer { try? journal.journal.close() }
            return try journal.restored().map(\.turn.rawValue)
        } catch let error as JournalError {
            #expect(error.code == .corrupt && !error.mayPass)
            #expect("\(error)".contains(text) && "\(error)".contains("put back the files of one moment"))
            #expect("\(error)".hasSuffix("remove \(folder.path)/journal.sqlite-acknowledged"), "\(error)")
            return nil
        }
    }

    @Test("whole files of a life that was killed are taken, again and again")
    func whole() throws {
        let folder = try killed()
        for _ in 0..<3 { #expect(try turns(in: folder) == Array(1...12)) }
    }

    @Test(
        "a -wal file that was cut anywhere, down to nothing, is refused and not served short", arguments: [0.0, 0.01, 0.3, 0.5, 0.9, 0.999])
    func cut(share: Double) throws {
        let folder = try killed()
        try change("journal.sqlite-wal", in: folder) { $0 = $0.prefix(Int(Double($0.count) * share)) }
        #expect(try turns(in: folder) == nil)
    }

    @Test("a -wal file that is gone is refused; without its turns the journal goes on once the mark is removed, as is advised")
    func gone() throws {
        let folder = try killed()
        try FileManager.default.removeItem(atPath: folder.path + "/journal.sqlite-wal")
        for _ in 0..<2 { #expect(try turns(in: folder) == nil) }
        try FileManager.default.removeItem(atPath: folder.path + "/journal.sqlite-acknowledged")
        let left = try #require(try turns(in: folder))
        #expect(left.count < 12 && left == Array((1...12).prefix(left.count)))
        #expect(try turns(in: folder) == left)
    }

    @Test("a journal that is gone as a whole beside its mark is refused, as is one of before a life that has begun since")
    func older() throws {
        let folder = try killed()
        #expect(try turns(in: folder) == Array(1...12))
        let main = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/journal.sqlite"))
        #expect(try turns(in: folder) == Array(1...12))
        try main.write(to: URL(fileURLWithPath: folder.path + "/journal.sqlite"))
        #expect(try turns(in: folder) == nil, "its epoch would be used twice")
        // Nothing is made in its place: the next start says the same.
        try FileManager.default.removeItem(atPath: folder.path + "/journal.sqlite")
        for _ in 0..<2 { #expect(try turns(in: folder, refused: "journal.sqlite is missing, though turn 12 was acknowledged") == nil) }
        try Data().write(to: URL(fileURLWithPath: folder.path + "/journal.sqlite"))
        #expect(try turns(in: folder, refused: "journal.sqlite is empty, though turn 12 was acknowledged") == nil)
    }

    @Test("a database of another program is called that")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path + "/journal.sqlite")
        try queue.write { try $0.execute(sql: "CREATE TABLE song (title TEXT)") }
        try queue.close()
        let error = #expect(throws: JournalError.self) { try RunningJournal(folder.path) }
        #expect(error?.code == .corrupt && error?.sentence.contains("not a journal of Gantry") == true, "\(String(describing: error))")
    }

    @Test("a mark of before, as a power cut may leave it, one that is torn, and none tell nothing")
    func silent() throws {
        let folder = try killed()
        let path = folder.path + "/journal.sqlite"
        let known = try #require(JournalMark.position(ofJournal: path))
        #expect(known == JournalMark.Position(epoch: Epoch(100), turn: TurnNumber(12)))
        try #require(JournalMark(journal: path)).note(.init(epoch: known.epoch, turn: TurnNumber(5)))
        #expect(try turns(in: folder) == Array(1...12))
        for index in 0..<24 {
            try change("journal.sqlite-acknowledged", in: folder) { $0[index] ^= 0x80 }
            #expect(JournalMark.position(ofJournal: path) == nil)
            try change("journal.sqlite-acknowledged", in: folder) { $0[index] ^= 0x80 }
        }
        try change("journal.sqlite-acknowledged", in: folder) { $0 = $0.prefix(23) }
        #expect(try turns(in: folder) == Array(1...12))
        try FileManager.default.removeItem(atPath: folder.path + "/journal.sqlite-acknowledged")
        #expect(try turns(in: folder) == Array(1...12))
        #expect(JournalMark.position(ofJournal: path)?.turn == TurnNumber(12), "each life writes it anew")
    }
}
