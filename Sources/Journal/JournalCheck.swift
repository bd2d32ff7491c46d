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
    ///   - decode: reads the facts of a row as the front would.
    /// - Throws: the `JournalError` that a front would throw; `unusable` when no copy can be made.
    public static func look(
        at folder: String, copyingTo scratch: String, byteLimit: Int = 128 << 20, decode: ([UInt8]) throws -> Void = { _ in }
    ) throws(JournalError) -> Finding {
        let path = "\(folder)/\(JournalStore.fileName)"
        let files = FileManager.default
        let parts = ["", "-wal"].filter { files.fileExists(atPath: path + $0) }
        guard !parts.isEmpty else { return .missing }
        let byteCount = parts.compactMap { try? files.attributesOfItem(atPath: path + $0)[.size] as? Int }.reduce(0, +)
        guard byteCount <= byteLimit else { return .notLookedAt(byteCount: byteCount) }
        do {
            for part in parts { try files.copyItem(atPath: path + part, toPath: "\(scratch)/\(JournalStore.fileName)\(part)") }
            try read(scratch, decode)
            return .good
        } catch {
            var fault = JournalError(error, path: path)
            fault.path = fault.path.replacing(scratch, with: folder)
            throw fault
        }
    }

    private static func read(_ folder: String, _ decode: ([UInt8]) throws -> Void) throws(JournalError) {
        let journal = try SQLiteJournal.open(folder: folder, wallSeconds: 1, newFrontID: FrontID(1), reserveByteCount: 1)
        do throws(JournalError) {
            while let row = try journal.nextRestored() {
                do { try decode(row.facts) } catch {
                    throw JournalError.corrupt("\(folder)/\(JournalStore.fileName)", "turn \(row.turn): \(error)")
                }
            }
        } catch {
            try? journal.close()
            throw error
        }
        try journal.close()
    }
}
