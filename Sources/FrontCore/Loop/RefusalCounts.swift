//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How often something changed nothing, for whoever checks the front from outside.
package struct RefusalCounts: Sendable {
    /// What came late, by why.
    package let late: [FrontIgnoredReason: UInt64]
    /// What entries said of jobs that they did not move (`JobRefusal`), those of the log that was read at the start included.
    package let ofJobs: UInt64
    /// What the scheduler did not do (`SchedulerRefusal`).
    package let ofScheduler: Int
}
