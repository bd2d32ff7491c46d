//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What bounds an ended job counts against: neither kind makes room for the other.
public enum EndedKind: Hashable, Sendable, CaseIterable {
    /// It succeeded or was cancelled.
    case other
    /// It failed or was quarantined: kept longer, and not hidden behind newer jobs of the other kind, however many.
    case failed

    /// The kind of a job that has ended so.
    public init(_ state: JobState) {
        switch state {
        case .failed, .quarantined: self = .failed
        case .waiting, .running, .cancelling, .succeeded, .cancelled: self = .other
        }
    }
}
