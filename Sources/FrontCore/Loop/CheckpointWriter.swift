//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Writes the live state as slices, one with each row, so that no turn pays for all of it.
struct CheckpointWriter {
    /// Where the running checkpoint is; nil: none runs.
    private var running: (checkpoint: TurnNumber, cursor: CheckpointCursor)?
    private var bytesSinceLast = 0
    /// Whether the next one is being prepared: ended jobs leave the state before it.
    private(set) var isNear = false
    /// Whether nothing keeps it from beginning.
    private(set) var isPrepared = false

    var isRunning: Bool { running != nil }

    /// Whether enough has been written since the last checkpoint.
    func isDue(after byteCount: Int) -> Bool { running == nil && !isPrepared && bytesSinceLast >= byteCount }

    /// The next one is being prepared.
    mutating func prepare(isReady: Bool) { (isNear, isPrepared) = (true, isReady) }

    mutating func note(byteCount: Int) { bytesSinceLast += byteCount }

    /// A row of an earlier life was read: those of the log came since the newest whole checkpoint, whose slices are read first. So one is due after
    /// so many bytes however often the front is killed between.
    mutating func noteRestored(_ row: RestoredRow) { bytesSinceLast = row.isSlice ? 0 : bytesSinceLast + row.facts.count }

    /// The slice that goes with this turn's row; nil: none.
    mutating func slice(
        of machine: FrontMachine, at turn: TurnNumber, isDue: Bool, _ settings: LoopSettings, _ codec: some EnvelopeCodec
    ) -> JournalRow.Slice? {
        if isDue {
            bytesSinceLast = 0
            (isNear, isPrepared) = (false, false)
            let (facts, cursor) = machine.turn.state.beginCheckpoint(machine.turn.settings.durability)
            running = (turn, cursor)
            return JournalRow.Slice(checkpoint: turn, facts: codec.encode(facts), isLast: false)
        }
        guard var at = running else { return nil }
        // It is changed in place: its lists are as long as there are sessions and feeds.
        running = nil
        let facts = at.cursor.takeSlice(of: machine.turn.state, chunkLimit: settings.sliceChunks, byteLimit: settings.sliceByteLimit)
        let isLast = at.cursor.isDone
        if !isLast { running = at }
        return JournalRow.Slice(checkpoint: at.checkpoint, facts: codec.encode(facts), isLast: isLast)
    }
}
