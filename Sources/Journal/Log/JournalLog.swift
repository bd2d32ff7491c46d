//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Where rows and head of the journal lie: all that the journal asks of SQLite, so that the rest of it also runs in simulated worlds.
///
/// What has returned is durable. After an error nothing of the call is there, save after `inDoubt` and `failed`: then nobody knows.
package protocol JournalLog {
    /// Names the place in errors.
    var path: String { get }

    /// The next records from a turn on, about 1 MiB of them; empty: there are no more.
    func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord]

    /// Commits one row with what it changes about bundles; with `head`, that too; with `cutBelow`, also drops a few rows that are no longer needed.
    /// A row of that turn that is there already is compared: with the same bytes and epoch nothing is to be done, with others it is damage, unless a
    /// higher epoch is recorded.
    func insert(
        _ record: JournalRecord, bundles: EndedBundles, head: JournalHead?, cutBelow: TurnNumber?
    ) throws(JournalFault) -> JournalCommit

    /// The entries of a bundle of ended jobs; nil: it is not there, or cannot be read.
    func entries(of bundle: BundleNumber) -> [UInt8]?

    /// Drops the oldest rows below a checkpoint, a bounded number in a commit of its own; `isDone`: none is left. `walByteCount`: how many
    /// bytes that added to the write-ahead log, or somewhat more.
    func cut(below checkpoint: TurnNumber) throws(JournalFault) -> (isDone: Bool, walByteCount: Int)

    /// Moves what the write-ahead log holds into the main file, so that it is written from its start again.
    func emptyWAL() throws(JournalFault)
}

/// What a commit of a row did that met no error.
package struct JournalCommit: Hashable, Sendable {
    /// What became of the row.
    package var outcome: JournalInsertion
    /// Whether no row is left below the turn that it was to cut at.
    package var cutIsDone = false
    /// How many bytes it added to the write-ahead log, or somewhat more.
    package var walByteCount = 0

    package init(_ outcome: JournalInsertion, cutIsDone: Bool = false, walByteCount: Int = 0) {
        self.outcome = outcome
        self.cutIsDone = cutIsDone
        self.walByteCount = walByteCount
    }
}

/// What became of an insert that met no error.
package enum JournalInsertion: Hashable, Sendable {
    case written
    /// The very same row was there already; nothing was written.
    case alreadyThere
    /// A higher epoch is recorded; nothing was written.
    case fenced
}

/// Space that is kept free for the moment at which there is none.
package protocol JournalBallast {
    /// Takes the whole space; false: there is no room for it, and a little is taken at most.
    /// - Throws: `unusable` when something else than room keeps it from being taken.
    func make() throws(JournalError) -> Bool

    /// Gives the space back, be it the whole or a little.
    func release()
}
