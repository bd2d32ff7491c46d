//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform

/// The journal on a local disk: SQLite in WAL mode, one fsynced commit and one blob per turn, on a thread of its own.
///
/// Belongs to the thread of the loop. The caller holds the lock of the data folder: two fronts never share a journal, and the
/// file is locked besides. Order of use: `open`, `nextRestored` until nil, `start`, then `append` and `nextEvent`.
///
/// A full disk gives up the ballast file (`full`), and the same bytes are tried until they fit; the ballast file is made again as soon as
/// there is room (`roomAgain`). A journal that is opened without room for its ballast file begins with `full`. After `fenced` or
/// `failed` nothing more is written; in particular a failed fsync is never tried again, since Linux then takes the pages for clean. So no commit
/// is ever in doubt; a row that comes again is durable all the same if it has the same bytes, and damage if not.
package final class SQLiteJournal: TurnJournal {
    /// What is kept free for a full disk by default: 64 MiB.
    package static let defaultBallastByteCount = 64 << 20

    /// The name of the ballast file, in the journal's folder.
    package static let ballastName = Ballast.fileName
    /// The database in the journal's folder.
    package static let fileName = JournalStore.fileName

    /// The front installation, made when the journal was.
    package let frontID: FrontID
    /// This epoch; durable since `open` returned.
    package let epoch: Epoch
    /// The last turn in the log; the next new one is later. None: the log is empty.
    package let lastTurn: TurnNumber

    private let store: JournalStore
    private let ballast: Ballast
    private let ballastIsHeld: Bool
    private let head: JournalHead
    private let mailbox = JournalMailbox()
    private var restoration: Restoration
    private var isRunning = false

    /// Opens or creates the journal, checks it, and raises the epoch to max(last + 1, `wallSeconds`) durably.
    ///
    /// - Parameters:
    ///   - folder: Where `journal.sqlite` and `ballastName` are; made with mode 0750 if it is missing.
    ///   - wallSeconds: Seconds since 1970 by the wall clock.
    ///   - newFrontID: The front id that a new journal gets; random, not `none`.
    ///   - ballastByteCount: Size of the ballast file in bytes, above 0.
    /// - Throws: `JournalError`; a damaged or newer journal is left as it is.
    package static func open(
        folder: String, wallSeconds: UInt64, newFrontID: FrontID, ballastByteCount: Int = defaultBallastByteCount
    ) throws(JournalError) -> SQLiteJournal {
        let store = try JournalStore(folder: folder, format: Int(JournalRecord.format), migrations: JournalMigration.all)
        return try SQLiteJournal(
            store: store, ballast: Ballast(path: folder + "/" + ballastName, byteCount: ballastByteCount), wallSeconds: wallSeconds,
            newFrontID: newFrontID)
    }

    private init(store: JournalStore, ballast: Ballast, wallSeconds: UInt64, newFrontID: FrontID) throws(JournalError) {
        self.store = store
        self.ballast = ballast
        do {
            head = try store.beginEpoch(wallSeconds: wallSeconds, newFrontID: newFrontID)
        } catch  where error.code == .full {
            // The front has to come up to say that its disk is full.
            ballast.release()
            head = try store.beginEpoch(wallSeconds: wallSeconds, newFrontID: newFrontID)
        }
        lastTurn = try store.lastTurn()
        // An earlier epoch may have ended between a commit and its mark.
        store.mark?.note(JournalMark.Position(epoch: head.epoch, turn: lastTurn))
        ballastIsHeld = try ballast.make()
        frontID = head.front
        epoch = head.epoch
        restoration = Restoration(head: head)
    }

    /// That the file had an older format before it was opened, where that is so.
    package var upgradeNotice: String? {
        store.formatBefore.map { format in
            """
            \(store.path): upgraded from format \(format) to \(JournalRecord.format); the copy is kept as \
            \(JournalStore.copy(of: store.path, format: format)). Older programs refuse the journal now
            """
        }
    }

    /// Always: the file's lock and that of the data folder keep every other front out for as long as this one lives.
    package var authority: MonotonicTime { .distantFuture }

    /// - Throws: `JournalError` with code `corrupt` when a row is damaged or missing.
    package func nextRestored() throws(JournalError) -> RestoredRow? {
        try restoration.nextRow(from: store)
    }

    /// What a bundle of ended jobs holds; nil: it is not there, or not as it was written. Before `start` only.
    func entries(of bundle: BundleNumber) -> [UInt8]? { store.entries(of: bundle) }

    /// Starts the journal's thread; once.
    ///
    /// - Parameter onEvent: Called on that thread after each event; must return at once, for example write an eventfd.
    /// - Throws: `JournalError` with code `unusable` when the system has no thread left.
    package func start(onEvent: @escaping @Sendable () -> Void) throws(JournalError) {
        precondition(!isRunning, "the journal is started once")
        let (mailbox, store, ballast, head, lastTurn, isHeld) = (mailbox, store, ballast, head, lastTurn, ballastIsHeld)
        do throws(SystemError) {
            _ = try startThread(name: "journal") {
                var writer = JournalWriter(
                    mailbox: mailbox, log: store, ballast: ballast, head: head, lastTurn: lastTurn, ballastIsHeld: isHeld,
                    onEvent: onEvent)
                runJournal(&writer, at: mailbox)
            }
        } catch {
            throw JournalError(
                .unusable, path: store.path, "no thread can be had", cause: ErrorCause(error, code: "\(error.code.rawValue)"))
        }
        isRunning = true
    }

    /// Hands the row to the journal's thread and returns at once. Before `start` it waits there.
    package func append(_ row: JournalRow) { mailbox.submit(row) }

    /// Asks the journal's thread for a bundle and returns at once.
    package func read(_ bundle: BundleNumber) { mailbox.ask(for: bundle) }

    /// The oldest event not yet taken; nil: nothing new.
    package func nextEvent() -> JournalEvent? { mailbox.nextEvent() }

    /// Writes what was handed over (unless the disk is full), ends the thread and closes the file; waits for all that.
    /// Nothing may be called afterwards.
    package func close() throws(JournalError) {
        if isRunning { mailbox.closeAndWait() }
        try store.close()
    }

    /// Records that another front took over at a higher epoch, as that front would.
    func recordTakeover(by epoch: Epoch) throws { try store.recordTakeover(by: epoch) }
}
