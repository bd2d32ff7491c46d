//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Code whose jobs take far less than a millisecond. They run in batches on the thread of the worker's loop itself, without a slot, a
/// task or a word of progress; while they run, the worker renews nothing, so they must never wait for anything.
public protocol BulkLoader: NamedLoader {
    /// Does jobs in their order and adds one outcome for each.
    ///
    /// - Parameters:
    ///   - jobs: up to 128 jobs.
    ///   - outcomes: outcome n belongs to job n; jobs left without one fail, further ones are ignored.
    func run(_ jobs: BulkJobs, into outcomes: inout BulkOutcomes)
}
