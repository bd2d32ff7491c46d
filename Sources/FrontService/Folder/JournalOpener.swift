//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform
package import Journal

/// How a front comes by its journal: which kind it is, where it lies, and the settings that only this kind has. The rest of the front knows no kind.
package protocol JournalOpener: Sendable {
    /// The kind.
    associatedtype Journal: FrontJournal
    /// Where it lies, for people: a folder or an address.
    var place: String { get }
    /// How many bytes have to be free there, or it says `full`.
    var ballastByteCount: Int { get }
    /// Bytes of the journal's files together, and of what is held free beside them; nil: they cannot be looked at. May block: it is asked on a
    /// thread that nobody waits for.
    func byteCounts() -> (journal: UInt64, ballast: UInt64)?
    /// Opens or makes the journal, and raises the epoch to max(last + 1, `wallSeconds`) durably.
    ///
    /// - Parameters:
    ///   - wallSeconds: Seconds since 1970 by the wall clock.
    ///   - newFrontID: The id that a new journal's front gets; random, not `none`.
    /// - Throws: a `PassingFault` if it can tell what another start may find mended. An `UnusableJournal` with a `user` is waited for.
    func open(wallSeconds: UInt64, newFrontID: FrontID) throws -> Journal
    /// What people are to be told of it before it is opened, for nothing tells it afterwards; nil: nothing.
    func notice() -> String?
    /// What is said of a row that can be had and cannot be true: what was found, and what to do now.
    func damage(of turn: TurnNumber, _ cause: ErrorCause) -> any Error
}

extension JournalOpener {
    /// Nothing, for most kinds.
    package func notice() -> String? { nil }
}

/// A journal as the front's process needs it: beside what its loop does with it, it is started, named and closed.
package protocol FrontJournal: TurnJournal {
    /// The front installation that the journal belongs to, made when the journal was.
    var frontID: FrontID { get }
    /// This epoch; durable since the journal is open.
    var epoch: Epoch { get }
    /// What people are to be told, once, of what opening has changed; nil: nothing.
    var upgradeNotice: String? { get }
    /// Starts the journal's thread, once everything is restored.
    ///
    /// - Parameter onEvent: Called on that thread after each event; it returns at once.
    func start(onEvent: @escaping @Sendable () -> Void) throws
    /// Ends the thread after what was handed over, and waits for that. Nothing is called afterwards.
    func close() throws
}

extension FrontJournal {
    /// Nothing, for most kinds.
    package var upgradeNotice: String? { nil }
}

/// How long a front that starts waits for a journal that somebody else has open: no front, for the data folder is locked, but somebody who
/// copies it or looks at it, and that ends by itself.
struct JournalWait {
    /// What follows a journal that could not be opened.
    enum Next: Equatable {
        /// It is tried again after a pause; people are told once.
        case again(notice: String?)
        /// The front ends.
        case end(FrontServiceError)
    }

    /// Between two tries, each of which reads the `-wal` file; nobody is served meanwhile.
    static let pause = Duration.milliseconds(200)

    private let limit: Duration
    private var since: MonotonicTime?

    init(upTo limit: Duration) { self.limit = limit }

    /// - Parameter now: what the monotonic clock shows.
    mutating func next(after error: any Error, at now: MonotonicTime) -> Next {
        guard let user = (error as? any UnusableJournal)?.user else {
            // Another start finds room once there is some, and a disk that works; damage and another format it would find again.
            let mayPass = (error as? any PassingFault)?.mayPass == true
            return .end(FrontServiceError(mayPass ? .journalFailed : .storage, journal: error))
        }
        guard let since else {
            self.since = now
            return .again(notice: "the front waits, up to \(limit.components.seconds) s, for \(user)")
        }
        guard now.duration(since: since) < limit else { return .end(FrontServiceError(.journalFailed, journal: error)) }
        return .again(notice: nil)
    }
}

/// Opens the journal that a front has by default, on the disk of its data folder: the one place of this module that names its kind.
package struct SQLiteJournalOpener: JournalOpener {
    /// The folder of the journal's files.
    package var place: String
    /// Size of the ballast file, which is removed when the disk is full.
    package var ballastByteCount = SQLiteJournal.defaultBallastByteCount

    /// The journal of a data folder.
    package init(dataFolder: String) { place = FrontFolder.journal(in: dataFolder) }

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
