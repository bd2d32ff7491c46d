//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The log of facts behind a front: one row per turn, written by a thread of its own, fenced by epoch.
public protocol TurnJournal: AnyObject {
    /// The next row of what an earlier life left behind; nil after the last. Called before the first `append` only.
    /// - Throws: a `PassingFault` if it can tell a disk that fails for a moment from damage.
    func nextRestored() throws -> RestoredRow?
    /// Hands over a row and returns at once; `durable`, `full`, `fenced` or `failed` follow as events. At most one row is under way.
    func append(_ row: JournalRow)
    /// The next event; nil: nothing new. The transport's `wait` returns when there is one.
    func nextEvent() -> JournalEvent?
}
