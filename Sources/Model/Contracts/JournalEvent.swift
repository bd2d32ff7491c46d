//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the journal's thread tells the loop.
public enum JournalEvent: Hashable, Sendable {
    /// The row of that turn, and all before it, is on disk.
    case durable(TurnNumber)
    /// Nobody knows whether the row of that turn is on disk, because the connection was lost during its commit; of the rows that were handed
    /// over behind it, none is. The loop hands over the very same bytes again, that row first, and then those behind it. Said once the
    /// journal takes rows again, so that the answer to it needs no pause.
    case inDoubt(TurnNumber)
    /// The entries of a bundle that was asked for; nil: it is not there, or cannot be read.
    case bundle(BundleNumber, entries: [UInt8]?)
    /// The disk is full: the reserve is released and the same bytes are tried again until they fit.
    case full
    /// The reserve is whole again.
    case roomAgain
    /// `authority` has moved on after it had run out: what was held back may leave.
    case authorityRenewed
    /// A higher epoch is recorded: another front has taken over. Nothing more is written; the process is to end.
    case fenced
    /// The disk failed, or a turn is there with other bytes than were handed over: nothing more is written; the process is to end with its
    /// own exit code.
    case failed(ErrorCause)
}
