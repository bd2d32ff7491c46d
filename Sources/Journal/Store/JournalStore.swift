//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CJournal
import Foundation
import GRDB
import GantryModel
import GantryPlatform

/// The one connection to `journal.sqlite`: WAL, every commit fsynced, the file locked against every other process.
///
/// `synchronous = EXTRA`, since the file becomes a WAL database under a rollback journal: FULL does not sync that journal's removal, and
/// a power cut could bring it back, and with it the empty file from before the first commit. In WAL mode both are the same.
/// `secure_delete = OFF`, which Debian builds SQLite with: else each dropped row is written twice more, as zeros, to the log and to the file.
/// `wal_autocheckpoint = 0`: `JournalWriter` empties the log when nobody waits. `mmap_size = 0`: a read error of a mapped page is a signal that
/// ends the process, not an error of a call.
/// `journal_size_limit`: a log that grew while it could not be emptied gives its room back. `locking_mode` comes first, because SQLite
/// then needs no `-shm` file, and `page_size` before the mode, since it is fixed from then on.
/// One connection because SQLite before 3.51.3 can damage a WAL database that two connections write or checkpoint at once.
/// The table `log` has the turn as its row id and one blob per turn (`JournalRecord`), and no other index; `head` has one row.
package struct JournalStore: Sendable {
    static let fileName = "journal.sqlite"

    /// Pages of a new file: a page is what a changed byte costs, in the WAL and again in the file, and a row of a busy turn fills many. A file
    /// keeps the pages that it was made with.
    private static let newPageByteCount = 16_384
    /// Up to which size every page of a file is looked at before it is used: 64 MiB take some 50 ms. Nobody is answered meanwhile, and workers
    /// end their work after 2 s of that; so in a larger file only the rows that are read are checked, each by its own sum and its place.
    static let checkByteLimit = 64 << 20

    let queue: DatabaseQueue
    package let path: String
    /// Bytes of a page of this file.
    let pageByteCount: Int
    /// The format that the file had before it was opened, where that was an older one.
    private(set) var formatBefore: Int?
    /// What is acknowledged, beside the file.
    private(set) var mark: JournalMark?

    /// Opens or creates the file, and refuses a damaged one.
    ///
    /// - Throws: `JournalError`, with nothing changed if the file is damaged, newer, or so old that no step leads from it.
    init(folder: String, format: Int, migrations: [JournalMigration]) throws(JournalError) {
        path = folder + "/" + Self.fileName
        let newest = try Self.prepare(folder: folder, path: path)
        try Self.refuseOther(than: format, path: path, newest: newest, migrations)
        var configuration = Configuration()
        configuration.label = "gantry.journal"
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA synchronous = EXTRA;
                    PRAGMA page_size = \(Self.newPageByteCount);
                    PRAGMA journal_mode = WAL;
                    PRAGMA wal_autocheckpoint = 0;
                    PRAGMA journal_size_limit = \(2 * WALRound.byteLimit);
                    PRAGMA mmap_size = 0;
                    PRAGMA secure_delete = OFF;
                    """)
        }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            let found: Int
            (found, pageByteCount) = try queue.writeWithoutTransaction { [path] db in
                (try Self.check(db, path: path, format: format, migrations), try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4_096)
            }
            try refuseLoss()
            if let steps = JournalMigration.steps(from: found, to: format, of: migrations), !steps.isEmpty {
                try migrate(from: found, to: format, by: steps)
                formatBefore = found
            }
            try queue.writeWithoutTransaction(Self.beginWAL)
            mark = JournalMark(journal: path)
        } catch {
            throw JournalError(error, path: folder + "/" + Self.fileName)
        }
    }

    /// Makes the folder, durably, and looks at the files before SQLite does: it would drop a damaged WAL without a word.
    /// - Returns: the format number that the WAL has in place of the file's; nil: none.
    private static func prepare(folder: String, path: String) throws(JournalError) -> Int? {
        let files = FileManager.default
        do {
            guard gantry_journal_take_quota_for_full() == 0 else {
                throw JournalError(.unusable, path: path, "this SQLite does not let its writes be watched: use the system's libsqlite3")
            }
            _ = try DirectoryDescriptor(creatingWithParents: folder)
            try refuseSpecial(path)
            let wal = path + "-wal"
            if let size = try? files.attributesOfItem(atPath: wal)[.size] as? Int, size > 0 {
                let main = try? files.attributesOfItem(atPath: path)[.size] as? Int
                guard let main, main > 0 else { throw JournalError.corrupt(path, "the file is gone, its -wal file is there") }
                var reader = WALReader(path: wal, file: try FileHandle(forReadingFrom: URL(fileURLWithPath: wal)))
                try reader.refuseDamage()
                return reader.format
            }
            try refuseMissing(path)
            return nil
        } catch {
            throw JournalError(error, path: path)
        }
    }

    /// Refuses what is no file in the place of one: to open a pipe waits for its other end, for ever.
    static func refuseSpecial(_ path: String) throws(JournalError) {
        let folder = String(path.dropLast(fileName.count + 1))
        // What a link leads to would be written over or grown; SQLite follows one to its database, which people do use.
        for name in [fileName + "-journal", fileName + JournalMark.suffix, Ballast.fileName] {
            guard let kind = try? DirectoryDescriptor(path: folder).status(of: name)?.kind, kind != .file else { continue }
            throw notFile("\(folder)/\(name)")
        }
        for part in [path, path + "-wal"] {
            guard let file = try? OwnedDescriptor(path: part, options: [.read, .withoutWaiting]), let kind = try? file.status().kind,
                kind != .file
            else { continue }
            throw notFile(part)
        }
    }

    private static func notFile(_ path: String) -> JournalError {
        JournalError(.unusable, path: path, "a folder, a link, a pipe or a device stands at \(path), no file; move it away")
    }

    /// Refuses to begin anew where a journal was: SQLite would make an empty file of one that is gone.
    private static func refuseMissing(_ path: String) throws(JournalError) {
        guard let known = JournalMark.position(ofJournal: path), known.turn > .none || known.epoch > .none else { return }
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        if size == nil { throw JournalError.gone(path, "is missing", known.turn) }
        if size == 0 { throw JournalError.gone(path, "is empty", known.turn) }
    }

    /// Moves what an earlier epoch left in the WAL into the main file, synced, so that the next commit begins the WAL anew, under other salts.
    ///
    /// Two reasons. Behind the last commit of an epoch that a power cut ended may lie frames of the torn one; SQLite would go on before them
    /// under the same salts, and after the next power cut `WALReader` would take them for acknowledged rows behind damage. And pages that the
    /// kernel could not write are clean for it after a failed fsync: they are written once more here, before anybody relies on them.
    private static func beginWAL(_ db: Database) throws {
        do {
            _ = try db.checkpoint(.restart)
        } catch let fault as DatabaseError where fault.resultCode == .SQLITE_FULL {
            // Without room in the main file the rows stay where they are; the front has to come up to say that its disk is full.
            return
        }
    }

    /// Creates the tables in an empty file, else checks the pages and the format; returns the format found.
    private static func check(_ db: Database, path: String, format: Int, _ migrations: [JournalMigration]) throws -> Int {
        if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0,
            try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 <= 1
        {
            try create(db, format: format)
            return format
        }
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if found < 1 {
            let own = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE name IN ('head', 'log', 'bundle')") ?? 0
            throw own == 0 ? JournalError.foreign(path) : JournalError.corrupt(path, "it has no format number")
        }
        // Once more, under the lock: SQLite may have taken a torn transaction back by its rollback journal, and another version may have opened the
        // file since the first look, which had no lock.
        try refuse(found, path: path, format: format, migrations)
        try checkPages(db, path: path)
        // A start reads no bundle: a table that cannot be written is found now, not by each later epoch at its first checkpoint.
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM bundle")
        return found
    }

    private static func checkPages(_ db: Database, path: String) throws {
        let bytes = try Int.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()") ?? 0
        guard bytes <= checkByteLimit else { return }
        // One finding is enough: a damaged journal is refused.
        let findings = try String.fetchAll(db, sql: "PRAGMA quick_check(1)")
        if findings != ["ok"] { throw JournalError.corrupt(path, findings.first ?? "quick_check says nothing") }
    }

    private static func create(_ db: Database, format: Int) throws {
        try db.inTransaction {
            try db.execute(
                sql: """
                    CREATE TABLE head (
                        id INTEGER PRIMARY KEY CHECK (id = 1), front INTEGER NOT NULL, epoch INTEGER NOT NULL,
                        checkpoint INTEGER NOT NULL, checkpoint_end INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
                    CREATE TABLE log (turn INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT;
                    CREATE TABLE bundle (number INTEGER PRIMARY KEY, entries BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
                    PRAGMA user_version = \(format);
                    """)
            return .commit
        }
    }

    /// What a file of an older format is copied to before it is changed.
    static func copy(of path: String, format: Int) -> String { path + ".format-\(format)" }

    /// Copies the file to `journal.sqlite.format-N`, then runs the steps in one transaction.
    private func migrate(from found: Int, to format: Int, by steps: [JournalMigration]) throws {
        try queue.writeWithoutTransaction { [path] db in
            // Everything lies in the main file then, so one file is the whole copy.
            try db.checkpoint(.truncate)
            let copy = Self.copy(of: path, format: found)
            // It is of a try that did not end, because the file still has the old format.
            if FileManager.default.fileExists(atPath: copy) { try FileManager.default.removeItem(atPath: copy) }
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
            // On the disk before anything of the original is changed, and so is its name, which stands in the folder.
            try handle.synchronize()
            try handle.close()
            try DirectoryDescriptor(path: String(path.dropLast(Self.fileName.count + 1))).sync()
            try db.inTransaction {
                for step in steps { try step.apply(db) }
                try db.execute(sql: "PRAGMA user_version = \(format)")
                return .commit
            }
        }
    }
}

/// One step from a file format to the next; the file is copied before the first one runs.
struct JournalMigration: Sendable {
    /// The format that it starts from; it ends at the next.
    var from: Int
    /// Changes the tables inside the transaction that also raises the format number.
    var apply: @Sendable (Database) throws -> Void

    /// Every step there is, oldest first. What the rows of formats 1 to 3 hold is not read any more; those of format 4 are read as they are, and the
    /// number is raised so that a front which lacks some kinds of entries refuses the file.
    static let all = [JournalMigration(from: 4) { _ in }]

    /// The steps from one format to a later one, oldest first; nil: there is no way.
    static func steps(from found: Int, to format: Int, of migrations: [JournalMigration]) -> [JournalMigration]? {
        guard found <= format else { return nil }
        let steps = migrations.filter { $0.from >= found && $0.from < format }.sorted { $0.from < $1.from }
        return steps.map(\.from) == Array(found..<format) ? steps : nil
    }
}

extension JournalStore {
    /// Where the header of an SQLite file has its format number (`user_version`), four bytes, big-endian.
    static let formatPosition = 60
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Refuses a format that is not read here.
    ///
    /// - Throws: `newerFormat`, or `olderFormat` where no step leads from it.
    static func refuse(_ found: Int, path: String, format: Int, _ migrations: [JournalMigration]) throws(JournalError) {
        if found > format { throw .newerFormat(path, found: found) }
        if JournalMigration.steps(from: found, to: format, of: migrations) == nil { throw .olderFormat(path, found: found) }
    }

    /// Refuses a file of another format before SQLite opens it: when the file is closed that would move what an unclean end has left in the
    /// `-wal` file, and the version that wrote it would find other files.
    ///
    /// - Parameter newest: the number in the newest page that the `-wal` file has in place of the file's first; nil: it has none.
    private static func refuseOther(
        than format: Int, path: String, newest: Int?, _ migrations: [JournalMigration]
    ) throws(JournalError) {
        guard let found = newest ?? storedFormat(path), found > 0 else { return }
        try refuse(found, path: path, format: format, migrations)
    }

    /// The number in the file's header; nil: there is no file, or it is none of SQLite's, which says so itself.
    private static func storedFormat(_ path: String) -> Int? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        let header = [UInt8]((try? file.read(upToCount: 100)) ?? Data())
        guard header.count == 100, header.starts(with: magic) else { return nil }
        return Int(header.bigEndianWord(at: formatPosition))
    }
}

/// An empty file, allocated while there is room and removed when there is none, so that rows under way can still be written.
///
/// Where the whole finds no room a little is taken, so that a disk that is small from the start, and filled by somebody else, still has
/// room for some rows: clients can look at what there is, and see why nothing is accepted.
struct Ballast: JournalBallast {
    /// Its name in the journal's folder.
    static let fileName = "ballast"

    /// What is tried where the whole finds no room, in bytes.
    private static let littleByteCounts = [4 << 20, 1 << 20, 256 << 10]

    let path: String
    let byteCount: Int

    func make() throws(JournalError) -> Bool {
        if try allocate(byteCount) { return true }
        for little in Self.littleByteCounts where little < byteCount { if try allocate(little) { break } }
        return false
    }

    func release() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes the file so large; false: there is no room, and the file is removed.
    private func allocate(_ byteCount: Int) throws(JournalError) -> Bool {
        do throws(SystemError) {
            try OwnedDescriptor(path: path, options: [.read, .write, .create], mode: 0o600).reserve(byteCount: Int64(byteCount))
            return true
        } catch {
            guard Self.noRoom.contains(error.code) else { throw JournalError(error, path: path) }
            release()
            return false
        }
    }

    /// Of a disk, of a user's share of it, and of a file system that has no files so large.
    private static let noRoom: [SystemErrorCode] = [.diskFull, .quotaFull, .fileTooLarge]
}
