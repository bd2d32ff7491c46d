//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A job that ends without a report of its worker, how, and why.
struct UnreportedEnd {
    let job: UInt64
    let state: JobState
    /// Crashes of workers that count against it, where this end counts one; nil: none is counted.
    var crashCount: UInt8?
    var failure: Failure?
}
