//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// How a front comes by its journal: which kind it is, where it lies, and the settings that only this kind has. The rest of the front knows no kind.
public protocol JournalOpener: Sendable {
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
    /// - Throws: a `PassingFault` if it can tell what another start may find mended. A `JournalError` with code `inUse` is waited for.
    func open(wallSeconds: UInt64, newFrontID: FrontID) throws -> Journal
    /// What is said of a row that can be had and cannot be true: what was found, and what to do now.
    func damage(of turn: TurnNumber, _ cause: ErrorCause) -> any Error
}
