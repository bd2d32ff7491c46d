//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform
package import Journal

/// Opens the journal that a front has by default, on the disk of its data folder: the one place of this module that names its kind.
package struct SQLiteJournalOpener: JournalOpener {
    /// The folder of the journal's files.
    package var place: String
    /// Size of the ballast file, which is removed when the disk is full.
    package var ballastByteCount = SQLiteJournal.defaultBallastByteCount

    /// The journal of a data folder.
    package init(dataFolder: String) { place = dataFolder + "/journal" }

    /// Adds up the files of the folder.
    package func byteCounts() -> (journal: UInt64, ballast: UInt64)? {
        var counts: (journal: UInt64, ballast: UInt64) = (0, 0)
        do throws(SystemError) {
            let folder = try DirectoryDescriptor(path: place)
            for name in try folder.list() {
                guard let status = try folder.status(of: name), status.kind == .file else { continue }
                let count = UInt64(max(0, status.byteCount))
                if name == SQLiteJournal.ballastName { counts.ballast += count } else { counts.journal += count }
            }
        } catch { return nil }
        return counts
    }

    /// Opens or creates the files, checks them, and raises the epoch durably.
    ///
    /// - Parameters:
    ///   - wallSeconds: Seconds since 1970 by the wall clock.
    ///   - newFrontID: The id that a new journal's front gets; random, not `none`.
    /// - Throws: `JournalError`.
    package func open(wallSeconds: UInt64, newFrontID: FrontID) throws -> SQLiteJournal {
        try SQLiteJournal.open(folder: place, wallSeconds: wallSeconds, newFrontID: newFrontID, ballastByteCount: ballastByteCount)
    }

    /// A damaged note of what was acknowledged.
    package func notice() -> String? {
        JournalCheck.damagedMark(at: place).map { path in
            "\(path) was damaged and is written anew: if the journal has lost its last turns, that can no longer be detected; check the disk"
        }
    }

    /// What `doctor` says of such a row, too.
    package func damage(of turn: TurnNumber, _ cause: ErrorCause) -> any Error { JournalError.damaged(in: place, turn, cause) }
}

extension SQLiteJournal: FrontJournal {}

extension FrontService where Opener == SQLiteJournalOpener {
    /// A front that is not started yet, with a journal in its data folder.
    ///
    /// - Throws: `unavailable` if the process has no descriptor left.
    package convenience init(settings: FrontServiceSettings, codec: Codec) throws(FrontServiceError) {
        try self.init(settings: settings, codec: codec, journal: SQLiteJournalOpener(dataFolder: settings.folder))
    }
}
