//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// What runs the jobs, outside of the loop save for short ones. No call blocks but `runBulk`.
package protocol WorkerRunner {
    /// Begins a job; its end is reported exactly once.
    mutating func start(_ work: WorkStart) throws
    /// Tells the task of a run to stop.
    mutating func cancel(_ token: WorkToken) throws
    /// Runs rows from the front of `work` on the calling thread and adds an outcome for each to `ended`.
    /// - Returns: how many, at least one; the runner stops early to keep renewals in time.
    mutating func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) throws -> Int
    /// Moves what running work has said since the last call to the end of `reports`.
    mutating func takeReports(into reports: inout [WorkReport]) throws
}
