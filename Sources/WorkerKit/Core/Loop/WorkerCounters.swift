//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a worker's loop has counted since it began.
package struct WorkerCounters: Hashable, Sendable {
    /// Turns.
    package var turns: UInt64 = 0
    /// Frames that could not be read.
    package var malformed: UInt64 = 0
    /// Frames that were given up because too much was unsent; what they said is repeated.
    package var unsentFrames: UInt64 = 0
    /// Messages that came late, by reason.
    package var ignored: [WorkerIgnoredReason: UInt64] = [:]
    /// Bulk jobs that ran.
    package var bulkJobs: UInt64 = 0
}
