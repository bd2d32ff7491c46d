//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact {
    /// Whether the fact is about jobs, grants or replies: what memory durability leaves out of the journal.
    var concernsJobs: Bool {
        switch self {
        case .jobsAccepted, .feedJobAccepted, .granted, .returned, .requeued, .ended, .cancelRequested, .replyKept, .sessionOpened,
            .sessionEnded, .jobsStored:
            true
        case .workerAttached, .workerLost, .feedChanged, .feedForgotten, .viewChanged, .viewForgotten, .idsReserved, .countsStored,
            .epochBegan:
            false
        }
    }
}
