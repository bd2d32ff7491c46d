//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the journal's thread tells the loop.
public enum JournalEvent: Hashable, Sendable {
    /// The row of that turn, and all before it, is on disk.
    case durable(TurnNumber)
    /// The disk is full: the reserve is released and the same bytes are tried again until they fit.
    case full
    /// The reserve is whole again.
    case roomAgain
    /// A higher epoch is recorded: another front has taken over. Nothing more is written; the process is to end.
    case fenced
    /// The disk failed: nothing more is written; the process is to end with its own exit code.
    case failed(String)
}
