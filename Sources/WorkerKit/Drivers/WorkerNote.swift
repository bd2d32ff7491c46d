//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What happens to a worker that people may want to read of.
enum WorkerNote: Hashable, Sendable {
    /// A front has taken it.
    case registered(WorkerID, Epoch)
    /// The front does not take it for now.
    case refused(WorkerID, Refused)
    /// It has ended as it was asked to.
    case ended(WorkerID)
}
