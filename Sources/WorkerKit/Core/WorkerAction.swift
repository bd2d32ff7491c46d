//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

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
    /// Tell the task of that run to stop; its end is reported as always.
    case cancelWork(WorkToken)
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
