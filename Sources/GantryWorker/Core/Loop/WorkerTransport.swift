//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// The worker's connection to the front: whole frames, lost or late as networks do, never blocking but in `wait`.
///
/// Every function may throw: the loop then ends as if the process had died there.
package protocol WorkerTransport {
    /// Waits until a frame can be received, a report of running work waits, what is unsent could be sent, or `deadline` has come.
    mutating func wait(until deadline: MonotonicTime, toSend: Bool) throws
    /// The next frame that has arrived, or nil.
    mutating func receive() throws -> [UInt8]?
    /// Hands a frame over; false if it does not take one now.
    mutating func send(_ frame: [UInt8]) throws -> Bool
    /// Forgets the connection with all that is on its way and makes another.
    mutating func reconnect() throws
}

/// What runs the jobs, outside of the loop save for short ones. No call blocks but `runBulk`.
package protocol WorkerRunner {
    /// Begins a job; its end is reported exactly once.
    mutating func start(_ work: WorkStart) throws
    /// Cancels the task of a run, with the reason.
    mutating func cancel(_ token: WorkToken, because reason: CancelReason) throws
    /// Runs rows from the front of `work` on the calling thread and adds an outcome for each to `ended`.
    /// - Returns: how many, at least one; the runner stops early to keep renewals in time.
    mutating func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) throws -> Int
    /// Moves what running work has said since the last call to the end of `reports`.
    mutating func takeReports(into reports: inout [WorkReport]) throws
}

/// The worker's clock and the kernel timer that ends the process; both count while the machine sleeps.
package protocol WorkerClock {
    /// Reads the clock.
    mutating func now() throws -> MonotonicTime
    /// From now on the process ends at that instant, whatever it does; replaces an earlier one.
    mutating func armKillTimer(at instant: MonotonicTime) throws
    /// The process is left alone again.
    mutating func disarmKillTimer() throws
}
