//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A worker that is kept from other jobs so that it becomes empty.
struct SuspectClaim {
    let worker: Int
    /// Index of the pool whose suspected jobs wait for it.
    let pool: Int
    /// When it is given up.
    let until: MonotonicTime
}
