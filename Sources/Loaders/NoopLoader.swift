//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import WorkerKit

/// Answers each job with its argument; for measuring the way there and back.
public struct NoopLoader: BulkLoader {
    /// `noop`.
    public let name = "noop"

    /// The loader; it has no settings.
    public init() {}

    /// Each outcome is the job's argument.
    public func run(_ jobs: BulkJobs, into outcomes: inout BulkOutcomes) {
        for job in jobs { outcomes.succeed(job.argument) }
    }
}
