//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite("A look at a journal that nobody works on")
struct JournalCheckTests {
    /// The files of a life that was killed: its rows are in the `-wal` file.
    private func killed(rows: UInt64) throws -> TemporaryFolder {
        let (living, folder) = try (TemporaryFolder(), TemporaryFolder())
        let journal = try RunningJournal(living.path)
        try journal.start()
        for turn in 1...rows { _ = journal.commit(turn, [UInt8](repeating: 1, count: 500)) }
        for name in ["journal.sqlite", "journal.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: "\(living.path)/\(name)", toPath: "\(folder.path)/\(name)")
        }
        try journal.journal.close()
        return folder
    }

    @Test("one that has lost its end is told as a front tells it, and nothing is changed")
    func shortened() throws {
        let folder = try killed(rows: 20)
        _ = try #require(JournalMark(journal: folder.path + "/journal.sqlite")).note(.init(epoch: Epoch(100), turn: TurnNumber(21)))
        let before = try content(of: folder)
        let found = #expect(throws: JournalError.self) { try look(at: folder) }
        #expect(try content(of: folder) == before)
        let reported = #expect(throws: JournalError.self) { try RunningJournal(folder.path) }
        #expect(found?.code == .corrupt && found == reported, "\(String(describing: found))")
    }

    private func look(at folder: TemporaryFolder, byteLimit: Int = 1 << 30) throws -> JournalCheck.Finding {
        let scratch = try TemporaryFolder()
        return try JournalCheck.look(at: folder.path, copyingTo: scratch.path, byteLimit: byteLimit)
    }

    private func content(of folder: TemporaryFolder) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let files = try names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\($0)"))) }
        return Dictionary(uniqueKeysWithValues: files)
    }

    @Test("a whole one is good, also with rows that are not in its main file yet, and nothing in its folder changes")
    func good() throws {
        let folder = try killed(rows: 20)
        let before = try content(of: folder)
        #expect(try look(at: folder) == .good)
        #expect(try content(of: folder) == before)
    }

    @Test("where no journal is, none is made")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(try look(at: folder) == .missing)
        #expect(try content(of: folder).isEmpty)
    }

    @Test("one that is too large to be copied is not looked at, and says how large it is")
    func large() throws {
        let folder = try killed(rows: 1)
        let byteCount = try content(of: folder).values.map(\.count).reduce(0, +)
        #expect(try look(at: folder, byteLimit: byteCount - 1) == .notLookedAt(byteCount: byteCount))
        #expect(try look(at: folder, byteLimit: byteCount) == .good)
    }

    @Test("one that cannot be read is the journal's fault, a copy that cannot be written is not")
    func unreadable() throws {
        let folder = try killed(rows: 1)
        let noFolder = folder.path + "/nowhere"
        let finding = try JournalCheck.look(at: folder.path, copyingTo: noFolder)
        #expect(finding == .notCopied("the copy \(noFolder)/journal.sqlite cannot be made"))
        // The first page of a process is never mapped: also root cannot read it.
        let log = folder.path + "/journal.sqlite-wal"
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "/proc/self/mem")
        let fault = #expect(throws: JournalError.self) { try look(at: folder) }
        #expect(fault?.code == .unusable && fault?.path == log)
        #expect(fault?.context.hasPrefix("cannot be read (") == true, "\(String(describing: fault))")
    }

    @Test("a row whose entries cannot be read is damage, told with its turn and the path of the journal itself")
    func unreadableEntries() throws {
        let (folder, scratch) = try (killed(rows: 3), TemporaryFolder())
        var rows = 0
        let found = #expect(throws: JournalError.self) {
            try JournalCheck.look(at: folder.path, copyingTo: scratch.path) { entries in
                rows += 1
                if rows == 2 { throw CocoaError(.coderInvalidValue) }
                #expect(entries.count == 500)
                return []
            }
        }
        #expect(found?.code == .corrupt && found?.path == folder.path + "/journal.sqlite")
        #expect(found?.context.contains("turn 2: ") == true, "\(String(describing: found))")
    }

    @Test("damage is told as a front tells it, with the path of the journal itself")
    func damaged() throws {
        let folder = try killed(rows: 20)
        let path = folder.path + "/journal.sqlite"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        for index in bytes.count / 2..<bytes.count / 2 + 4_096 { bytes[index] = 0x55 }
        try bytes.write(to: URL(fileURLWithPath: path + "-wal"))
        let before = try content(of: folder)
        let found = #expect(throws: JournalError.self) { try look(at: folder) }
        #expect(try content(of: folder) == before)
        let reported = #expect(throws: JournalError.self) { try RunningJournal(folder.path) }
        #expect(found?.code == .corrupt && found == reported, "\(String(describing: found))")
    }

    @Test(
        "a device or a folder in the place of a file is refused at once, by its path", arguments: ["", "-wal", "-acknowledged"],
        [true, false])
    func special(part: String, isDevice: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/journal.sqlite" + part
        if isDevice {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
        } else {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let looked = #expect(throws: JournalError.self) { try look(at: folder) }
        let opened = #expect(throws: JournalError.self) { try RunningJournal(folder.path) }
        for error in [looked, opened] {
            #expect(error?.code == .unusable, "\(String(describing: error))")
            #expect(error?.context.contains("stands at \(path), no file") == true, "\(String(describing: error))")
        }
    }
}
