//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Why a loop cannot go on.
public enum LoopEnding: Error, Hashable, Sendable {
    /// Another front has taken over.
    case fenced
    /// The journal cannot be written.
    case journalFailed(ErrorCause)
    /// The journal cannot be read now; another life may.
    case journalUnreadable(ErrorCause)
    /// The journal can never be read.
    case damaged(ErrorCause)
    /// The row of that turn is as it was written, and says what cannot be read or cannot be true.
    case damagedRow(TurnNumber, ErrorCause)
    /// So many jobs of an earlier life have not ended, and this one would not journal their ends: the next would run them again.
    case holdsDurableJobs(UInt64)
}
