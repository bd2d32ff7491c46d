//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Writes the live state as slices, one with each row, so that no turn pays for all of it.
struct CheckpointWriter {
    /// Where the running checkpoint is; nil: none runs.
    private var running: (checkpoint: TurnNumber, nextJob: UInt64)?
    private var bytesSinceLast = 0

    var isRunning: Bool { running != nil }

    /// Whether enough has been written since the last checkpoint.
    func isDue(after byteCount: Int) -> Bool { running == nil && bytesSinceLast >= byteCount }

    mutating func note(byteCount: Int) { bytesSinceLast += byteCount }

    /// The slice that goes with this turn's row; nil: none.
    mutating func slice(
        of machine: FrontMachine, at turn: TurnNumber, isDue: Bool, _ settings: LoopSettings, _ codec: some EnvelopeCodec
    ) -> JournalRow.Slice? {
        if isDue {
            bytesSinceLast = 0
            running = (turn, 1)
            return JournalRow.Slice(checkpoint: turn, facts: codec.encode(machine.checkpointBase()), isLast: false)
        }
        guard let at = running else { return nil }
        let (facts, next) = machine.checkpointSlice(
            from: at.nextJob, chunkLimit: settings.sliceChunks, byteLimit: settings.sliceByteLimit)
        running = next.map { (at.checkpoint, $0) }
        return JournalRow.Slice(checkpoint: at.checkpoint, facts: codec.encode(facts), isLast: next == nil)
    }
}
