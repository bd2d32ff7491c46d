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

/// One row of the log as bytes, self-describing and with a checksum, since SQLite has none over its pages.
///
/// All numbers little-endian: format UInt8; flags UInt8 (bit 0: has a slice, bit 1: its last one); turn, previous turn (0: none),
/// epoch, checkpoint (0 without a slice), each UInt64; byte counts of entries and of the slice's entries, each UInt32; entries; slice's
/// entries; XXH64 (seed 0) of all that, UInt64. The previous turn makes a lost row visible.
package struct JournalRecord: Hashable, Sendable {
    /// The newest format that this code writes and reads, of rows and of the file. Format 1 had jobs without options of their own, format 2
    /// no bundles of ended jobs, format 3 other names of a column and of the ballast file, format 4 fewer kinds of entries. Rows of 5 from before the
    /// first release may not say which ended jobs others repeat: those count as not repeated.
    package static let format: UInt8 = 5
    /// The oldest one of rows that it reads: nothing in them means something else now.
    package static let oldestFormat: UInt8 = 4
    private static let headerByteCount = 42
    private static let checksumByteCount = 8

    /// The row, without what it changes beside the log.
    package var row: JournalRow
    /// The turn of the row before it; none: it is the first.
    package var previous: TurnNumber
    /// The epoch that wrote it.
    package var epoch: Epoch

    /// The bytes that are stored.
    package func encoded() -> [UInt8] {
        let slice = row.slice?.entries ?? []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerByteCount + row.entries.count + slice.count + Self.checksumByteCount)
        bytes.append(Self.format)
        bytes.append((row.slice == nil ? 0 : 1) | (row.slice?.isLast == true ? 2 : 0))
        for number in [row.turn.rawValue, previous.rawValue, epoch.rawValue, row.slice?.checkpoint.rawValue ?? 0] {
            LittleEndian.append(number, to: &bytes)
        }
        LittleEndian.append(UInt32(row.entries.count), to: &bytes)
        LittleEndian.append(UInt32(slice.count), to: &bytes)
        bytes.append(contentsOf: row.entries)
        bytes.append(contentsOf: slice)
        LittleEndian.append(XXH64.hash(bytes), to: &bytes)
        return bytes
    }

    /// Reads a row back; total: any other bytes than those of `encoded()` are refused.
    package init(decoding bytes: [UInt8], turn: Int64, path: String) throws(JournalError) {
        // Before the checksum is looked at: a newer format may have it elsewhere.
        if let format = bytes.first, format > Self.format { throw .newerFormat(path, found: Int(format), turn: turn) }
        let body = bytes.count - Self.checksumByteCount
        guard body >= Self.headerByteCount, bytes[0] > 0,
            LittleEndian.word(bytes, body) == XXH64.hash(Array(bytes[..<body])),
            LittleEndian.word(bytes, 2) == UInt64(bitPattern: turn)
        else { throw .corrupt(path, "the row of turn \(turn) does not match its checksum") }
        guard (1...Int64(JournalBounds.number)).contains(turn) else { throw .corrupt(path, "no front comes to a turn \(turn)") }
        // The rows of older formats have the same frame: one that is whole is not damaged.
        if bytes[0] < Self.oldestFormat { throw .olderFormat(path, found: Int(bytes[0]), turn: turn) }
        let entries = Self.headerByteCount + Int(LittleEndian.half(bytes, 34))
        guard entries + Int(LittleEndian.half(bytes, 38)) == body else {
            throw .corrupt(path, "the row of turn \(turn) has wrong lengths")
        }
        self.row = JournalRow(turn: TurnNumber(UInt64(bitPattern: turn)), entries: Array(bytes[Self.headerByteCount..<entries]))
        self.previous = TurnNumber(LittleEndian.word(bytes, 10))
        self.epoch = Epoch(LittleEndian.word(bytes, 18))
        if bytes[1] & 1 == 1 {
            row.slice = JournalRow.Slice(
                checkpoint: TurnNumber(LittleEndian.word(bytes, 26)), entries: Array(bytes[entries..<body]),
                isLast: bytes[1] & 2 == 2)
        }
    }

    init(row: JournalRow, previous: TurnNumber, epoch: Epoch) {
        self.row = row
        // They lie in a table of their own: without them a row that comes again equals the one that is read back.
        self.row.bundles = EndedBundles()
        self.previous = previous
        self.epoch = epoch
    }
}

/// What the journal knows besides its log: who it belongs to, which epoch writes it, and its newest complete checkpoint.
package struct JournalHead: Hashable, Sendable {
    package var front: FrontID
    package var epoch: Epoch
    /// The turn of the newest complete checkpoint's first slice; none: there is no checkpoint.
    package var checkpoint: TurnNumber = .none
    /// The turn of its last slice.
    package var checkpointEnd: TurnNumber = .none

    /// The head of the next epoch: its epoch is above the last one and not below the wall clock's seconds.
    package static func next(after last: JournalHead?, wallSeconds: UInt64, newFrontID: FrontID) -> JournalHead {
        guard var head = last else { return JournalHead(front: newFrontID, epoch: Epoch(wallSeconds)) }
        // Not below the wall clock's seconds: a journal put back from an older copy still begins above every epoch that peers have met; they ignore
        // lower ones.
        head.epoch = Epoch(max(head.epoch.rawValue + 1, wallSeconds))
        return head
    }

    /// XXH64 (seed 0) of the four numbers in order, little-endian: a flipped bit must not become another front or epoch.
    var checksum: UInt64 {
        var bytes: [UInt8] = []
        for number in [front.rawValue, epoch.rawValue, checkpoint.rawValue, checkpointEnd.rawValue] {
            LittleEndian.append(number, to: &bytes)
        }
        return XXH64.hash(bytes)
    }
}

/// Reads back what an earlier epoch left: the newest complete checkpoint's slices, then every log row from its first turn on.
///
/// Holds about 1 MiB of rows at a time. A row that is missing, doubled or does not belong ends it with an error.
package struct Restoration {
    private enum Phase {
        /// Those of the newest checkpoint. Moves to log behind its last one.
        case slices
        /// Rows from its first turn on. Final.
        case log
    }

    private let head: JournalHead
    private var phase: Phase
    private var next: TurnNumber
    private var before: TurnNumber?
    private var buffer: ArraySlice<JournalRecord> = []

    /// Begins at the newest complete checkpoint, or at the first row.
    package init(head: JournalHead) {
        self.head = head
        self.phase = head.checkpoint == .none ? .log : .slices
        self.next = head.checkpoint
    }

    /// The next row; nil: that was the last.
    package mutating func nextRow(from store: some JournalLog) throws(JournalError) -> RestoredRow? {
        while true {
            if buffer.isEmpty { buffer = try store.records(from: next)[...] }
            guard let record = buffer.popFirst() else {
                if phase == .slices || (head.checkpoint != .none && before == nil) {
                    throw .corrupt(store.path, "the checkpoint of turn \(head.checkpoint) is not whole")
                }
                return nil
            }
            try check(record, path: store.path)
            before = record.row.turn
            next = record.row.turn.advanced()
            switch phase {
            case .log: return RestoredRow(turn: record.row.turn, entries: record.row.entries, isSlice: false)
            case .slices:
                // Turns go on between slices; what a row without one changed is read in the second walk, behind all slices.
                guard let slice = record.row.slice, slice.checkpoint == head.checkpoint else { continue }
                if slice.isLast { beginLog() }
                return RestoredRow(turn: record.row.turn, entries: slice.entries, isSlice: true)
            }
        }
    }

    private mutating func beginLog() {
        phase = .log
        next = head.checkpoint
        before = nil
        buffer = []
    }

    /// Each row names the turn before it; the first one is the checkpoint's or the journal's first.
    private func check(_ record: JournalRecord, path: String) throws(JournalError) {
        let isInOrder: Bool
        if let before {
            isInOrder = record.previous == before
        } else if head.checkpoint == .none {
            isInOrder = record.previous == .none
        } else {
            isInOrder = record.row.turn == head.checkpoint
        }
        if !isInOrder { throw .corrupt(path, "rows before turn \(record.row.turn) are missing") }
        if phase == .slices, record.row.turn > head.checkpointEnd {
            throw .corrupt(path, "the checkpoint of turn \(head.checkpoint) has no end")
        }
        if record.epoch > head.epoch { throw .corrupt(path, "turn \(record.row.turn) is of an epoch that never began") }
    }
}
