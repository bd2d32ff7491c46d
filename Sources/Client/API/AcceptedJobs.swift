//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Jobs with consecutive ids.
struct AcceptedJobs: Sendable {
    let first: JobID
    let count: UInt32

    /// The ids in order.
    var ids: [JobID] { (0..<UInt64(count)).map { first.advanced(by: $0) } }
}
