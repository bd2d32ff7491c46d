//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What bounds an ended job counts against: neither kind makes room for the other.
public enum EndedKind: Hashable, Sendable, CaseIterable {
    /// It succeeded or was cancelled.
    case other
    /// It failed or was quarantined: kept longer, and not hidden behind newer jobs of the other kind, however many.
    case failed

    /// All of them, in the order in which they make room and a checkpoint lists them: those that failed last, for they are kept longer.
    public static let allCases: [Self] = [.other, .failed]

    /// All of them, in the order in which they are bundled and looked for: those that are kept longer first.
    public static let failedFirst: [Self] = allCases.reversed()

    /// The kind of a job that has ended so.
    public init(_ state: JobState) {
        switch state {
        case .failed, .quarantined: self = .failed
        case .waiting, .running, .cancelling, .succeeded, .cancelled: self = .other
        }
    }
}
