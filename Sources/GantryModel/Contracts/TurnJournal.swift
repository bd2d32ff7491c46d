//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The log of entries behind a front: one row per turn, written by a thread of its own, fenced by epoch.
///
/// It is also what knows which front is the writer. A row proves that by itself, since its commit compares the epoch; but a front that has
/// nothing to write would answer renewals and publish for ever though another one has taken over, and both would grant the same slots. So
/// everything that leaves a front leaves under `authority`.
package protocol TurnJournal: EndedJobStore {
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
    /// The next row of what an earlier epoch left behind; nil after the last. Called before the first `append` only.
    /// - Throws: a `PassingFault` if the disk fails for a moment and nothing is damaged.
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

/// Where ended jobs are once they have left the state: no checkpoint writes them, and no restart reads them.
///
/// They come in bundles, each written once, by the turn that made it: `JournalRow.bundles`, in the commit of that turn's entries, so that no job is
/// in both places or in none. What the state goes on knowing of a bundle (`JournalEntry.EndedBundled`: ids and final states) answers by id and by
/// page which bundle is to be read. The thread that decides never waits for a reading: it asks for it, and takes it as an event of a later turn.
package protocol EndedJobStore: AnyObject {
    /// Asks for a bundle that a durable row has made, and returns at once; `JournalEvent.bundle` follows. A few may be asked for at a time;
    /// rows go before them.
    func read(_ bundle: BundleNumber)
}

/// What the journal stores in one commit, in order of the fields.
package struct JournalRow: Hashable, Sendable {
    /// The turn; commits come in order of turns; one that is in doubt is repeated.
    package var turn: TurnNumber
    /// The turn's entries, encoded; empty: none.
    package var entries: [UInt8]
    /// A slice of the running checkpoint; nil: none.
    package var slice: Slice?
    /// What it changes about the bundles of ended jobs, which stand beside the log: in the same commit, and not among the bytes by which a turn
    /// that comes again is compared.
    package var bundles = EndedBundles()

    /// A slice of a checkpoint.
    package struct Slice: Hashable, Sendable {
        /// The checkpoint: the turn of its first slice.
        package var checkpoint: TurnNumber
        /// Whole records as entries, encoded, as they are after this row's turn.
        package var entries: [UInt8]
        /// Whether the checkpoint is complete with it: once durable, log rows up to and including turn `checkpoint` less one and
        /// all older checkpoints may be dropped.
        package var isLast: Bool

        package init(checkpoint: TurnNumber, entries: [UInt8], isLast: Bool) {
            self.checkpoint = checkpoint
            self.entries = entries
            self.isLast = isLast
        }
    }

    /// A row of entries.
    package init(turn: TurnNumber, entries: [UInt8], slice: Slice? = nil) {
        self.turn = turn
        self.entries = entries
        self.slice = slice
    }
}

/// One row of the journal at restart, in the order in which they are to be applied.
package struct RestoredRow: Hashable, Sendable {
    /// The turn at which the entries were true.
    package var turn: TurnNumber
    /// The entries, encoded.
    package var entries: [UInt8]
    /// Whether it is a slice of a checkpoint; all slices come before all log rows.
    package var isSlice: Bool

    package init(turn: TurnNumber, entries: [UInt8], isSlice: Bool) {
        self.turn = turn
        self.entries = entries
        self.isSlice = isSlice
    }
}

/// What a turn changes about the ended jobs that the journal keeps beside its log: they are neither in the log, nor in a checkpoint, nor in
/// memory, but are written once, and read again when somebody asks for one.
package struct EndedBundles: Hashable, Sendable {
    /// Those that are new.
    package var made: [Bundle]
    /// Those that are forgotten.
    package var forgotten: [BundleNumber]

    /// Some ended jobs, written and read together.
    package struct Bundle: Hashable, Sendable {
        /// Its number; never used twice.
        package var number: BundleNumber
        /// Whole records as entries, encoded.
        package var entries: [UInt8]

        /// A bundle of that number.
        package init(_ number: BundleNumber, entries: [UInt8]) { (self.number, self.entries) = (number, entries) }
    }

    /// Nothing changes, or this.
    package init(made: [Bundle] = [], forgotten: [BundleNumber] = []) { (self.made, self.forgotten) = (made, forgotten) }

    /// Whether nothing changes.
    package var isEmpty: Bool { made.isEmpty && forgotten.isEmpty }
}

/// What the journal's thread reports to the loop.
package enum JournalEvent: Hashable, Sendable {
    /// The row of that turn, and all before it, is on disk.
    case durable(TurnNumber)
    /// Nobody knows whether the row of that turn is on disk, because the connection was lost during its commit; of the rows that were handed
    /// over behind it, none is. The loop hands over the very same bytes again, that row first, and then those behind it. Said once the
    /// journal takes rows again, so that the answer to it needs no pause.
    case inDoubt(TurnNumber)
    /// The entries of a bundle that was asked for; nil: it is not there, or cannot be read.
    case bundle(BundleNumber, entries: [UInt8]?)
    /// The disk is full: the ballast file is released and the same bytes are tried again until they fit.
    case full
    /// The ballast file is whole again.
    case roomAgain
    /// `authority` has moved on after it had run out: what was held back may leave.
    case authorityRenewed
    /// A higher epoch is recorded: another front has taken over. Nothing more is written; the process is to end.
    case fenced
    /// The disk failed, or a turn is there with other bytes than were handed over: nothing more is written; the process is to end with its
    /// own exit code.
    case failed(ErrorCause)
}
