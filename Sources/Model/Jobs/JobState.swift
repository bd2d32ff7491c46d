//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a job is in its life. The numbers between are reserved, see `PROTOCOL.md`.
public enum JobState: UInt8, Hashable, Sendable, CaseIterable {
    /// Accepted, not yet granted. Moves to running, cancelled.
    case waiting = 0
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
    /// Killed its worker three times. Final until somebody releases it.
    case quarantined = 8

    /// Whether nothing more will happen to the job by itself.
    @inlinable public var isFinal: Bool { rawValue >= JobState.succeeded.rawValue }

    /// The word that terminal, JSON and page show.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .cancelling: "cancelling"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .quarantined: "quarantined"
        }
    }
}
