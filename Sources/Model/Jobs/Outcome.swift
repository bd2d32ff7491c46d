//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How a job ended, as a worker reports it in one byte.
public enum Outcome: UInt8, Hashable, Sendable {
    /// With a result, which may be empty.
    case succeeded = 0
    /// With a failure.
    case failed = 1
    /// Its task was cancelled and has really ended.
    case cancelled = 2
    /// The worker gives it back unstarted.
    case returned = 3
}
