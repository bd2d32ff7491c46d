//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// What running work says to the loop.
package enum WorkReport: Hashable, Sendable {
    /// How far it is; only the newest of a run matters.
    case progress(WorkToken, Progress)
    /// It has really ended; nothing of that run follows.
    case ended(WorkToken, WorkEnd)
    /// The process is asked to take no new jobs and to end after its last.
    case drain
    /// The process is asked to end as soon as its work can be stopped.
    case stop
}
