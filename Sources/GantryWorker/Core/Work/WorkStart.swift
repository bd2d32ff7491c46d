//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What a runner needs to begin a job in a slot.
package struct WorkStart: Hashable, Sendable {
    /// Names the run in reports.
    package var token: WorkToken
    /// The job.
    package var job: JobID
    /// How often it was granted, this time included.
    package var attempt: UInt32
    /// Index of its loader in the worker's declarations.
    package var loader: Int
    /// The front's wall clock when it granted the job.
    package var wall: WallTime
    /// Opaque argument bytes.
    package var argument: [UInt8]
    /// The work of a feed's job.
    package var feedWork: FeedWork?
}

/// Names one run of one job inside a worker process, so that a report of an earlier run cannot be taken for one of a later run.
package struct WorkToken: Hashable, Sendable {
    /// Counts the runs from 1.
    package let number: UInt64

    /// Wraps a count.
    package init(_ number: UInt64) { self.number = number }
}

/// What running work says to the loop.
package enum WorkReport: Hashable, Sendable {
    /// How far it is; only the newest of a run matters.
    case progress(WorkToken, JobProgress)
    /// It has really ended; nothing of that run follows.
    case ended(WorkToken, WorkEnd)
    /// The process is asked to take no new jobs and to end after its last.
    case drain
    /// The process is asked to end as soon as its work can be stopped.
    case stop
}

/// How a run really ended, as the runner saw it.
package enum WorkEnd: Hashable, Sendable {
    /// With a result, and for a feed's job with what it made.
    case succeeded([UInt8], FeedResult?)
    /// With a failure; id and attempts are filled in by the machine.
    case failed(Failure)
    /// Its task noticed its cancellation.
    case cancelled
}
