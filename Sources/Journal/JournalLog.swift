//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// Where rows and head of the journal lie: all that the journal asks of SQLite, so that the rest of it also runs in simulated worlds.
///
/// What has returned is durable. After an error nothing of the call is there, save after `failed`: then nobody knows.
package protocol JournalLog {
    /// Names the place in errors.
    var path: String { get }

    /// The next records from a turn on, about 1 MiB of them; empty: there are no more.
    func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord]

    /// Commits one row; with `head`, that too; with `cutBelow`, also drops a few rows that are no longer needed.
    func insert(
        _ record: JournalRecord, head: JournalHead?, cutBelow: TurnNumber?
    ) throws(JournalFault) -> (outcome: JournalInsertion, cutIsDone: Bool)

    /// Drops the oldest rows below a checkpoint, a bounded number in a commit of its own; true: none is left.
    func cut(below checkpoint: TurnNumber) throws(JournalFault) -> Bool

    /// Moves what the write-ahead log holds into the main file, so that it is written from its start again.
    func emptyWAL() throws(JournalFault)
}

/// Space that is kept free for the moment at which there is none.
package protocol JournalReserve {
    /// Takes the whole space; false: there is no room for it (nothing of it is taken then).
    func make() -> Bool

    /// Gives the space back.
    func release()
}

/// What became of an insert that met no error.
package enum JournalInsertion: Hashable, Sendable {
    case written
    /// A higher epoch is recorded; nothing was written.
    case fenced
}

/// Why a write failed.
package enum JournalFault: Error, Hashable, Sendable {
    /// There is no room; the same bytes may be tried again.
    case full
    /// Anything else, in words; nothing may be written any more.
    case failed(String)
}
