//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact {
    /// Bytes that the fact will have in the journal, roughly: what the bound of a turn is measured by.
    var roughByteCount: Int {
        switch self {
        case .jobsAccepted(let accepted):
            accepted.submit.arguments.count + accepted.submit.lengths.count * RoughSize.length + RoughSize.record
        case .granted(let granted): granted.jobs.count * 2 * RoughSize.number + RoughSize.message
        case .ended(let ended): ended.results.count + ended.jobs.count * RoughSize.answer + RoughSize.message
        case .feedJobAccepted(let job): job.item.count + RoughSize.feed
        case .returned(let jobs): jobs.count * RoughSize.number
        case .requeued(let jobs): jobs.count * RoughSize.answer
        case .jobsStored(let stored): stored.bytes.count + stored.jobs.count * RoughSize.record
        case .sessionOpened, .sessionEnded, .replyKept, .cancelRequested, .workerAttached, .workerLost, .feedChanged, .feedForgotten,
            .viewChanged, .viewForgotten, .idsReserved, .countsStored, .epochBegan:
            RoughSize.wide
        }
    }
}
