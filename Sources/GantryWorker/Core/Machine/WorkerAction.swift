//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Everything that a worker's machine wants done, in order.
package enum WorkerAction: Hashable, Sendable {
    /// Send in this turn's envelope, under the machine's epoch and registration.
    case send(WorkerMessage)
    /// Forget what is unsent and send this alone; if it cannot be sent now, say `registerUnsent` and forget it.
    case register(WorkerMessage.Registration)
    /// Connect anew: nothing of the old connection is worth reading or sending.
    case reconnect
    /// Begin a job in a slot.
    case start(WorkStart)
    /// Cancel the task of that run, with the reason; its end is reported as always.
    case cancelWork(WorkToken, CancelReason)
    /// Kill the process that a run says it has for itself, then say `workKilled`.
    case killWork(WorkToken)
    /// Run rows from the front of these, at least one, and say `bulkEnded`.
    case runBulk(BulkWork)
    /// Let the kernel end the process at that instant, then say `killTimerArmed`.
    case armKillTimer(at: MonotonicTime)
    /// Nothing runs: the kernel is to leave the process alone.
    case disarmKillTimer
    /// Count a message that came late.
    case ignored(WorkerIgnoredReason)
    /// The worker holds nothing and may end, after what was sent has left.
    case finish
    /// The front does not take this worker; the reason names the next step.
    case refused(reason: String)
}

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
    /// The process of a run was killed; false: it has none.
    case workKilled(WorkToken, Bool)
    /// The kernel timer is armed; the clock was read after that.
    case killTimerArmed
    /// The last registration could not be handed to the transport.
    case registerUnsent
    /// Everything that waited was read: now deadlines may be looked at.
    case tick
    /// Everything is decided: what was gathered in this turn is to be sent.
    case turnEnds
}

/// Why a message was ignored. All of these are normal on a network; the loop counts them.
package enum WorkerIgnoredReason: Hashable, Sendable, CaseIterable {
    /// It is of another front or of an earlier epoch of ours.
    case otherFront
    /// It is of a registration that is over.
    case registrationOver
    /// The registration that it answers is already there.
    case alreadyRegistered
    /// It answers an older registration: it does not judge every lease that is held now.
    case olderRegistration
    /// The worker is not registered now.
    case notRegistered
    /// The echoed renewal is not one that was sent under this registration.
    case unknownRenewal
    /// The lease was granted before and is held, or its outcome was reported.
    case knownLease
    /// The run that reports is over.
    case unknownWork
    /// The job has ended; its report is on the way.
    case alreadyEnded
    /// No such report is kept.
    case unknownReport
    /// Too many outcomes wait to become durable: the grant is refused as busy.
    case overBound
    /// The columns of a grant do not fit each other.
    case malformed
    /// The front could not take a message of this worker.
    case refusedMessage
    /// The worker has sent close.
    case ended
}
