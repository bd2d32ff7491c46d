//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a job is in its life.
public enum JobState: UInt8, Hashable, Sendable, CaseIterable {
    /// Accepted, not yet granted. Moves to running, cancelled, expired.
    case waiting = 0
    /// Waits for a time. Moves to waiting, cancelled.
    case scheduled = 1
    /// Granted to a worker. Moves to succeeded, failed, cancelling, waiting (worker lost), quarantined.
    case running = 2
    /// Cancel asked, still running. Moves to cancelled.
    case cancelling = 3
    /// Ended with a result. Final.
    case succeeded = 4
    /// Ended with a failure. Final.
    case failed = 5
    /// Ended by a cancel. Final.
    case cancelled = 6
    /// Its time had passed before it was granted. Final.
    case expired = 7
    /// Killed its worker three times. Final until somebody releases it.
    case quarantined = 8

    /// Whether nothing more will happen to the job by itself.
    @inlinable public var isFinal: Bool { rawValue >= JobState.succeeded.rawValue }

    /// The word that terminal, JSON and page show.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .scheduled: "scheduled"
        case .running: "running"
        case .cancelling: "cancelling"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .quarantined: "quarantined"
        }
    }
}
