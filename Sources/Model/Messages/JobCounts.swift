//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Jobs by state.
public struct JobCounts: Hashable, Sendable {
    /// Not yet granted.
    public var waiting: UInt64 = 0
    /// Granted to a worker.
    public var running: UInt64 = 0
    /// Cancel asked, still running.
    public var cancelling: UInt64 = 0
    /// Ended with a result since the journal began.
    public var succeeded: UInt64 = 0
    /// Ended with a failure since the journal began.
    public var failed: UInt64 = 0
    /// Ended by a cancel since the journal began.
    public var cancelled: UInt64 = 0
    /// Quarantined now.
    public var quarantined: UInt64 = 0
    /// When the oldest waiting job was accepted.
    public var oldestWaiting: WallTime?
    /// Failed and quarantined jobs that are still known, by code, most first.
    public var failures: [FailureCount] = []

    /// No jobs.
    public init() {}
}
