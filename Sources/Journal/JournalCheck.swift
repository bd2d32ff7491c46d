//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Model

/// Looks at the journal that no front works on as a front that starts would, and changes nothing.
public enum JournalCheck {
    /// What came of it.
    public enum Finding: Hashable, Sendable {
        /// There is no journal yet.
        case missing
        /// All of it can be read.
        case good
        /// It has so many bytes, too many to be copied for a look.
        case notLookedAt(byteCount: Int)
    }

    /// Opens a copy and reads every row that a front would read. To open the journal itself would lock it, and move what is in its `-wal` file.
    ///
    /// - Parameters:
    ///   - folder: where `journal.sqlite` is.
    ///   - scratch: a folder for the copy, of this user alone, which is there and stays.
    ///   - byteLimit: up to how many bytes are copied.
    /// - Throws: the `JournalError` that a front would throw; `unusable` when no copy can be made.
    public static func look(
        at folder: String, copyingTo scratch: String, byteLimit: Int = 128 << 20
    ) throws(JournalError) -> Finding {
        let path = "\(folder)/\(JournalStore.fileName)"
        let files = FileManager.default
        let parts = ["", "-wal", JournalMark.suffix].filter { files.fileExists(atPath: path + $0) }
        guard !parts.isEmpty else { return .missing }
        let byteCount = parts.compactMap { try? files.attributesOfItem(atPath: path + $0)[.size] as? Int }.reduce(0, +)
        guard byteCount <= byteLimit else { return .notLookedAt(byteCount: byteCount) }
        do {
            for part in parts { try files.copyItem(atPath: path + part, toPath: "\(scratch)/\(JournalStore.fileName)\(part)") }
            try read(scratch)
            return .good
        } catch {
            var fault = JournalError(error, path: path)
            fault.path = fault.path.replacing(scratch, with: folder)
            fault.context = fault.context.replacing(scratch, with: folder)
            throw fault
        }
    }

    private static func read(_ folder: String) throws(JournalError) {
        let journal = try SQLiteJournal.open(folder: folder, wallSeconds: 1, newFrontID: FrontID(1), reserveByteCount: 1)
        do throws(JournalError) {
            while try journal.nextRestored() != nil {}
        } catch {
            try? journal.close()
            throw error
        }
        try journal.close()
    }
}
