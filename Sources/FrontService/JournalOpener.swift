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
    var reserveByteCount: Int { get }
    /// Opens or makes the journal, and raises the epoch to max(last + 1, `wallSeconds`) durably.
    ///
    /// - Parameters:
    ///   - wallSeconds: Seconds since 1970 by the wall clock.
    ///   - newFrontID: The id that a new journal's front gets; random, not `none`.
    /// - Throws: a `PassingFault` if it can tell what another start may find mended. A `JournalError` with code `inUse` is waited for.
    func open(wallSeconds: UInt64, newFrontID: FrontID) throws -> Journal
}
