//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Why a request that was admitted cannot be run now: the disk is full, or the queue.
    mutating func refusalForNow(of asked: NumberedRequest, in turn: inout FrontTurn) -> Reply? {
        if asked.needsStorage, let refused = turn.context.refusalOfStorage { return refused }
        return asked.jobs.flatMap { refusalOfJobs($0.count, byteCount: $0.byteCount, in: &turn) }
    }

    /// Why no further jobs can be accepted now; nil: they can. Counted and weighed alike for submits and for what is asked of feeds.
    mutating func refusalOfJobs(_ count: Int, byteCount: Int, in turn: inout FrontTurn) -> Reply? {
        let bounds = turn.settings.bounds
        guard turn.state.jobs.totals.counts.waiting + UInt64(count) <= UInt64(bounds.queuedJobs) else {
            let text = "\(turn.state.jobs.totals.counts.waiting) jobs are waiting (limit \(bounds.queuedJobs)): retry after it drains"
            return turn.busy(.queuedJobs, text, retryAfter: RetryPause.usual)
        }
        let held = turn.state.jobs.queuedByteCount + turn.state.jobs.terms.byteCount
        guard held + byteCount <= bounds.queuedByteCount else {
            let text =
                "the jobs that have not ended hold \(held) bytes of arguments, names and options (limit \(bounds.queuedByteCount)): retry after "
                + "some have ended, or put large arguments into files"
            return turn.busy(.queuedByteCount, text, retryAfter: RetryPause.usual)
        }
        if let oldest = turn.state.jobs.jobTooOld(for: count) {
            let text =
                "too many jobs have come since job \(oldest), which is still kept (limit \(JournalBounds.servedJobSpan)): cancel it or start a worker "
                + "for its loader; retry after it has ended and was forgotten"
            return turn.busy(.jobSpan, text, retryAfter: RetryPause.usual)
        }
        return nil
    }
}
