//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

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
    static func refuseOther(
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
