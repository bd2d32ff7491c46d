//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Writes the live state as slices, one with each row, so that no turn pays for all of it.
struct CheckpointWriter {
    /// How far the next checkpoint is.
    private enum Phase {
        /// Too little was written since the last one. Moves to near.
        case idle
        /// Ended jobs leave the state before it. Moves to prepared when they have.
        case near
        /// Nothing keeps it from beginning. Moves to running with the next row that may have a slice.
        case prepared
        /// Its slices are written. Moves to idle with the last one. Whoever prepares meanwhile has it begin again.
        case running(TurnNumber, CheckpointCursor)
    }

    private var phase = Phase.idle
    private var bytesSinceLast = 0

    /// Whether it is near at least, so that turns go on though nobody asks for anything.
    var isUnderWay: Bool {
        switch phase {
        case .idle: false
        case .near, .prepared, .running: true
        }
    }

    /// Whether a slice goes with the next row.
    var hasSlice: Bool {
        switch phase {
        case .idle, .near: false
        case .prepared, .running: true
        }
    }

    /// Whether ended jobs are to leave the state before the next one: enough has been written since the last.
    func isDue(after byteCount: Int) -> Bool {
        switch phase {
        case .idle, .near: bytesSinceLast >= byteCount
        case .prepared, .running: false
        }
    }

    /// The next one is being prepared.
    mutating func prepare(isReady: Bool) { phase = isReady ? .prepared : .near }

    mutating func note(byteCount: Int, entries: Int) { bytesSinceLast += Self.weight(byteCount: byteCount, entries: entries) }

    /// What an entry counts beside its bytes: a restart takes some 10 us for each, however short it is, and as long for so many bytes of long ones.
    private static let entryWeight = 256

    private static func weight(byteCount: Int, entries: Int) -> Int { byteCount + entries * entryWeight }

    /// A row of an earlier epoch was read, with so many entries: rows of the log came since the newest whole checkpoint, whose slices are read first. So
    /// one is due after as much as while serving, however often the front is killed between.
    mutating func noteRestored(_ row: RestoredRow, entries: Int) {
        bytesSinceLast = row.isSlice ? 0 : bytesSinceLast + Self.weight(byteCount: row.entries.count, entries: entries)
    }

    /// The slice that goes with this turn's row; nil: none.
    mutating func slice(
        of machine: FrontMachine, at turn: TurnNumber, _ settings: LoopSettings, _ codec: some EnvelopeCodec
    ) -> JournalRow.Slice? {
        switch phase {
        case .idle, .near: return nil
        case .prepared:
            // From its beginning on, not from its end: rows written beside its slices stand behind it in the log, and a restart reads them.
            bytesSinceLast = 0
            let (entries, cursor) = machine.turn.state.beginCheckpoint(machine.turn.settings.durability)
            phase = .running(turn, cursor)
            return JournalRow.Slice(checkpoint: turn, entries: codec.encode(entries), isLast: false)
        case .running(let checkpoint, var cursor):
            // It is changed in place: its lists are as long as there are sessions and feeds.
            phase = .idle
            let entries = cursor.takeSlice(of: machine.turn.state, chunkLimit: settings.sliceChunks, byteLimit: settings.sliceByteLimit)
            let isLast = cursor.isDone
            if !isLast { phase = .running(checkpoint, cursor) }
            return JournalRow.Slice(checkpoint: checkpoint, entries: codec.encode(entries), isLast: isLast)
        }
    }
}
