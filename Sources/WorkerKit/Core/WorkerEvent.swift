//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// Everything that happens to a worker's machine.
package enum WorkerEvent: Hashable, Sendable {
    /// A frame of the front was read.
    case received(WorkerBoundEnvelope)
    /// A frame of the front could not be read at all: grants may have been in it.
    case unreadable(CodecError)
    /// Running work said something.
    case reported(WorkReport)
    /// The first rows of the line have run; the columns hold their outcomes, the report number is not yet given.
    case bulkEnded(WorkerMessage.Ended, rows: Int)
    /// The kernel timer is armed; the clock was read after that.
    case killTimerArmed
    /// The last registration could not be handed to the transport.
    case registerUnsent
    /// Everything that waited was read: now deadlines may be looked at.
    case tick
    /// Everything is decided: what was gathered in this turn is to be sent.
    case turnEnds
}
