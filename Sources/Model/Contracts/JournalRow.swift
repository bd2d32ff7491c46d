//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the journal stores in one commit, in order of the fields.
public struct JournalRow: Hashable, Sendable {
    /// The turn; commits come in order of turns; one that is in doubt is repeated.
    public var turn: TurnNumber
    /// The turn's entries, encoded; empty: none.
    public var entries: [UInt8]
    /// A slice of the running checkpoint; nil: none.
    public var slice: Slice?
    /// What it changes about the bundles of ended jobs, which stand beside the log: in the same commit, and not among the bytes by which a turn
    /// that comes again is compared.
    public var bundles = EndedBundles()

    /// A slice of a checkpoint.
    public struct Slice: Hashable, Sendable {
        /// The checkpoint: the turn of its first slice.
        public var checkpoint: TurnNumber
        /// Whole records as entries, encoded, as they are after this row's turn.
        public var entries: [UInt8]
        /// Whether the checkpoint is complete with it: once durable, log rows up to and including turn `checkpoint` less one and
        /// all older checkpoints may be dropped.
        public var isLast: Bool

        public init(checkpoint: TurnNumber, entries: [UInt8], isLast: Bool) {
            self.checkpoint = checkpoint
            self.entries = entries
            self.isLast = isLast
        }
    }

    /// A row of entries.
    public init(turn: TurnNumber, entries: [UInt8], slice: Slice? = nil) {
        self.turn = turn
        self.entries = entries
        self.slice = slice
    }
}
