//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The log of entries behind a front: one row per turn, written by a thread of its own, fenced by epoch.
///
/// It is also what knows which front is the writer. A row proves that by itself, since its commit compares the epoch; but a front that has
/// nothing to write would answer renewals and publish for ever though another one has taken over, and both would grant the same slots. So
/// everything that leaves a front leaves under `authority`.
public protocol TurnJournal: EndedJobStore {
    /// Until when this front is known to be the only writer, by the clock that its loop reads; `distantFuture` for a journal whose lock proves
    /// it for as long as it is open. Read before each frame, so it must cost next to nothing.
    ///
    /// What the engine promises: no other front begins before that time. It has to leave room for the difference of clocks, and may move the
    /// time on, never back. Each commit of this front's epoch is a reason to move it on, counted from the moment at which the commit was asked
    /// for; while nothing is committed the engine renews it by itself, and says `fenced` when it finds a higher epoch.
    ///
    /// Why it is enough to look at it before a frame is handed to a socket: a frame that is late behind that look says nothing that was not
    /// true under the authority. A worker counts its lease from when it sent its renewal, which was before the look and so before the next front
    /// begins; that one waits for a whole lease. Whatever else comes late names its epoch, and its receivers have met a higher one.
    var authority: MonotonicTime { get }
    /// The next row of what an earlier life left behind; nil after the last. Called before the first `append` only.
    /// - Throws: a `PassingFault` if it can tell a disk that fails for a moment from damage.
    func nextRestored() throws -> RestoredRow?
    /// Hands over a row and returns at once; `durable`, `inDoubt`, `full`, `fenced` or `failed` follow as events.
    ///
    /// Rows come in the order of their turns. A bounded number may be under way (`LoopSettings.rowsUnderWay`), and they become durable in that
    /// order. A turn that is there already with the very same bytes is durable, and nothing is written; with other bytes it is damage, or
    /// another front's, and ends the journal.
    func append(_ row: JournalRow)
    /// The next event; nil: nothing new. The transport's `wait` returns when there is one.
    func nextEvent() -> JournalEvent?
}
