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
        case .feedJobAccepted(let job): job.byteCount + RoughSize.feed
        case .returned(let jobs): jobs.count * RoughSize.number
        case .requeued(let jobs): jobs.count * RoughSize.answer
        case .jobsStored(let stored): stored.roughByteCount
        case .workerAttached(_, _, let registration):
            RoughSize.wide + registration.loaders.count * RoughSize.record + registration.held.count * 2 * RoughSize.number
        case .feedChanged(let feed, _, _): RoughSize.wide + feed.key.text.utf8.count + (feed.failure?.byteCount ?? 0)
        case .viewChanged(let key, let view, _): RoughSize.wide + key.text.utf8.count + view.byteCount
        case .replyKept(_, let kept): kept.roughByteCount
        case .sessionOpened, .sessionEnded, .cancelRequested, .workerLost, .feedForgotten, .viewForgotten, .idsReserved,
            .countsStored, .epochBegan:
            RoughSize.wide
        }
    }
}

extension Fact.StoredJobs {
    /// The same for a part of a checkpoint.
    fileprivate var roughByteCount: Int {
        let texts = (loaders + labels).reduce(0) { $0 + $1.utf8.count }
        let failed = failures.reduce(0) { $0 + $1.value.byteCount + RoughSize.record }
        return bytes.count + texts + failed + jobs.count * RoughSize.record + cancels.count * RoughSize.record
    }
}

extension ViewState {
    /// Bytes of its texts and of what it holds of its detail.
    fileprivate var byteCount: Int {
        detail.byteCount + (failure?.byteCount ?? 0) + filter.utf8.count + (selection?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
    }
}
