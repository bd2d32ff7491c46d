//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the loop reads of the machine, and what it counts for a turn.
extension FrontMachine {
    /// Everything durable, for whoever checks the machine from outside: the loop looks into `turn` itself, without a copy.
    package var state: FrontState {
        get { turn.state }
        set { turn.state = newValue }
    }

    /// Whether the disk is full.
    var storageIsFull: Bool { queue.storageIsFull }

    /// Whether the jobs that had ended when a checkpoint came near have left the state.
    package var isReadyForCheckpoint: Bool { queue.isReadyForCheckpoint }

    /// Steps since the start: about the microseconds that deciding has taken.
    var steps: UInt64 { turn.context.steps }

    /// Counts what the loop has done for a turn, as `TurnContext.step`.
    mutating func step(_ count: Int = 1) { turn.step(count) }

    /// Counts a bound that the loop has met.
    mutating func noteBusy(_ bound: BusyBound) { turn.context.noteBusy(bound) }

    /// As `FeedMachine.staleWait`.
    package var staleWait: String? { feeds.staleWait(queue: queue, in: turn) }
}
