//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Why a request that was admitted cannot be run now: the disk is full, or the queue.
    mutating func refusalForNow(of asked: NumberedRequest, in turn: inout FrontTurn) -> Reply? {
        if asked.needsStorage, let refused = refusalOfStorage(in: turn) { return refused }
        return asked.jobs.flatMap { refusalOfJobs($0.count, byteCount: $0.byteCount, in: &turn) }
    }

    /// Why nothing can be written now that makes new work; nil: it can.
    func refusalOfStorage(in turn: FrontTurn) -> Reply? {
        guard storageIsFull else { return nil }
        return .refusal(
            .storageFull, "\(turn.settings.fullDiskText): free some space; nothing accepted is lost", retryAfter: RetryPause.usual)
    }

    /// Answers a request that was admitted: see `FrontTurn.conclude`.
    mutating func conclude(_ asked: NumberedRequest, with reply: Reply, feed: FeedKey? = nil, in turn: inout FrontTurn) {
        turn.conclude(asked, with: reply, feed: feed, isDiskFull: storageIsFull)
    }
}
