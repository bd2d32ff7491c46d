//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

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
