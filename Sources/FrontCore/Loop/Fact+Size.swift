//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact {
    /// Bytes that the fact will have in the journal, roughly: what the bound of a turn is measured by.
    var roughByteCount: Int {
        switch self {
        case .jobsAccepted(let accepted): accepted.submit.arguments.count + accepted.submit.lengths.count * 2 + 64
        case .granted(let granted): granted.jobs.count * 16 + 32
        case .ended(let ended): ended.results.count + ended.jobs.count * 11 + 32
        case .feedJobAccepted(let job): job.item.count + 256
        case .returned(let jobs): jobs.count * 8
        case .requeued(let jobs): jobs.count * 12
        case .jobsStored(let stored): stored.bytes.count + stored.jobs.count * 64
        case .sessionOpened, .sessionEnded, .replyKept, .cancelRequested, .workerAttached, .workerLost, .feedChanged, .feedForgotten,
            .viewChanged, .viewForgotten, .idsReserved, .countsStored, .epochBegan:
            512
        }
    }
}
