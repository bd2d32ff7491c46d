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
        case .ended(let ended):
            ended.failures.reduce(ended.results.count + ended.jobs.count * RoughSize.answer + RoughSize.message) {
                $0 + $1.value.byteCount + RoughSize.record
            }
        case .feedJobAccepted(let job): job.item.count + RoughSize.feed
        case .returned(let jobs): jobs.count * RoughSize.number
        case .requeued(let jobs): jobs.count * RoughSize.answer
        case .jobsStored(let stored): stored.bytes.count + stored.jobs.count * RoughSize.record
        case .workerAttached(_, _, let registration):
            RoughSize.wide + registration.loaders.count * RoughSize.record + registration.held.count * 2 * RoughSize.number
        case .feedChanged(let feed, _, _): RoughSize.wide + (feed.failure?.byteCount ?? 0)
        case .viewChanged(_, let view, _): RoughSize.wide + view.detail.byteCount + (view.failure?.byteCount ?? 0)
        case .sessionOpened, .sessionEnded, .replyKept, .cancelRequested, .workerLost, .feedForgotten, .viewForgotten, .idsReserved,
            .countsStored, .epochBegan:
            RoughSize.wide
        }
    }
}
