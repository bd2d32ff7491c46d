//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why a loop cannot go on.
public enum LoopEnding: Error, Hashable, Sendable {
    /// Another front has taken over.
    case fenced
    /// The journal cannot be written, or not read now; the text names the next step.
    case storageFailed(String)
    /// The journal can never be read; the text names the next step.
    case damaged(String)
    /// So many jobs of an earlier life have not ended, and this one would not journal their ends: the next would run them again.
    case holdsDurableJobs(UInt64)
}
