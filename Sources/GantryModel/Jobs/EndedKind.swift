//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What bounds an ended job counts against: neither kind makes room for the other.
package enum EndedKind: Hashable, Sendable, CaseIterable {
    /// It succeeded, was cancelled or expired.
    case other
    /// It failed or was quarantined: kept longer, and not hidden behind newer jobs of the other kind, however many.
    case failed

    /// All of them, in the order in which they make room and a checkpoint lists them: those that failed last, for they are kept longer.
    package static let allCases: [Self] = [.other, .failed]

    /// All of them, in the order in which they are bundled and looked for: those that are kept longer first.
    package static let failedFirst: [Self] = allCases.reversed()

    /// The kind of a job that has ended so.
    package init(_ state: JobState) {
        switch state {
        case .failed, .quarantined: self = .failed
        case .waiting, .scheduled, .running, .cancelling, .succeeded, .cancelled, .expired: self = .other
        }
    }
}

/// How a job ended, as a worker reports it in one byte.
package enum Outcome: UInt8, Hashable, Sendable {
    /// With a result, which may be empty.
    case succeeded = 0
    /// With a failure.
    case failed = 1
    /// Its task was cancelled and has really ended.
    case cancelled = 2
    /// The worker gives it back unstarted.
    case returned = 3
    /// Its loader asked to be run again later.
    case snoozed = 4
}

extension JobState {
    /// Whether nothing more will happen to the job by itself.
    @inlinable public var isFinal: Bool { rawValue >= JobState.succeeded.rawValue }

    /// The state in a sentence about a job: `has succeeded`, `is running`.
    package var clause: String {
        switch self {
        case .waiting, .scheduled, .running, .cancelling, .quarantined: "is \(name)"
        case .succeeded, .failed, .expired: "has \(name)"
        case .cancelled: "was \(name)"
        }
    }
}
